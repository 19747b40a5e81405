"""Forms of other versions and SDKs than those that are recorded, one span each."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolwatch_server.domain.clues import Asked, Clue, Told, ToolRun, Turn
from toolwatch_server.domain.span import Event, Span
from toolwatch_server.ingest.chat import asked_in, news_in
from toolwatch_server.ingest.dialects import read_span
from toolwatch_server.ingest.results import result_of

NOON = 1_767_268_800_000_000_000
PARIS = '{"city": "Paris"}'


def span(attributes: dict[str, Any], name: str = "x", **fields: Any) -> Span:
    given: dict[str, Any] = {
        "trace_id": "a" * 32, "span_id": "1" * 16, "parent_span_id": "", "name": name, "kind": 1,
        "start_ns": NOON, "end_ns": NOON + 5_000_000, "status_code": 0, "status_message": "",
        "attributes": attributes,
    }  # fmt: skip
    return Span(**{**given, **fields})


def clue(attributes: dict[str, Any], name: str = "x", **fields: Any) -> Clue:
    (found,) = read_span(span(attributes, name, **fields)).clues
    return found


def run(attributes: dict[str, Any], name: str = "x", **fields: Any) -> ToolRun:
    found = clue(attributes, name, **fields).run
    assert found is not None
    return found


def turn(attributes: dict[str, Any], name: str = "x", **fields: Any) -> Turn:
    found = clue(attributes, name, **fields).turn
    assert found is not None
    return found


def raised(type_: str, message: str, stack: str = "") -> tuple[Event, ...]:
    told = {"exception.type": type_, "exception.message": message, "exception.stacktrace": stack}
    return (Event(name="exception", time_ns=NOON, attributes=told),)


@pytest.mark.parametrize(
    ("attributes", "name"),
    [
        ({"gen_ai.tool.name": "get_weather", "gen_ai.tool.call.id": "c1", "gen_ai.tool.call.arguments": {"city": "Paris"}}, "execute_tool get_weather"),
        ({"openinference.span.kind": "TOOL", "tool.name": "get_weather", "tool_call.id": "c1", "input.value": PARIS}, "x"),
        ({"traceloop.span.kind": "tool", "traceloop.entity.name": "get_weather", "traceloop.entity.input": '{"inputs": {"city": "Paris"}, "kwargs": {"tool_call_id": "c1"}}'}, "x"),
        ({"langfuse.observation.type": "tool", "langfuse.observation.metadata.tool_call_id": "c1", "langfuse.observation.input": {"city": "Paris"}}, "get_weather"),
        ({"mlflow.spanType": '"TOOL"', "tool_call_id": '"c1"', "mlflow.spanInputs": PARIS}, "get_weather"),
        ({"ai.operationId": "ai.toolCall", "ai.toolCall.name": "get_weather", "ai.toolCall.id": "c1", "ai.toolCall.input": PARIS}, "x"),
        ({"langsmith.span.kind": "tool", "gen_ai.tool.call.id": "c1", "gen_ai.prompt": '{"input": "{\'city\': \'Paris\'}"}'}, "get_weather"),
        ({"spring.ai.tool.definition.name": "get_weather", "tool_call_id": "c1", "spring.ai.tool.call.arguments": PARIS}, "tool_call get_weather"),
        ({"tool_name": "get_weather", "tool_use_id": "c1", "tool_input": PARIS}, "claude_code.tool"),
    ],
)  # fmt: skip
def test_a_run_is_read_with_tool_id_and_arguments(attributes: dict[str, Any], name: str) -> None:
    found = run(attributes, name)

    assert (found.tool, found.tool_call_id, found.outcome) == ("get_weather", "c1", "ok")
    assert json.loads(found.arguments or "") == {"city": "Paris"}


@pytest.mark.parametrize(
    ("attributes", "name", "fields"),
    [
        ({"http.request.method": "POST"}, "POST /tools", {}),
        ({"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "(merged tools)"}, "execute_tool (merged)", {}),
        ({"tools": ["a", "b"]}, "running tools", {"scope_name": "pydantic-ai"}),
        ({"mcp.method.name": "tools/list"}, "MCP send tools/list", {}),
        ({"traceloop.span.kind": "task", "traceloop.entity.name": "tools"}, "tools.task", {}),
        ({"openinference.span.kind": "CHAIN"}, "tools", {}),
        ({"gen_ai.operation.name": "create_agent"}, "create_agent x", {}),
        ({"function.name": "handler"}, "GET /weather", {}),
        ({"tool.name": "hammer"}, "list hammers", {}),
    ],
)  # fmt: skip
def test_what_only_looks_like_a_tool_is_none(attributes: dict[str, Any], name: str, fields: Any) -> None:
    assert [c for c in read_span(span(attributes, name, **fields)).clues if c.run or c.turn] == []


ASKED = (Asked(tool_call_id="c1", tool="get_weather", arguments='{"city":"Paris"}'),)


@pytest.mark.parametrize(
    "output",
    [
        [{"role": "assistant", "parts": [{"type": "tool_call", "id": "c1", "name": "get_weather", "arguments": {"city": "Paris"}}]}],
        {"role": "assistant", "tool_calls": [{"id": "c1", "function": {"name": "get_weather", "arguments": '{"city":"Paris"}'}}]},
        {"choices": [{"message": {"tool_calls": [{"id": "c1", "function": {"name": "get_weather", "arguments": '{"city":"Paris"}'}}]}}]},
        {"type": "ai", "content": "", "tool_calls": [{"id": "c1", "name": "get_weather", "args": {"city": "Paris"}}]},
        {"generations": [[{"message": {"lc": 1, "type": "constructor", "id": ["x", "AIMessage"], "kwargs": {"tool_calls": [{"id": "c1", "name": "get_weather", "args": {"city": "Paris"}}]}}}]]},
        {"role": "assistant", "content": [{"type": "text", "text": "I will"}, {"type": "tool_use", "id": "c1", "name": "get_weather", "input": {"city": "Paris"}}]},
        {"role": "assistant", "content": [{"type": "tool-call", "toolCallId": "c1", "toolName": "get_weather", "args": {"city": "Paris"}}]},
        {"candidates": [{"content": {"role": "model", "parts": [{"functionCall": {"id": "c1", "name": "get_weather", "args": {"city": "Paris"}}}]}}]},
        {"output": {"message": {"role": "assistant", "content": [{"toolUse": {"toolUseId": "c1", "name": "get_weather", "input": {"city": "Paris"}}}]}}},
        {"output": [{"type": "function_call", "call_id": "c1", "id": "fc_1", "name": "get_weather", "arguments": '{"city":"Paris"}'}]},
        [{"kind": "response", "parts": [{"part_kind": "tool-call", "tool_name": "get_weather", "args": '{"city":"Paris"}', "tool_call_id": "c1"}]}],
    ],
)  # fmt: skip
def test_what_a_model_asks_for_is_read_in_every_form(output: Any) -> None:
    assert (
        turn(
            {"langfuse.observation.type": "generation", "langfuse.observation.output": json.dumps(output)}
        ).asked
        == ASKED
    )


@pytest.mark.parametrize(
    "message",
    [
        {"role": "tool", "tool_call_id": "c1", "content": "sunny"},
        {"role": "tool", "tool_call_id": "c1", "content": [{"type": "text", "text": "sunny"}]},
        {"role": "tool", "parts": [{"type": "tool_call_response", "id": "c1", "response": "sunny"}]},
        {"role": "user", "parts": [{"type": "tool_call_response", "id": "c1", "result": "sunny"}]},
        {"type": "tool", "tool_call_id": "c1", "content": "sunny", "status": "success"},
        {"lc": 1, "type": "constructor", "id": ["x", "ToolMessage"], "kwargs": {"tool_call_id": "c1", "content": "sunny"}},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": [{"type": "text", "text": "sunny"}]}]},
        {"role": "tool", "content": [{"type": "tool-result", "toolCallId": "c1", "output": {"type": "text", "value": "sunny"}}]},
        {"role": "tool", "content": [{"type": "tool-result", "toolCallId": "c1", "result": "sunny"}]},
        {"type": "function_call_output", "call_id": "c1", "output": "sunny"},
        {"role": "user", "content": [{"toolResult": {"toolUseId": "c1", "status": "success", "content": [{"text": "sunny"}]}}]},
        {"event.name": "gen_ai.tool.message", "id": "c1", "role": "tool", "content": "sunny"},
    ],
)  # fmt: skip
def test_what_a_model_is_told_is_read_in_every_form(message: Any) -> None:
    prompt = json.dumps([{"role": "user", "content": "hi"}, message])
    told = turn({"langfuse.observation.type": "generation", "langfuse.observation.input": prompt}).told

    assert [(t.tool_call_id, t.content, t.failed) for t in told] == [("c1", "sunny", None)]


def test_old_openllmetry_and_openinference_number_their_messages() -> None:
    old = turn({
        "llm.request.type": "chat",
        "gen_ai.completion.0.role": "assistant",
        "gen_ai.completion.0.tool_calls.0.id": "c1",
        "gen_ai.completion.0.tool_calls.0.name": "get_weather",
        "gen_ai.completion.0.tool_calls.0.arguments": '{"city":"Paris"}',
        "gen_ai.prompt.0.role": "tool",
        "gen_ai.prompt.0.tool_call_id": "c0",
        "gen_ai.prompt.0.content": "rainy",
    })  # fmt: skip

    assert old.asked == ASKED
    assert old.told == (Told(tool_call_id="c0", content="rainy"),)


@pytest.mark.parametrize(
    ("fields", "outcome", "type_", "message"),
    [
        ({"events": raised("shop.Declined", "no money")}, "tool_error", "shop.Declined", "no money"),
        ({"status_code": 2, "status_message": "PaymentError('no money')"}, "tool_error", "PaymentError", "no money"),
        ({"status_code": 2, "status_message": "PaymentError: no money"}, "tool_error", "PaymentError", "no money"),
        ({"status_code": 2, "status_message": "Boom: it's \"odd\"('"}, "tool_error", "unknown", "Boom: it's \"odd\"('"),
        ({"status_code": 2, "status_message": "KeyError('a')Traceback (most recent call last):\n File x"}, "tool_error", "KeyError", "a"),
        ({"status_code": 2, "status_message": "Error running tool (non-fatal): {'tool_name': 'pay', 'error': 'no \"money\"'}"}, "tool_error", "unknown", 'no "money"'),
        ({"events": raised("Exception", "PaymentError('no money')Traceback (most recent call last):\n\nPaymentError: no money")}, "tool_error", "PaymentError", "no money"),
        ({"events": raised("langgraph.errors.GraphInterrupt", "(Interrupt(…),)"), "status_code": 1}, "interrupted", None, None),
        ({"status_code": 2, "events": raised("asyncio.CancelledError", "")}, "cancelled", "asyncio.CancelledError", ""),
        ({"status_code": 2, "events": raised("ValidationError", "1 validation error for get_weather\ncity\n  Field required")}, "invalid_args", "ValidationError", None),
        ({"status_code": 2, "events": raised("ValidationError", "1 validation error for get_weather_report")}, "tool_error", "ValidationError", None),
        ({"status_code": 2, "status_message": "Unknown tool: get_weather"}, "unknown_tool", "unknown", "Unknown tool: get_weather"),
        ({"status_code": 2}, "tool_error", "unknown", ""),
    ],
)  # fmt: skip
def test_a_failure_is_read_from_whatever_tells_it(
    fields: dict[str, Any], outcome: str, type_: str | None, message: str | None
) -> None:
    found = run({"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "get_weather"}, **fields)

    assert found.outcome == outcome
    assert (found.error.type if found.error else None) == type_
    assert message is None or (found.error is not None and found.error.message == message)


@pytest.mark.parametrize(
    ("result", "outcome", "text"),
    [
        ('{"content": [{"type": "text", "text": "no money"}], "isError": true}', "tool_error", "no money"),
        ('{"content": [{"type": "text", "text": "sunny"}], "isError": false}', "ok", "sunny"),
        ('{"type": "tool", "data": {"content": "no money", "status": "error", "tool_call_id": "c"}}', "tool_error", "no money"),
        ('{"error": "no money"}', "tool_error", "no money"),
        ('{"error": null, "temperature": 21}', "ok", '{"error": null, "temperature": 21}'),
        ('{"content": "a blog", "status": "draft"}', "ok", '{"content": "a blog", "status": "draft"}'),
        ('"sunny"', "ok", "sunny"),
        ("sunny", "ok", "sunny"),
        ("21", "ok", "21"),
        ("[1, 2]", "ok", "[1, 2]"),
    ],
)  # fmt: skip
def test_a_failure_hidden_under_a_good_status_is_a_failure_and_a_tools_own_object_is_left_alone(
    result: str, outcome: str, text: str
) -> None:
    found = run({
        "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "pay", "gen_ai.tool.call.result": result,
    }, status_code=1)  # fmt: skip

    assert found.outcome == outcome
    assert (found.error.message if found.error else found.result) == text


@pytest.mark.parametrize(
    "strange", [None, 3, True, "", "{", '{"a": ', "[[[", ["x", None, 3], {"a": [1]}, b"\xff", '"' * 9]
)
@pytest.mark.parametrize(
    "names",
    [
        ("openinference.span.kind", "tool.name", "input.value", "output.value"),
        ("traceloop.span.kind", "traceloop.entity.input", "traceloop.entity.output", "gen_ai.tool.name"),
        ("mlflow.spanType", "mlflow.spanInputs", "mlflow.spanOutputs", "tool_call_id"),
        ("langfuse.observation.type", "langfuse.observation.input", "langfuse.observation.output", "metadata"),
        ("gen_ai.operation.name", "gen_ai.tool.name", "gen_ai.input.messages", "gen_ai.output.messages"),
        ("tool_name", "tool_call_id", "tool_input", "tool_result"),
    ],
)  # fmt: skip
def test_strange_values_are_not_said_and_never_an_error(strange: Any, names: tuple[str, ...]) -> None:
    kinds = {"openinference.span.kind": "LLM", "mlflow.spanType": '"TOOL"', "traceloop.span.kind": "tool"}
    kinds |= {"langfuse.observation.type": "generation", "gen_ai.operation.name": "chat"}
    first, *others = names

    read_span(span({first: strange, **dict.fromkeys(others, strange)}))
    read_span(span({first: kinds.get(first, "pay"), **dict.fromkeys(others, strange)}))


FIELDS = st.sampled_from([
    "role", "type", "content", "parts", "tool_calls", "message", "kwargs", "data", "lc", "id", "name", "status",
    "function", "arguments", "args", "tool_call_id", "output", "value", "toolCallId", "is_error", "isError", "error",
    "functionCall", "toolUse", "toolResult", "messages", "choices", "raw_output", "tool_output", "part_kind",
])  # fmt: skip
WORDS = st.sampled_from(
    ["assistant", "tool", "tool_call", "tool-result", "tool_result", "c1", "", "{", '{"a": 1}', "1"]
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(FIELDS, inner, max_size=4),
    max_leaves=20,
)


@given(VALUES)
@settings(max_examples=300, deadline=None)
def test_no_value_makes_a_reader_of_messages_fail(value: Any) -> None:
    for given_ in (value, json.dumps(value), [value], {"messages": [value]}):
        asked_in(given_), news_in(given_), result_of(given_)
