"""A real server with a believable past, and a real browser in front of it."""

import shutil
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from tests.browser.serving import Server, Serving
from tests.browser.stories import everything

CHROMIUM_ARGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking"]


@pytest.fixture(scope="session")
def full_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Everything that can happen has happened."""
    with Serving(tmp_path_factory.mktemp("full")) as server:
        server.send(*everything(time.time_ns()))
        yield server


@pytest.fixture
def new_server(tmp_path: Path) -> Iterator[Server]:
    """Nothing has arrived yet."""
    with Serving(tmp_path) as server:
        yield server


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    assert chromium, "these tests need Debian's chromium: make system"
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=chromium, args=CHROMIUM_ARGS)
        yield running
        running.close()


@dataclass
class Person:
    """Someone in front of the browser. troubles holds what the console complained of."""

    page: Page
    server: Server
    troubles: list[str] = field(default_factory=list)
    loads: list[str] = field(default_factory=list)

    def opens(self, path: str) -> None:
        self.page.goto(self.server.url + path)

    def pastes(self, text: str) -> None:
        """One paste into the search box, one Enter."""
        self.page.get_by_role("searchbox").fill(text)
        with self.page.expect_navigation():
            self.page.keyboard.press("Enter")

    def reads(self) -> str:
        return self.page.locator("main").inner_text()

    def path(self) -> str:
        return self.page.url.removeprefix(self.server.url)


NewPerson = Callable[..., Person]


@pytest.fixture
def new_person(browser: Browser) -> Iterator[NewPerson]:
    """People whose console must stay silent: no error, no violation of the content security policy."""
    contexts: list[BrowserContext] = []
    people: list[Person] = []

    def arrive(server: Server, **options: Any) -> Person:
        context = (
            browser.new_context(viewport={"width": 1366, "height": 768}, **options)
            if "viewport" not in options
            else browser.new_context(**options)
        )
        contexts.append(context)
        person = Person(context.new_page(), server)
        person.page.on(
            "console",
            lambda message: person.troubles.append(message.text) if message.type == "error" else None,
        )
        person.page.on("pageerror", lambda error: person.troubles.append(str(error)))
        person.page.on("load", lambda page: person.loads.append(page.url))
        people.append(person)
        return person

    yield arrive
    for context in contexts:
        context.close()
    assert [trouble for person in people for trouble in person.troubles] == []


@pytest.fixture
def engineer(new_person: NewPerson, full_server: Server) -> Person:
    return new_person(full_server)
