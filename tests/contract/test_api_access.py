"""Who gets in, and what other sites may not do."""

import base64
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from tests.live import Live, live
from tests.otlp import PROTOBUF, a_tool_span, request

KEY, OTHER = "first-key-of-two", "second-key"
HTML = {"accept": "text/html"}


@pytest.fixture(scope="module")
def locked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    with live(tmp_path_factory.mktemp("locked"), api_key=f"{KEY}, {OTHER}") as running:
        yield running


@pytest.fixture(scope="module")
def unlocked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    with live(tmp_path_factory.mktemp("unlocked"), allowed_hosts="toolwatch.example") as running:
        yield running


def basic(user: str, password: str) -> str:
    return "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()


@pytest.mark.parametrize(
    "headers",
    [
        {"authorization": f"Bearer {KEY}"},
        {"authorization": f"bearer {OTHER}"},
        {"x-api-key": OTHER},
        {"authorization": basic("pk-lf-1", KEY)},
        {"authorization": basic(KEY, "")},
    ],
    ids=str,
)
def test_any_of_the_keys_opens_ingest_and_api(locked: Live, headers: dict[str, str]) -> None:
    sent = locked.http.post(
        "/v1/traces", content=request(a_tool_span()), headers={"content-type": PROTOBUF, **headers}
    )

    assert sent.status_code == 200
    assert locked.http.get("/api/v1/calls", headers=headers).status_code == 200


@pytest.mark.parametrize("path", ["/v1/traces", "/v1/logs", "/v1/metrics", "/api/public/otel/v1/traces"])
def test_without_a_key_nothing_is_taken(locked: Live, path: str) -> None:
    missing = locked.send(b"", path=path)
    wrong = locked.send(b"", path=path, authorization="Bearer wrong")

    assert (missing.status_code, missing.headers["content-type"]) == (401, PROTOBUF)
    assert wrong.status_code == 403


@pytest.mark.parametrize("path", ["/api/v1/calls", "/api/v1/status", "/api/openapi.json", "/metrics"])
def test_without_a_key_nothing_is_told(locked: Live, path: str) -> None:
    answer = locked.http.get(path)

    assert answer.status_code == 401
    assert "API key" in answer.json()["error"]["message"]


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_health_needs_no_key(locked: Live, path: str) -> None:
    assert locked.http.get(path).status_code == 200


def test_people_are_asked_once_and_then_brought_to_where_they_wanted(locked: Live) -> None:
    with httpx2.Client(base_url=locked.address, headers=HTML) as person:
        asked = person.get("/calls?tool=pay")
        assert (asked.status_code, asked.headers["location"]) == (303, "/login?next=%2Fcalls%3Ftool%3Dpay")
        form = person.get(asked.headers["location"])
        assert 'name="key"' in form.text

        entered = person.post("/login", data={"key": KEY, "next": "/calls?tool=pay"})

        assert (entered.status_code, entered.headers["location"]) == (303, "/calls?tool=pay")
        cookie = entered.headers["set-cookie"]
        assert "HttpOnly" in cookie
        assert "SameSite=lax" in cookie
        assert KEY not in cookie
        assert person.get("/calls?tool=pay").status_code == 200


def test_a_wrong_key_is_asked_for_again(locked: Live) -> None:
    answer = locked.http.post("/login", data={"key": "wrong", "next": "/calls"})

    assert answer.status_code == 403
    assert "not one of this server" in answer.text
    assert "set-cookie" not in answer.headers


@pytest.mark.parametrize(
    "next", ["https://elsewhere.example/", "//elsewhere.example", "/\\elsewhere.example", ""]
)
def test_signing_in_leads_nowhere_else(locked: Live, next: str) -> None:
    answer = httpx2.post(f"{locked.address}/login", data={"key": KEY, "next": next})

    assert answer.headers["location"] == "/"


@pytest.mark.parametrize("cookie", ["", "1.2", "99999999999.0000", "x" * 5000, "9" * 30 + "."])
def test_a_session_cannot_be_made_up(locked: Live, cookie: str) -> None:
    answer = locked.http.get("/calls", headers={**HTML, "cookie": f"toolwatch_session={cookie}"})

    assert answer.status_code == 303


def test_a_part_of_a_page_sends_the_whole_page_to_the_login(locked: Live) -> None:
    answer = locked.http.get("/calls", headers={**HTML, "hx-request": "true"})

    assert (answer.status_code, answer.headers["hx-redirect"]) == (401, "/login?next=%2Fcalls")


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "", "localhost.evil.example:4318"]
)
def test_a_name_that_another_site_points_here_is_not_answered(unlocked: Live, host: str) -> None:
    answer = unlocked.http.get("/api/v1/calls", headers={"host": host})

    assert answer.status_code == 403
    assert "TOOLWATCH_ALLOWED_HOSTS" in answer.json()["error"]["message"]


@pytest.mark.parametrize(
    "host", ["localhost:4318", "127.0.0.1", "[::1]:4318", "Toolwatch.example", "app.localhost"]
)
def test_our_own_names_are_answered(unlocked: Live, host: str) -> None:
    assert unlocked.http.get("/api/v1/calls", headers={"host": host}).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
        {"origin": "https://evil.example"},
        {"origin": "null"},
    ],
    ids=str,
)
def test_another_site_can_neither_delete_nor_send(unlocked: Live, headers: dict[str, str]) -> None:
    assert unlocked.http.delete(f"/api/v1/traces/{1:032x}", headers=headers).status_code == 403
    assert unlocked.send(b"", **headers).status_code == 403


def test_our_own_pages_and_programs_may_delete(unlocked: Live) -> None:
    own = {"origin": unlocked.address, "sec-fetch-site": "same-origin"}

    assert unlocked.http.delete(f"/api/v1/traces/{1:032x}", headers=own).status_code == 404
    assert unlocked.http.delete(f"/api/v1/traces/{1:032x}").status_code == 404


@pytest.mark.parametrize("path", ["/", "/calls", "/api/docs", "/api/v1/calls", "/nowhere", "/healthz"])
def test_every_answer_carries_the_headers_that_protect_pages(unlocked: Live, path: str) -> None:
    headers = unlocked.http.get(path, headers=HTML).headers

    policy = headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self';")
    assert "unsafe" not in policy
    assert headers["x-content-type-options"] == "nosniff"


def test_a_new_key_ends_old_sessions(tmp_path: Path) -> None:
    with live(tmp_path, api_key="the-old-key") as before:
        cookie = (
            before.http.post("/login", data={"key": "the-old-key"}).headers["set-cookie"].partition(";")[0]
        )
        assert before.http.get("/calls", headers={**HTML, "cookie": cookie}).status_code == 200
    with live(tmp_path, api_key="the-new-key") as after:
        assert after.http.get("/calls", headers={**HTML, "cookie": cookie}).status_code == 303
