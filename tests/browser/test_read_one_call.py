"""From the id in the clipboard to the answer."""

import json

import pytest

from tests.browser.conftest import NewPerson, Person
from tests.browser.serving import Server


def test_one_paste_tells_what_happened_without_scrolling(engineer: Person) -> None:
    engineer.opens("/")

    engineer.pastes("call_charge_8Kd2")

    sentence = engineer.page.locator(".said")
    assert sentence.inner_text() == (
        "charge_card raised TimeoutError on all 3 attempts; the model was told “Payment service "
        "unavailable”; the tool ran 3 times; its side effects may have happened 3 times."
    )
    assert engineer.page.evaluate("scrollY") == 0
    for place in (".said", ".verdict .facts", "text=What the model was told"):
        box = engineer.page.locator(place).first.bounding_box()
        assert box is not None
        assert box["y"] + box["height"] < 768


@pytest.mark.parametrize(
    "text",
    [
        "  call_plan_1\n",
        "2026-03-01 04:05:06 ERROR shop.agents tool_call_id=call_plan_1 status=failed",
        '{"level": "error", "tool_call_id": "call_plan_1", "msg": "tool failed"}',
        "tool failed (call_plan_1), giving up",
    ],
)
def test_a_whole_log_line_finds_the_call(engineer: Person, text: str) -> None:
    engineer.opens("/calls")

    engineer.pastes(text)

    assert engineer.page.locator("h1").inner_text() == "plan_tasks"


def test_an_email_that_was_sent_twice_says_so(engineer: Person) -> None:
    engineer.opens("/c/call_mail_77")

    assert "side effects may have happened twice" in engineer.page.locator(".said").inner_text()
    assert engineer.page.locator(".attempts > li").count() == 2


def test_the_wrong_field_is_marked_at_the_field(engineer: Person) -> None:
    engineer.opens("/c/call_plan_1")

    wrong = [text.split("\n")[0] for text in engineer.page.locator(".json .bad").all_inner_texts()]
    assert [text.split(":")[0] for text in wrong] == ["tasks", "owner"]
    assert "expected list, received string" in engineer.page.locator(".json .bad").first.inner_text()


def test_a_string_that_looks_like_json_stays_a_string(engineer: Person) -> None:
    engineer.opens("/c/call_plan_1")

    field = engineer.page.locator(".json li", has_text="note:").first
    assert field.locator(".v-string").first.inner_text() == json.dumps('["not a list, really a string"]')
    field.locator("summary").first.click()
    assert field.get_by_text('"not a list, really a string"', exact=True).is_visible()


def test_the_corrected_call_is_linked(engineer: Person) -> None:
    engineer.opens("/c/call_plan_1")

    engineer.page.get_by_label("Corrected by").get_by_role("table").get_by_role(
        "link", name="plan_tasks"
    ).click()

    engineer.page.wait_for_url("**/calls/*")
    assert "succeeded" in engineer.page.locator(".said").inner_text()


def test_what_happened_stands_beside_what_the_model_was_told(engineer: Person) -> None:
    engineer.opens("/c/call_charge_8Kd2")

    happened, told = engineer.page.get_by_label("Truth and telling").locator(".sided > div").all_inner_texts()
    assert "no answer from the gateway" in happened
    assert "Payment service unavailable" in told
    assert "gateway" not in told


def test_ones_own_frames_are_open_and_those_of_libraries_folded(engineer: Person) -> None:
    engineer.opens("/c/call_charge_8Kd2")

    assert engineer.page.get_by_text("/app/shop/gateway.py:17 in charge").is_visible()
    assert not engineer.page.get_by_text("tool_node.py:812").is_visible()
    engineer.page.get_by_text("2 frames in langgraph, langchain_core").click()
    assert engineer.page.get_by_text("tool_node.py:812").is_visible()


def test_a_huge_value_is_a_preview_with_all_of_it_one_click_away(engineer: Person) -> None:
    engineer.opens("/c/call_big_1")
    assert len(engineer.page.content()) < 60_000

    href = engineer.page.get_by_role("link", name="Show all").first.get_attribute("href")

    answer = engineer.page.request.get(f"{engineer.server.url}{href}")
    assert len(json.loads(answer.text())) == 2_500
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"


def test_payloads_never_become_markup(engineer: Person) -> None:
    engineer.opens("/c/call_evil_1")

    assert "<script>alert(1)</script>" in engineer.reads()
    assert engineer.page.locator("main script, main img, main a[href^='javascript']").count() == 0
    engineer.page.locator(".verdict .facts").get_by_role("link", name="<b>bold</b>").click()
    engineer.page.wait_for_url("**/threads/*")
    assert "<b>bold</b>" in engineer.reads()


def test_text_of_every_script_is_shown_as_it_is(engineer: Person) -> None:
    engineer.opens("/c/call_語_1")

    text = engineer.reads()
    assert all(
        part in text
        for part in ("天気を調べる", "京都の天気はどうですか", "ما هو الطقس في القاهرة", "👩🏽‍🚀🌧️")
    )


def test_a_secret_is_marked_and_not_shown(engineer: Person) -> None:
    engineer.opens("/c/call_p11")

    assert "Fake-Pa55-phrase" not in engineer.page.content()
    assert engineer.page.locator("mark.masked").count() > 0
    assert engineer.page.get_by_role("heading", name="Redacted").is_visible()


def test_the_link_can_be_copied(new_person: NewPerson, full_server: Server) -> None:
    person = new_person(full_server, permissions=["clipboard-read", "clipboard-write"])
    person.opens("/c/call_mail_77")

    person.page.get_by_role("button", name="Copy link").click()

    person.page.get_by_role("button", name="Copied").wait_for()
    assert person.page.evaluate("navigator.clipboard.readText()") == person.page.url


def test_an_unknown_id_says_what_was_tried(engineer: Person) -> None:
    engineer.opens("/")

    engineer.pastes("call_that_never_was_9")

    assert "as an id: call_that_never_was_9" in engineer.reads()


def test_an_id_used_twice_lists_both(engineer: Person) -> None:
    engineer.opens("/")

    engineer.pastes("call_w0")

    assert engineer.page.locator("a.row-link .tool").all_inner_texts() == ["get_weather", "find_room"]


def test_arguments_that_are_no_json_say_where_they_break(engineer: Person) -> None:
    engineer.opens("/c/call_p07")

    assert "are not JSON" in engineer.page.locator(".said").inner_text()
    arguments = engineer.page.locator(".sided", has_text="As the model wrote them").inner_text()
    assert '{"title": "Q3", "body": "line one" "line two"}' in arguments
    assert "column 36" in arguments
