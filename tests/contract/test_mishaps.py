"""An error nobody foresaw: a page for people, JSON for programs, and for both the id of our log entry."""

import re
from collections.abc import Iterator

import httpx2
import pytest
from structlog.testing import capture_logs

from tests.live import Live, live

SECRET = "sk-live-4eC39HqLyjWDarjtT1zdp7dc"


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    with live(tmp_path_factory.mktemp("broken")) as server:

        def fail() -> None:
            raise ZeroDivisionError(SECRET)

        server.app.state.open_reader = fail
        server.app.state.api = None
        yield server


def asked(server: Live, path: str, accept: str) -> tuple[httpx2.Response, list[dict[str, object]]]:
    with capture_logs() as logged:
        answer = server.http.get(path, headers={"accept": accept})
    return answer, [dict(entry) for entry in logged]


@pytest.mark.parametrize(("path", "accept"), [("/calls", "text/html"), ("/api/v1/calls", "application/json")])
def test_the_id_on_the_screen_is_the_id_in_the_log(broken: Live, path: str, accept: str) -> None:
    answer, logged = asked(broken, path, accept)

    assert answer.status_code == 500
    assert answer.headers["content-type"].startswith(accept)
    said = re.search(r"wrong, under ([0-9a-f]{8})", answer.text)
    assert said is not None
    assert [entry["id"] for entry in logged if entry["event"] == "unexpected error"] == [said[1]]


def test_people_read_a_page_with_a_way_out(broken: Live) -> None:
    answer, _ = asked(broken, "/", "text/html")

    assert "Something broke in Toolwatch itself" in answer.text
    assert 'href="/status"' in answer.text
    assert answer.headers["content-security-policy"].startswith("default-src 'none'")


def test_neither_the_answer_nor_the_log_repeats_what_the_error_said(broken: Live) -> None:
    answer, logged = asked(broken, "/", "text/html")

    assert SECRET not in answer.text
    assert SECRET not in str(logged)
    assert "ZeroDivisionError" in str(logged)
