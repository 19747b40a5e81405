"""Calls as tests: each feeds a hand-made message with the call's arguments to a graph with the tool alone.

Nothing from a payload can become code: values are written by repr(), everything else stands in comments.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from toolwatch.redaction.marks import MARK

Json = Mapping[str, Any]
LONGEST_EXPECTED: Final = 2_000
_FRAME: Final = re.compile(r'File "([^"\n]{1,500})", line \d+, in (\w+)')
_UNFIT: Final = re.compile(r"[^a-z0-9]+")

_HEAD: Final = '''\
"""Made by Toolwatch from recorded calls; run it with pytest. It needs langgraph."""

import importlib
import json

import pytest
from langchain_core.messages import AIMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode

'''
_RUN: Final = '''

def find_tool(name):
    for place in TOOLS[name]:
        module, _, attribute = place.partition(":")
        try:
            return getattr(importlib.import_module(module), attribute)
        except (ImportError, AttributeError):
            continue
    pytest.fail(f"Fill in TOOLS[{name!r}]: none of {TOOLS[name]} can be imported.")


def run(name, arguments, tool_call_id):
    """The state of a graph whose only node is the tool, after a model has asked for it."""
    graph = StateGraph(MessagesState)
    graph.add_node("tools", ToolNode([find_tool(name)]))
    graph.add_edge(START, "tools")
    request = {"name": name, "args": arguments, "id": tool_call_id, "type": "tool_call"}
    messages = [AIMessage("", id="asked", tool_calls=[request])]
    config = {"configurable": {"thread_id": "test"}}
    return graph.compile(checkpointer=InMemorySaver()).invoke({"messages": messages}, config)
'''


def calls_pytest(calls: Sequence[Json]) -> str:
    """A module that pytest runs as it is where the tools can be imported; else it says what to fill in."""
    places: dict[str, list[str]] = {}
    for call in calls:
        found = places.setdefault(call["tool"] or "", [])
        found += [place for place in _places(call) if place not in found]
    tests = [line for number, call in enumerate(calls, 1) for line in _test(call, number)]
    told = [f"    {name!r}: {found or ['your_module:' + _slug(name)]!r}," for name, found in places.items()]
    where = "# Where each tool is, as module:name. The first that can be imported is taken."
    return _HEAD + "\n".join([where, "TOOLS = {", *told, "}"]) + "\n" + _RUN + "\n".join(tests) + "\n"


def _places(call: Json) -> list[str]:
    """Guesses from the stack: the file whose function is named like the tool, by longer and shorter names."""
    stack = (call["error"] or {}).get("stack") or ""
    files = [file for file, function in _FRAME.findall(stack) if function == call["tool"]]
    parts = [part for part in re.split(r"[/\\]", files[-1].removesuffix(".py")) if part] if files else []
    modules = [".".join(parts[-count:]) for count in range(min(4, len(parts)), 0, -1)]
    return [f"{name}:{call['tool']}" for name in modules if all(map(str.isidentifier, name.split(".")))]


def _test(call: Json, number: int) -> Iterator[str]:
    hidden: dict[str, str] = {}
    written = _literal(call["arguments"]["value"], "arguments", hidden)
    prefix = f"{_slug(call['tool'] or 'call')}_{number}"
    names = {path: f"redacted_{prefix}_{count}" for count, path in enumerate(hidden, 1)}
    for path, name in names.items():
        written = written.replace(_placeholder(path), name)
        yield from ("", "", "@pytest.fixture", f"def {name}():")
        yield f"    pytest.fail({f'Return a value for {path}: it was redacted when it was recorded.'!r})"
    yield from ("", "", f"def test_{prefix}({', '.join(names.values())}):")
    yield from (f"    # {_comment(line)}" for line in (call["verdict"], f"Call {call['key']}") if line)
    yield from (f"    {line}" for line in _body(call, written))


def _body(call: Json, written: str) -> Iterator[str]:
    raw, id_ = call["arguments"]["raw"], call["tool_call_id"]
    if call["outcome"] == "malformed":
        yield "# The model wrote this, and nothing could run: it should have been JSON."
        yield f"json.loads({raw or ''!r})"
        return
    if call["arguments"]["value"] is None:
        yield "# Fill in: the arguments were not recorded."
    if call["arguments"]["injected"]:
        yield f"# Not the model's, but the graph's: {_comment(', '.join(call['arguments']['injected']))}."
    yield f"state = run({call['tool'] or ''!r}, {written}, {id_ or 'call_test'!r})"
    yield from _expectation(call)


def _expectation(call: Json) -> Iterator[str]:
    if call["outcome"] == "interrupted":
        yield 'assert state["__interrupt__"]'
        return
    if call["outcome"] == "invalid_args":
        yield '# If the tool is right to refuse these arguments, expect "error" here.'
    yield 'answer = state["messages"][-1]'
    yield 'assert answer.status == "success", answer.content'
    content = call["result"] if call["answer"]["content"] is None else call["answer"]["content"]
    exact = content is not None and len(content) <= LONGEST_EXPECTED and not MARK.search(content)
    if call["outcome"] == "ok" and exact and not call["answer"]["truncated"]:
        yield f"assert answer.content == {content!r}"


def _literal(value: Any, path: str, hidden: dict[str, str]) -> str:
    """Python source of a JSON value; a redacted text becomes the name of a fixture."""
    if isinstance(value, Mapping):
        items = (f"{name!r}: {_literal(item, f'{path}.{name}', hidden)}" for name, item in value.items())
        return "{" + ", ".join(items) + "}"
    if isinstance(value, list | tuple):
        items = (_literal(item, f"{path}.{place}", hidden) for place, item in enumerate(value))
        return "[" + ", ".join(items) + "]"
    if isinstance(value, str) and MARK.search(value):
        hidden[path] = value
        return _placeholder(path)
    return "{}" if value is None and path == "arguments" else repr(value)


def _placeholder(path: str) -> str:
    """Cannot stand in a repr(): those hold no NUL."""
    return f"\0{json.dumps(path)}\0"


def _slug(text: str) -> str:
    return _UNFIT.sub("_", text.lower()).strip("_")[:60] or "tool"


def _comment(text: str) -> str:
    """One line, printable."""
    return " ".join("".join(ch if ch.isprintable() else " " for ch in text).split())[:300]
