"""What is read from the plain GenAI conventions, as other people's SDKs send them."""

import json
from typing import TYPE_CHECKING, Any

import pytest

from toolwatch_server.domain.assemble import assemble
from toolwatch_server.domain.call import Call, Error
from toolwatch_server.domain.facts import Fact, Reading
from toolwatch_server.domain.link import link
from toolwatch_server.domain.span import Event, LogRecord, Span
from toolwatch_server.ingest.dialects import DIALECTS, genai, read_log, read_span

if TYPE_CHECKING:
    from toolwatch_server.domain.clues import Clue

TRACE, NOON = "a" * 32, 1_767_268_800_000_000_000


def span(attributes: dict[str, Any], **fields: Any) -> Span:
    given: dict[str, Any] = {
        "trace_id": TRACE, "span_id": "1" * 16, "parent_span_id": "", "name": "x", "kind": 1,
        "start_ns": NOON, "end_ns": NOON + 5_000_000, "status_code": 0, "status_message": "",
        "attributes": attributes,
    }  # fmt: skip
    return Span(**{**given, **fields})


def tool(tool_call_id: str | None = "call_1", more: dict[str, Any] | None = None, **fields: Any) -> Span:
    named = {} if tool_call_id is None else {"gen_ai.tool.call.id": tool_call_id}
    known = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "pay"}
    return span({**known, **named, **(more or {})}, **fields)


def chat(span_id: str, messages: dict[str, Any], at_ns: int = NOON) -> Span:
    listed = {f"gen_ai.{side}.messages": json.dumps(given) for side, given in messages.items()}
    return span(
        {"gen_ai.operation.name": "chat", **listed}, span_id=span_id, start_ns=at_ns, end_ns=at_ns + 1
    )


def calls(*readings: Reading) -> dict[str, Call]:
    facts: dict[str, list[Fact]] = {}
    traces: dict[str, list[Clue]] = {}
    for clue in (clue for reading in readings for clue in reading.clues):
        traces.setdefault(clue.origin.trace_id, []).append(clue)
    for clues in traces.values():
        for about in link(clues, {}).facts:
            facts.setdefault(about.call_key, []).append(about.fact)
    return {key: assemble(key, found, now_ns=NOON + 10**12) for key, found in facts.items()}


def only(*readings: Reading) -> Call:
    (call,) = calls(*readings).values()
    return call


def part(kind: str, **fields: Any) -> dict[str, Any]:
    return {"type": kind, **fields}


ASKED = [{"role": "assistant", "parts": [part("tool_call", id="call_1", name="pay", arguments={"order": 7})]}]
SHOWN = [*ASKED, {"role": "tool", "parts": [part("tool_call_response", id="call_1", response="paid")]}]


def test_a_tool_span_is_one_execution() -> None:
    call = only(
        read_span(
            tool(more={"gen_ai.tool.call.arguments": '{"order": 7}', "gen_ai.tool.call.result": "paid"})
        )
    )

    assert (call.outcome, call.executions, call.result, call.tool) == ("ok", 1, "paid", "pay")
    assert (call.arguments.value, call.duration_ms) == ({"order": 7}, 5.0)


def test_request_execution_and_what_the_model_saw_are_one_call() -> None:
    call = only(
        read_span(chat("2" * 16, {"output": ASKED})),
        read_span(tool(more={"gen_ai.tool.call.result": "paid"}, start_ns=NOON + 10)),
        read_span(chat("3" * 16, {"input": SHOWN}, NOON + 10**9)),
    )

    assert (call.requested_ns, call.told, call.seen_ns) == (NOON + 1, "paid", NOON + 10**9)
    assert (call.position, call.group and call.group.size) == (0, 1)


def test_history_that_a_prompt_repeats_is_not_told_again() -> None:
    later = [*SHOWN, {"role": "assistant", "parts": []}, {"role": "user", "parts": []}]

    assert calls(read_span(chat("4" * 16, {"input": later}))) == {}


def test_the_same_id_in_another_trace_is_another_call() -> None:
    assert len(calls(read_span(tool()), read_span(tool(trace_id="b" * 32)))) == 2


@pytest.mark.parametrize("unknown", [None, "", "<not specified>"])
def test_runs_without_an_id_stand_for_themselves(unknown: str | None) -> None:
    found = calls(read_span(tool(unknown)), read_span(tool(unknown, span_id="9" * 16)))

    assert [call.tool_call_id for call in found.values()] == [None, None]


