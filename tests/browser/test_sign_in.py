"""A server with an API key asks for it once."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser.conftest import NewPerson
from tests.browser.serving import Server, Serving


@pytest.fixture
def locked_server(tmp_path: Path) -> Iterator[Server]:
    with Serving(tmp_path, api_key="an-invented-key") as server:
        yield server


def test_the_key_leads_to_the_page_one_wanted(new_person: NewPerson, locked_server: Server) -> None:
    person = new_person(locked_server)
    person.opens("/calls?tool=pay")
    assert person.path().startswith("/login?")

    person.page.get_by_label("API key").fill("an-invented-key")
    with person.page.expect_navigation():
        person.page.keyboard.press("Enter")
    assert person.path() == "/calls?tool=pay"

    person.opens("/tools")
    assert person.path() == "/tools"


def test_a_wrong_key_is_refused_in_words(new_person: NewPerson, locked_server: Server) -> None:
    person = new_person(locked_server)
    person.opens("/")

    person.page.get_by_label("API key").fill("another-key")
    with person.page.expect_navigation():
        person.page.keyboard.press("Enter")

    assert "not one of this server's keys" in person.page.get_by_role("alert").inner_text()
    person.troubles.clear()  # the browser itself reports the status on its console
