"""A secret in an exception reaches neither the database nor anybody who looks, on whichever path it came."""

import base64
import re
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from langchain_core.tools import tool

from tests.cases.watching import Case, codes, watching
from tests.scenarios.product import Product
from tests.scenarios.programs.kit import HI, ai, call, loop, on_thread
from tests.scenarios.programs.outcome import outcome

PASSWORD, TOKEN = "Fake-Pa55-phrase", "FAKEtoken0123456789abcdefFAKE"
TEXT = (
    f"could not connect: postgres://svc_orders:{PASSWORD}@db.example.test:5432/orders "
    f"(Authorization: Bearer {TOKEN})"
)
WAYS: dict[str, Any] = {
    "unhandled": {},
    "handled": {"handle_tool_errors": True},
    "masked": {"handle_tool_errors": "Orders are not available."},
}


def _run(product: Product, way: str) -> Case:
    @tool
    def export_orders(month: str) -> str:
        """Export."""
        raise RuntimeError(TEXT)

    with watching(product, f"p11-{way}") as case:
        graph, _ = loop(
            [export_orders], ai(call("export_orders", {"month": "2031-02"}, "call_p11")), **WAYS[way]
        )
        outcome(lambda: graph.invoke(HI, on_thread(None, f"p11-{way}")))
    return case


@pytest.fixture(scope="module", params=sorted(WAYS))
def case(request: pytest.FixtureRequest, product: Product) -> Case:
    return _run(product, request.param)


def _forms(secret: str) -> list[str]:
    """The secret, and how it looks encoded; of base64 the part that does not depend on its neighbours."""
    shifted = [base64.b64encode(b" " * n + secret.encode()).decode()[4:-4] for n in range(3)]
    return [secret, quote(secret), *shifted]


def _everything_shown(case: Case) -> dict[str, str]:
    told = case.call("call_p11")
    trace, key = told["trace_id"], told["key"]
    paths = [
        f"/calls/{key}", f"/traces/{trace}", f"/threads/{case.service}", "/calls", "/errors", "/tools",
        "/tools/export_orders", "/", "/find?q=call_p11", "/find?q=svc_orders", "/c/call_p11",
        f"/api/v1/calls/{key}", "/api/v1/calls?q=svc_orders", f"/api/v1/traces/{trace}",
        f"/api/v1/threads/{case.service}", f"/api/v1/calls/{key}/export?format=json",
        f"/api/v1/calls/{key}/export?format=text", f"/api/v1/traces/{trace}/export?format=otlp-json",
        f"/api/v1/traces/{trace}/export?format=text", "/api/v1/tools/export_orders",
    ]  # fmt: skip
    return {path: case.product.page(path) for path in paths}


def test_neither_secret_is_shown_anywhere_in_any_form(case: Case) -> None:
    for path, text in _everything_shown(case).items():
        assert [f for s in (PASSWORD, TOKEN) for f in _forms(s) if f in text] == [], path


def test_neither_secret_is_in_the_database_or_in_the_log(case: Case, home: Path) -> None:
    for file in home.iterdir():
        data = file.read_bytes()
        assert [f for s in (PASSWORD, TOKEN) for f in _forms(s) if f.encode() in data] == [], file.name


def test_where_it_tried_to_connect_remains_readable(case: Case) -> None:
    message = case.call("call_p11")["error"]["message"]
    assert "svc_orders" in message
    assert "db.example.test:5432/orders" in message


def test_a_mark_says_that_something_was_removed_and_by_which_rule(case: Case) -> None:
    told = case.call("call_p11")
    marks = [mark for mark in told["redactions"] if mark["where"] == "error"]
    assert len({mark["rule"] for mark in marks}) >= 2
    page = case.page(told)
    assert all(mark["rule"] in page for mark in marks)


def test_the_call_failed_once_however_it_was_handled(case: Case) -> None:
    told = case.call("call_p11")
    assert (told["outcome"], told["executions"]) == ("tool_error", 1)
    assert told["handled_by"] == (None if case.service == "p11-unhandled" else "toolnode")


def test_only_the_model_that_was_handed_the_secret_is_said_to_have_it(case: Case) -> None:
    assert ("secret_reached_model" in codes(case.call("call_p11"))) == (case.service == "p11-handled")


def test_a_masked_error_is_shown_beside_what_the_model_was_told(product: Product) -> None:
    told = _run(product, "masked").calls()[-1]
    assert told["answer"]["content"] == "Orders are not available."
    assert re.match("could not connect: postgres://svc_orders:", told["error"]["message"])
    assert "error_masked" in codes(told)