def test_two_spans_of_one_id_are_two_attempts() -> None:
    first = tool(status_code=2, status_message="time-out", more={"error.type": "TimeoutError"})
    call = only(
        read_span(first), read_span(tool(span_id="2" * 16, start_ns=NOON + 10**9, end_ns=NOON + 2 * 10**9))
    )

    assert ([a.outcome for a in call.attempts], call.outcome) == (["tool_error", "ok"], "ok")


def test_an_exception_event_tells_the_error() -> None:
    told = {
        "exception.type": "shop.Declined",
        "exception.message": "no money",
        "exception.stacktrace": "File …",
    }

    call = only(
        read_span(tool(status_code=2, events=(Event(name="exception", time_ns=NOON, attributes=told),)))
    )

    assert call.error == Error(type="shop.Declined", message="no money", stack="File …")
    assert call.outcome == "tool_error"


@pytest.mark.parametrize(
    ("type_", "text", "outcome"),
    [
        ("langgraph.errors.GraphInterrupt", "ask a person", "interrupted"),
        ("asyncio.CancelledError", "", "cancelled"),
        (
            "pydantic_core.ValidationError",
            "1 validation error for pay\norder\n  Input should be …",
            "invalid_args",
        ),
        ("pydantic_core.ValidationError", "2 validation errors for Receipt", "tool_error"),
        ("_OTHER", "whatever", "tool_error"),
    ],
)
def test_the_kind_of_failure_is_told_by_its_type(type_: str, text: str, outcome: str) -> None:
    call = only(read_span(tool(status_code=2, status_message=text, more={"error.type": type_})))

    assert call.outcome == outcome
    assert call.executions == (0 if outcome == "invalid_args" else 1)


def test_a_call_that_only_the_model_spoke_of_is_not_said_to_have_run() -> None:
    call = only(read_span(chat("2" * 16, {"output": ASKED})), read_span(chat("3" * 16, {"input": SHOWN})))

    assert (call.outcome, call.executions, call.told) == ("answered", 0, "paid")


def test_a_tool_that_the_provider_runs_is_external() -> None:
    asked = [{"role": "assistant", "parts": [part("server_tool_call", id="ws_1", name="web_search")]}]

    assert only(read_span(chat("2" * 16, {"output": asked}))).outcome == "external"


def test_old_events_are_read_from_log_records() -> None:
    function = {"name": "pay", "arguments": '{"order": 7}'}
    choice = {"message": {"role": "assistant", "tool_calls": [{"id": "call_1", "function": function}]}}
    call = only(
        read_log(log("gen_ai.choice", choice)),
        read_log(log("gen_ai.tool.message", {"id": "call_1", "content": "paid"}, span_id="8" * 16)),
    )

    assert (call.tool, call.arguments.value, call.told) == ("pay", {"order": 7}, "paid")


def test_new_events_are_read_with_structured_values() -> None:
    details = log("gen_ai.client.inference.operation.details", None, {"gen_ai.output.messages": ASKED})

    assert only(read_log(details)).tool_call_id == "call_1"


def log(
    event: str, body: Any, attributes: dict[str, Any] | None = None, span_id: str = "7" * 16
) -> LogRecord:
    return LogRecord(
        trace_id=TRACE,
        span_id=span_id,
        event_name=event,
        time_ns=NOON,
        body=body,
        attributes=attributes or {},
    )


@pytest.mark.parametrize(
    "strange",
    [
        "not JSON", "[" * 50_000, "[1, null, {}]", '[{"parts": 5}]', '[{"parts": [{"type": "tool_call"}]}]',
        7, [7], None,
    ],
)  # fmt: skip
def test_messages_of_another_shape_are_passed_over(strange: Any) -> None:
    messages = {"gen_ai.input.messages": strange, "gen_ai.output.messages": strange}

    reading = read_span(span({"gen_ai.operation.name": "chat", **messages}))

    assert len(reading.facts) <= 1


def test_the_span_around_parallel_calls_is_no_call() -> None:
    assert read_span(tool(more={"gen_ai.tool.name": "(merged tools)"})) == Reading()


def test_what_nobody_recognises_says_nothing() -> None:
    assert read_span(span({"http.method": "GET"})) == Reading()


def test_our_own_records_are_read_by_our_own_dialect_first() -> None:
    own = tool(more={"toolwatch.record": "attempt"})

    assert genai.recognises(own)
    assert DIALECTS[0].recognises(own)
