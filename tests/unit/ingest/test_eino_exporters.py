"""Eino by other exporters: what their spans say of calls."""

import json
from collections.abc import Mapping

from toolwatch_server.domain.clues import Asked, Told, ToolRun
from toolwatch_server.domain.span import Event, Span, Value
from toolwatch_server.ingest.dialects import eino_apmplus, eino_loongsuite

PAUSE = "interrupt signal: ID=7f, info: may I?"
PANIC = "panic error: out of cheese, \nstack: goroutine 7 [running]"


def span(attributes: Mapping[str, Value], *, error: str | None = None) -> Span:
    events = (Event(name="exception", time_ns=2, attributes={"exception.message": error}),) if error else ()
    return Span(
        trace_id="a" * 32,
        span_id="b" * 16,
        parent_span_id="c" * 16,
        name="weather",
        kind=3,
        start_ns=1,
        end_ns=2,
        status_code=2 if error else 0,
        status_message="",
        attributes=attributes,
        events=events,
    )


def apmplus(component: str, error: str | None = None, **content: object) -> Span:
    attributes = {"gen_ai.system": "eino", "runinfo.component": component, "runinfo.name": "weather"}
    texts = {
        f"gen_ai.{name}.0.content": json.dumps(value, ensure_ascii=False) for name, value in content.items()
    }
    return span(attributes | texts, error=error)


def loongsuite(operation: str, **attributes: str) -> Span:
    named = {key.replace("__", "."): value for key, value in attributes.items()}
    return span({"gen_ai.system": "eino", "gen_ai.operation.name": operation} | named)


def run_of(told: Span) -> ToolRun:
    assert eino_apmplus.recognises(told)
    (clue,) = eino_apmplus.read(told).clues
    assert clue.run is not None
    assert clue.origin.framework == "eino"
    return clue.run


def test_apmplus_tells_of_a_tool_with_its_arguments_and_result_out_of_their_quotes() -> None:
    run = run_of(apmplus("Tool", prompt='{"city":"Paris"}', completion="sunny"))

    assert run == ToolRun(tool="weather", arguments='{"city":"Paris"}', result="sunny")


def test_apmplus_marks_a_pause_as_an_error_and_it_is_none() -> None:
    run = run_of(apmplus("Tool", error=PAUSE, prompt="{}"))

    assert (run.outcome, run.error) == ("interrupted", None)


def test_a_panic_is_told_from_its_stack() -> None:
    run = run_of(apmplus("Tool", error=PANIC, prompt="{}"))

    assert run.outcome == "tool_error"
    assert run.error is not None
    assert (run.error.type, run.error.message) == ("panic", "out of cheese")
    assert run.error.stack == "goroutine 7 [running]"


def test_arguments_that_eino_cannot_decode_are_invalid() -> None:
    run = run_of(apmplus("Tool", error="[LocalFunc] failed to unmarshal arguments in json, toolName=weather"))

    assert run.outcome == "invalid_args"


def test_apmplus_tools_nodes_give_the_ids_back() -> None:
    asks = {
        "role": "assistant",
        "content": "",
        "tool_calls": [{"id": "c1", "function": {"name": "weather", "arguments": '{"city":"Paris"}'}}],
    }
    answers = [{"role": "tool", "content": "sunny", "tool_call_id": "c1", "tool_name": "weather"}]
    (clue,) = eino_apmplus.read(apmplus("ToolsNode", prompt=asks, completion=answers)).clues

    assert clue.run is None
    assert clue.ledger is not None
    assert clue.ledger.asked == (Asked(tool_call_id="c1", tool="weather", arguments='{"city":"Paris"}'),)
    (told,) = clue.ledger.told
    assert (told.tool_call_id, told.content) == ("c1", "sunny")


def test_what_is_neither_tool_nor_tools_node_nor_model_says_nothing_of_calls() -> None:
    assert eino_apmplus.read(apmplus("Graph", prompt="x")).clues == ()


def test_loongsuite_writes_the_whole_message_where_the_type_belongs() -> None:
    told = loongsuite("execute_tool", gen_ai__input__arguments="{}", error__type="no money left in the bank")
    assert eino_loongsuite.recognises(told)
    (clue,) = eino_loongsuite.read(told).clues

    assert clue.run is not None
    assert clue.run.outcome == "tool_error"
    assert clue.run.error is not None
    assert (clue.run.error.type, clue.run.error.message) == ("error", "no money left in the bank")


def test_loongsuite_tools_nodes_give_ids_and_names_back() -> None:
    told = span(
        {
            "gen_ai.system": "eino",
            "gen_ai.operation.name": "tool_node",
            "gen_ai.output.0.role": "tool",
            "gen_ai.output.0.tool_call_id": "c1",
            "gen_ai.output.0.tool_name": "weather",
        }
    )
    (clue,) = eino_loongsuite.read(told).clues

    assert clue.ledger is not None
    assert clue.ledger.asked == (Asked(tool_call_id="c1", tool="weather"),)
    assert clue.ledger.told == (Told(tool_call_id="c1", tool="weather"),)


def test_a_span_of_another_framework_is_left_to_others() -> None:
    other = span({"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "weather"})

    assert not eino_apmplus.recognises(other)
    assert not eino_loongsuite.recognises(other)
