"""Awkward text is stored on both databases, is shown as itself, and never becomes markup."""

import json
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any
from urllib.parse import quote

import pytest
from langchain_core.tools import tool

from tests import postgres
from tests.cases.watching import Case, watching
from tests.scenarios.product import Product, serving
from tests.scenarios.programs.kit import HI, ai, call, loop

NAME = "見積もり"
ARGS = {"顧客": "株式会社サンプル", "q": "naïve façade 🙂"}
RESULT = (
    "結果: 良好\x00 <img src=x onerror=alert(1)><script>document.title='x'</script>"
    "\ud83d {{7*7}} ](javascript:alert(1))"
)
SHOWN = RESULT.replace("\x00", "\ufffd").replace("\ud83d", "\ufffd")


@pytest.fixture(scope="module")
def on_postgresql(postgresql_server: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    log = tmp_path_factory.mktemp("p18") / "server.log"
    with postgres.new_database(postgresql_server) as url, serving(url, log) as running:
        yield running


@pytest.fixture(scope="module", params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgresql)])
def case(request: pytest.FixtureRequest) -> Case:
    database = "product" if request.param == "sqlite" else "on_postgresql"

    @tool(NAME)
    def quotation(**words: str) -> str:
        """Quotation."""
        return RESULT

    with watching(request.getfixturevalue(database), "p18") as case:
        loop([quotation], ai(call(NAME, ARGS, "call_p18")))[0].invoke(HI)
    return case


@pytest.fixture
def told(case: Case) -> Any:
    return case.call("call_p18")


def test_the_same_visible_text_is_stored_on_both(told: Any) -> None:
    assert (told["tool"], told["outcome"]) == (NAME, "ok")
    assert told["arguments"]["value"] == ARGS
    assert told["answer"]["content"] == SHOWN


def test_pages_lists_and_exports_hold_real_characters(case: Case, told: Any) -> None:
    trace = f"/api/v1/traces/{told['trace_id']}/export?format=otlp-json"
    key = told["key"]
    for path in (f"/calls/{key}", "/calls?service=p18", f"/api/v1/calls/{key}/export?format=json", trace):
        text = case.product.page(path)
        assert NAME in text, path
        assert "良好" in text, path
        assert "\\u" not in text, path


def test_a_search_finds_a_word_of_the_result(case: Case, told: Any) -> None:
    assert [c["key"] for c in case.calls(q="良好")] == [told["key"]]
    assert f"/calls/{told['key']}" in case.product.page("/find", q="良好")


class _Elements(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        handlers = [name for name, _ in attrs if name.startswith("on")]
        links = [value or "" for name, value in attrs if name in {"href", "src"}]
        if tag == "img" or handlers or any(link.strip().startswith("javascript:") for link in links):
            self.found.append(self.get_starttag_text() or tag)


def test_nothing_in_the_text_becomes_an_element_or_a_handler(case: Case, told: Any) -> None:
    for path in (
        f"/calls/{told['key']}",
        "/calls?service=p18",
        f"/traces/{told['trace_id']}",
        "/find?q=onerror",
    ):
        page = case.product.page(path)
        elements = _Elements()
        elements.feed(page)
        assert elements.found == [], path
        assert "document.title='x'</script>" not in page, path


def test_a_template_in_the_text_is_not_filled_in(case: Case, told: Any) -> None:
    assert "{{7*7}}" in case.page(told)


def test_the_name_of_the_tool_works_in_addresses_and_filters(case: Case, told: Any) -> None:
    assert NAME in case.product.page(f"/tools/{quote(NAME)}")
    assert [c["key"] for c in case.calls(tool=NAME)] == [told["key"]]
    assert f"/calls/{told['key']}" in case.product.page("/calls", tool=NAME)


def test_the_json_export_is_json(case: Case, told: Any) -> None:
    exported = json.loads(case.product.page(f"/api/v1/calls/{told['key']}/export", format="json"))
    assert SHOWN in json.dumps(exported, ensure_ascii=False)
