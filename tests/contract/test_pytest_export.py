"""A recorded call as a test: it runs as it is, or says what to fill in."""

import ast
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.live import Live, live
from tests.otlp import a_tool_span, ids, request

TOOLS = '''
from langchain_core.tools import tool

BROKEN = True

@tool
def charge_card(order: str, token: str = "") -> str:
    """Charge a card."""
    if BROKEN:
        raise TimeoutError("no answer")
    return f"charged {order}"

@tool
def add(left: int, right: int) -> str:
    """Add two numbers."""
    return str(left + right)
'''
STACK = """Traceback (most recent call last):
  File "/srv/app/shop/{module}.py", line 9, in charge_card
    raise TimeoutError("no answer")
TimeoutError: no answer
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    with live(tmp_path_factory.mktemp("pytests")) as running:
        yield running


def exported(server: Live, tool: str, number: int, arguments: Any, **said: Any) -> str:
    """The test made from one recorded call."""
    more = {"gen_ai.tool.call.arguments": arguments if isinstance(arguments, str) else json.dumps(arguments)}
    span = a_tool_span(tool, f"call_{number}", **ids(number), more=more | said.pop("more", {}), **said)
    if module := said.get("failed"):
        event = span.events.add(name="exception")
        for name, text in (("type", "TimeoutError"), ("message", "no answer"), ("stacktrace", STACK)):
            pair = event.attributes.add(key=f"exception.{name}")
            pair.value.string_value = text.replace("{module}", module)
    assert server.send(request(span)).status_code == 200
    (call,) = server.calls(tool_call_id=f"call_{number}")
    return server.http.get(f"/api/v1/calls/{call['key']}/export", params={"format": "pytest"}).text


def ran(folder: Path, test: str, tools: str = TOOLS, package: str = "shop/cards.py") -> str:
    """What pytest says of the file, in a project that has the tools."""
    module = folder / package
    module.parent.mkdir(parents=True, exist_ok=True)
    module.write_text(tools)
    (folder / "test_made.py").write_text(test)
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:randomly",
        "--rootdir",
        str(folder),
        "test_made.py",
    ]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


def test_a_failing_call_becomes_a_test_that_fails_until_the_tool_is_mended(
    server: Live, tmp_path: Path
) -> None:
    test = exported(server, "charge_card", 1, {"order": "A-17"}, failed="cards")

    assert "TimeoutError: no answer" in ran(tmp_path, test)
    assert "1 passed" in ran(tmp_path, test, TOOLS.replace("BROKEN = True", "BROKEN = False"))


def test_a_call_that_went_well_must_answer_the_same_again(server: Live, tmp_path: Path) -> None:
    well = {"gen_ai.tool.call.result": "5"}
    test = exported(server, "add", 2, {"left": 2, "right": 3}, more=well).replace("your_module", "shop.cards")

    assert "1 passed" in ran(tmp_path, test)
    assert "1 failed" in ran(tmp_path, test, TOOLS.replace("left + right", "left - right"))


def test_a_tool_that_cannot_be_imported_is_named_with_the_line_to_fill_in(
    server: Live, tmp_path: Path
) -> None:
    test = exported(server, "charge_card", 3, {"order": "A-17"}, failed="elsewhere")

    said = ran(tmp_path, test)

    assert "Fill in TOOLS['charge_card']" in said
    assert "shop.elsewhere:charge_card" in said


def test_a_redacted_value_is_a_fixture_to_fill_in(server: Live, tmp_path: Path) -> None:
    arguments = {"order": "A-17", "token": "sk-abcdef0123456789abcdef0123456789"}
    test = exported(server, "charge_card", 4, arguments, failed="cards")
    filled = test.replace("    pytest.fail('Return", "    return 'a token'\n    pytest.fail('Return")

    assert "sk-abc" not in test
    assert "Return a value for arguments.token: it was redacted" in ran(tmp_path, test)
    assert "1 passed" in ran(tmp_path, filled, TOOLS.replace("BROKEN = True", "BROKEN = False"))


HOSTILE = '"""\nimport os; os.abort()\n\'\'\'\\ \x00\u2028 {__import__("os").abort()} \r\n# \U0001f600'


@pytest.mark.parametrize("place", ["tool", "arguments", "result", "both"])
def test_nothing_in_a_payload_becomes_code(server: Live, place: str) -> None:
    number = 10 + ["tool", "arguments", "result", "both"].index(place)
    tool = HOSTILE if place in ("tool", "both") else "add"
    arguments: Any = {HOSTILE: [HOSTILE, {"x": HOSTILE}]} if place in ("arguments", "both") else {}
    test = exported(server, tool, number, arguments, more={"gen_ai.tool.call.result": HOSTILE})

    tree = ast.parse(test)

    imported = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    called = {
        node.func.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    }
    assert imported == {"importlib", "json", "pytest"}
    assert "abort" not in called


def test_several_calls_become_one_file(server: Live) -> None:
    for number in (21, 22, 23):
        exported(server, "refund", number, {"order": number})

    text = server.http.get("/api/v1/calls/export", params={"format": "pytest", "tool": "refund"}).text

    functions = [node.name for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)]
    tests = [name for name in functions if name.startswith("test_")]
    assert len(tests) == len(set(tests)) == 3
