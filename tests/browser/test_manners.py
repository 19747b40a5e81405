"""What holds on every page: light, accessible, usable without a mouse, without scripts, on a small screen."""

from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.browser.conftest import NewPerson, Person
from tests.browser.serving import Server

AXE = Path(__file__).parent / "vendor" / "axe.min.js"
PAGES = (
    "/",
    "/calls",
    "/calls?failed=true&tool=charge_card",
    "/c/call_charge_8Kd2",
    "/c/call_plan_1",
    "/c/call_p03",
    "/c/call_evil_1",
    "/c/call_w1",
    "/c/call_語_1",
    "/threads/invoice-12",
    "/threads/library-1",
    "/threads/stock-5",
    "/tools",
    "/tools/charge_card",
    "/errors",
    "/status",
    "/settings",
    "/api/docs",
    "/compare?a=call_plan_1&b=call_charge_8Kd2",
    "/tools/charge_card?split=-5m",
    "/find?q=call_w0",
    "/find?q=nothing+like+it",
    "/gallery",
)
FIRST_LOAD_BYTES = 60_000
FIRST_LOAD_REQUESTS = 8


def trace_path(person: Person, call_id: str) -> str:
    person.opens(f"/c/{call_id}")
    return str(person.page.locator(".verdict a[href^='/traces/']").first.get_attribute("href"))


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", [*PAGES, "trace of call_charge_8Kd2", "trace of call_p02a"])
def test_axe_finds_nothing_serious(
    new_person: NewPerson, full_server: Server, path: str, scheme: str
) -> None:
    # axe is no part of the product, so the policy that keeps foreign scripts out is lifted for it.
    person = new_person(full_server, color_scheme=scheme, bypass_csp=True)
    person.opens(trace_path(person, path.rsplit(maxsplit=1)[-1]) if path.startswith("trace of") else path)

    person.page.add_script_tag(path=str(AXE))
    found = person.page.evaluate("axe.run(document, {resultTypes: ['violations']})")

    assert [
        _said(violation)
        for violation in found["violations"]
        if violation["impact"] in ("serious", "critical")
    ] == []


def _said(violation: dict[str, Any]) -> str:
    return f"{violation['id']}: " + "; ".join(node["html"][:160] for node in violation["nodes"][:3])


@pytest.mark.parametrize("path", [*PAGES, "trace of call_charge_8Kd2"])
def test_a_first_visit_is_light(new_person: NewPerson, full_server: Server, path: str) -> None:
    if path.startswith("trace of"):
        path = trace_path(new_person(full_server), path.rsplit(maxsplit=1)[-1])
    person = new_person(full_server)
    session = person.page.context.new_cdp_session(person.page)
    session.send("Network.enable")
    sizes: dict[str, float] = {}
    requests: list[str] = []
    session.on(
        "Network.loadingFinished",
        lambda event: sizes.update({event["requestId"]: event["encodedDataLength"]}),
    )
    person.page.on("request", lambda request: requests.append(request.url))

    person.opens(path)
    person.page.wait_for_load_state("networkidle") if not path.startswith(
        "/calls"
    ) else person.page.wait_for_load_state("load")

    fetched = [url for url in requests if "/parts/" not in url and not url.startswith("data:")]
    redirects = sum("/c/" in url for url in fetched)
    assert sum(sizes.values()) < FIRST_LOAD_BYTES
    assert len(fetched) - redirects <= FIRST_LOAD_REQUESTS
    assert {urlsplit(url).netloc for url in fetched} == {urlsplit(full_server.url).netloc}


@pytest.mark.parametrize("path", PAGES)
def test_nothing_needs_to_be_scrolled_sideways_on_a_small_screen(
    new_person: NewPerson, full_server: Server, path: str
) -> None:
    person = new_person(full_server, viewport={"width": 320, "height": 640})

    person.opens(path)

    assert person.page.evaluate("document.documentElement.scrollWidth") == 320


def test_a_call_is_found_and_read_without_scripts(new_person: NewPerson, full_server: Server) -> None:
    person = new_person(full_server, java_script_enabled=False)
    person.opens("/")

    person.pastes("call_charge_8Kd2")

    assert "on all 3 attempts" in person.reads()
    assert "UTC" in person.page.locator(".verdict .facts").inner_text()
    assert person.page.get_by_role("button", name="Copy link").count() == 0


def test_calls_are_filtered_without_scripts(new_person: NewPerson, full_server: Server) -> None:
    person = new_person(full_server, java_script_enabled=False)
    person.opens("/calls")
    person.page.get_by_text("Filters", exact=True).click()
    person.page.get_by_label("Waiting for a person", exact=True).check()

    with person.page.expect_navigation():
        person.page.get_by_role("button", name="Apply").click()

    assert person.path() == "/calls?outcome=interrupted"
    assert person.page.locator("a.row-link .tool").all_inner_texts() == ["refund_order"]


def test_the_keyboard_alone_leads_from_the_list_to_a_call_and_on(engineer: Person) -> None:
    engineer.opens("/calls?failed=true")
    keyboard = engineer.page.keyboard

    keyboard.press("j")
    keyboard.press("j")
    keyboard.press("k")
    first = engineer.page.locator("a.row-link").first.get_attribute("href")
    assert engineer.page.evaluate("document.activeElement.getAttribute('href')") == first
    with engineer.page.expect_navigation():
        keyboard.press("Enter")
    assert engineer.path() == first
    keyboard.press("/")
    keyboard.type("call_mail_77")
    with engineer.page.expect_navigation():
        keyboard.press("Enter")

    assert engineer.page.locator("h1").inner_text() == "send_email"


def test_the_keys_explain_themselves(engineer: Person) -> None:
    engineer.opens("/")

    engineer.page.keyboard.press("?")

    assert engineer.page.get_by_role("dialog", name="Keys").is_visible()
    engineer.page.keyboard.press("Escape")
    assert not engineer.page.get_by_role("dialog", name="Keys").is_visible()


def test_a_chosen_theme_stays(new_person: NewPerson, full_server: Server) -> None:
    person = new_person(full_server, color_scheme="light")
    person.opens("/")
    light = person.page.evaluate("getComputedStyle(document.body).backgroundColor")

    person.page.get_by_role("button", name="Switch between dark and light").click()
    person.opens("/tools")

    assert person.page.evaluate("getComputedStyle(document.body).backgroundColor") != light


def test_times_are_local_with_utc_on_hover(new_person: NewPerson, full_server: Server) -> None:
    person = new_person(full_server, timezone_id="Asia/Tokyo")
    person.opens("/c/call_charge_8Kd2")

    when = person.page.locator(".verdict time")
    assert "GMT+9" in when.inner_text()
    assert str(when.get_attribute("title")).endswith("UTC")


def test_what_is_not_there_is_said_kindly(full_server: Server, new_person: NewPerson) -> None:
    person = new_person(full_server)

    for path in ("/nowhere", "/calls/cnothing", "/traces/00", "/threads/none", "/tools/none"):
        answer = person.page.goto(full_server.url + path)
        assert answer is not None
        assert answer.status == 404
        assert person.page.locator("h1").inner_text() == "There is nothing here"
    person.troubles.clear()  # the browser itself reports each status on its console
