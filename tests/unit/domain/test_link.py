"""How runs, requests and answers of other SDKs become calls, from the clues of a trace."""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolwatch_server.domain.assemble import assemble
from toolwatch_server.domain.call import Call, Error
from toolwatch_server.domain.clues import Asked, Clue, Told, ToolRun, Turn
from toolwatch_server.domain.facts import Fact, Origin
from toolwatch_server.domain.link import link
from toolwatch_server.domain.link_model import Elsewhere, Name, digest_of

NOON = 1_767_268_800_000_000_000
BOOM = Error(type="Timeout", message="too slow")


def at(ms: float) -> int:
    return NOON + round(ms * 1_000_000)


def clue(span_id: str, start_ms: float, end_ms: float, parent: str = "root", **said: Any) -> Clue:
    origin = Origin(trace_id="t1", span_id=span_id, thread_id=said.pop("thread", None))
    return Clue(origin=origin, parent_span_id=parent, start_ns=at(start_ms), end_ns=at(end_ms), **said)


def run(span_id: str, start_ms: float, end_ms: float, parent: str = "root", **said: Any) -> Clue:
    thread = said.pop("thread", None)
    return clue(span_id, start_ms, end_ms, parent, thread=thread, run=ToolRun(**{"tool": "pay", **said}))


def failed(span_id: str, start_ms: float, end_ms: float, **said: Any) -> Clue:
    return run(span_id, start_ms, end_ms, outcome="tool_error", error=BOOM, **said)


def asks(
    span_id: str, start_ms: float, *calls: tuple[str | None, Any], parent: str = "root", **said: Any
) -> Clue:
    asked = tuple(Asked(tool_call_id=id_, tool="pay", arguments=_json(args)) for id_, args in calls)
    return clue(span_id, start_ms, start_ms + 5, parent, turn=Turn(asked=asked, **said))


def told(span_id: str, start_ms: float, *answers: tuple[str, str], parent: str = "root") -> Clue:
    said = tuple(Told(tool_call_id=id_, content=text) for id_, text in answers)
    return clue(span_id, start_ms, start_ms + 5, parent, turn=Turn(told=said))


def _json(value: Any) -> str | None:
    return value if value is None or isinstance(value, str) else json.dumps(value)


def calls(*clues: Clue, elsewhere: Sequence[Elsewhere] = ()) -> list[Call]:
    """Oldest first."""
    facts: dict[str, list[Fact]] = {}
    for about in link(clues, {}, elsewhere).facts:
        facts.setdefault(about.call_key, []).append(about.fact)
    found = [assemble(key, said, now_ns=at(10**6)) for key, said in facts.items()]
    return sorted(found, key=lambda c: (c.requested_ns or c.started_ns or c.seen_ns or 0, c.position or 0))


def only(*clues: Clue) -> Call:
    (call,) = calls(*clues)
    return call


ONE = {"order": 1}
TWO = {"order": 2}


def test_a_run_without_an_id_gets_that_of_the_request_with_the_same_arguments() -> None:
    first, second = calls(
        asks("m", 0, ("a", ONE), ("b", TWO)),
        run("r2", 10, 20, arguments=_json(TWO), result="two"),
        run("r1", 10, 30, arguments=_json(ONE), result="one"),
    )

    assert (first.tool_call_id, first.result, first.linked_by) == ("a", "one", "name_and_arguments")
    assert (second.tool_call_id, second.result) == ("b", "two")


@pytest.mark.parametrize(
    ("given_arguments", "sole"),
    [("Paris", True), ('{"order": "Paris", "retries": 3}', False), ('{"order":"Paris"}', False)],
)
def test_the_only_argument_bare_and_defaults_that_were_added_fit_too(
    given_arguments: str, sole: bool
) -> None:
    call = only(
        asks("m", 0, ("a", {"order": "Paris"})),
        run("r", 10, 20, arguments=given_arguments, sole_argument=sole),
    )

    assert (call.tool_call_id, call.arguments.value) == ("a", {"order": "Paris"})


def test_other_arguments_are_another_call() -> None:
    asked, ran = calls(asks("m", 0, ("a", ONE)), run("r", 10, 20, arguments=_json(TWO)))

    assert (asked.outcome, asked.executions) == ("unknown", 0)
    assert (ran.tool_call_id, ran.linked_by) == (None, None)


def test_where_no_arguments_are_captured_order_decides_and_is_called_a_guess() -> None:
    first, second = calls(asks("m", 0, ("a", None), ("b", None)), run("r1", 10, 20), run("r2", 11, 15))

    assert [(c.tool_call_id, c.span_id, c.linked_by) for c in (first, second)] == [
        ("a", "r1", "order"), ("b", "r2", "order"),
    ]  # fmt: skip


def test_two_equal_calls_of_one_turn_are_two_calls() -> None:
    found = calls(
        asks("m", 0, ("a", ONE), ("b", ONE)),
        run("r1", 10, 20, arguments=_json(ONE)),
        run("r2", 10, 20, arguments=_json(ONE)),
    )

    assert [(c.tool_call_id, len(c.attempts)) for c in found] == [("a", 1), ("b", 1)]


def test_runs_after_a_failure_are_attempts_of_one_call() -> None:
    call = only(
        asks("m", 0, ("a", ONE)),
        failed("r1", 10, 20, arguments=_json(ONE)),
        failed("r2", 30, 40, arguments=_json(ONE)),
        run("r3", 50, 60, arguments=_json(ONE), tool_call_id="a", result="paid"),
    )

    assert [attempt.outcome for attempt in call.attempts] == ["tool_error", "tool_error", "ok"]
    assert (call.outcome, call.result) == ("ok", "paid")


def test_a_run_after_a_success_is_no_attempt_of_the_same_request() -> None:
    found = calls(
        asks("m", 0, ("a", ONE)),
        run("r1", 10, 20, arguments=_json(ONE)),
        run("r2", 30, 40, arguments=_json(ONE)),
    )

    assert [(c.tool_call_id, len(c.attempts)) for c in found] == [("a", 1), (None, 1)]


def test_an_id_that_is_given_again_in_a_later_turn_is_another_call() -> None:
    first, second = calls(
        asks("m1", 0, ("call_0", ONE)),
        run("r1", 10, 20, tool_call_id="call_0", result="one"),
        told("m2", 30, ("call_0", "one")),
        asks("m3", 40, ("call_0", TWO)),
        run("r2", 50, 60, tool_call_id="call_0", result="two"),
        told("m4", 70, ("call_0", "two")),
    )

    assert [(c.result, c.told, c.tool_call_id) for c in (first, second)] == [
        ("one", "one", "call_0"), ("two", "two", "call_0"),
    ]  # fmt: skip


def test_client_and_server_of_one_run_are_one_call_that_failed_where_the_server_says_so() -> None:
    client = run("client", 10, 50)
    server = failed("server", 20, 40, parent="client")

    call = only(client, server)

    assert (call.outcome, call.error, len(call.attempts)) == ("tool_error", BOOM, 1)
    assert (call.span_id, call.duration_ms) == ("client", 40.0)


def test_an_agent_used_as_a_tool_makes_calls_of_its_own_inside_that_call() -> None:
    inner, outer = sorted(
        calls(
            asks("m", 0, ("outer", ONE)),
            run("r", 10, 90, tool_call_id="outer"),
            clue("agent", 11, 80, "r", agent=True),
            asks("m2", 20, ("inner", TWO), parent="agent"),
            run("r2", 30, 40, "agent", tool_call_id="inner"),
        ),
        key=lambda c: c.tool_call_id or "",
    )

    assert (inner.tool_call_id, inner.parent_key) == ("inner", outer.key)
    assert outer.parent_key is None


def test_parallel_agents_that_use_the_same_ids_keep_their_own_calls() -> None:
    clues = [
        item
        for agent in ("x", "y")
        for item in (
            clue(agent, 0, 100, "root", agent=True),
            asks(f"m{agent}", 1, ("call_0", ONE), parent=agent),
            run(f"r{agent}", 10, 20, agent, tool_call_id="call_0", result=agent),
            told(f"n{agent}", 30, ("call_0", agent), parent=agent),
        )
    ]

    assert sorted((c.result, c.told) for c in calls(*clues)) == [("x", "x"), ("y", "y")]


def test_two_instrumentations_of_one_model_tell_of_one_request() -> None:
    call = only(asks("outer", 0, ("a", ONE)), asks("inner", 1, ("a", ONE), parent="outer"))

    assert call.tool_call_id == "a"


def test_a_request_without_a_run_is_a_call_whose_answer_stands_in_the_next_prompt() -> None:
    call = only(asks("m", 0, ("a", ONE)), told("n", 20, ("a", "paid")))

    assert (call.outcome, call.answer.content, call.executions) == ("answered", "paid", 0)


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("Error: no_such_tool is not a valid tool, try one of [pay].", "unknown_tool"),
        ("Error invoking tool 'pay' with kwargs {} with error:\n order: Field required", "invalid_args"),
        ("AI_InvalidToolInputError: Invalid input for tool pay: expected number", "invalid_args"),
        ("Error: Argument parsing failed. Exception: 1 validation error for pay_input", "invalid_args"),
        ("Error executing tool: gateway timeout", "tool_error"),
        ('{"error": "gateway timeout"}', "tool_error"),
        ("User rejected the tool call for `pay` with id a", "rejected"),
        ("The error rate is 3 %.", "answered"),
        ('{"error": null, "rate": 3}', "answered"),
        ('{"errors": 0}', "answered"),
    ],
)
def test_what_became_of_a_call_without_a_run_is_read_from_its_answer(text: str, outcome: str) -> None:
    assert only(asks("m", 0, ("a", ONE)), told("n", 20, ("a", text))).outcome == outcome


def test_arguments_that_are_no_json_are_malformed_unless_the_tool_ran() -> None:
    cut = '{"order": '

    assert only(asks("m", 0, ("a", cut))).outcome == "malformed"
    assert only(asks("m", 0, ("a", cut)), run("r", 10, 20, tool_call_id="a")).outcome == "ok"
    assert only(asks("m", 0, ("a", f"{cut}… [cut: 9000000 bytes in all]"))).outcome == "unknown"


def test_a_paused_call_goes_on_in_another_trace_of_its_conversation() -> None:
    def trace(span_id: str, start_ms: float, name: Name | None, **said: Any) -> tuple[Name, str]:
        before = () if name is None else (
            Elsewhere(
                call_key=name.call_key, scope=name.scope, at_ns=name.at_ns, tool=name.tool,
                tool_call_id=name.tool_call_id, arguments=name.arguments, open=name.open,
            ),
        )  # fmt: skip
        clues = [run(span_id, start_ms, start_ms + 5, thread="th", arguments=_json(ONE), **said)]
        if name is None:
            clues.append(asks("m", 0, ("a", ONE)))
        clues = [replace(c, origin=replace(c.origin, trace_id=span_id)) for c in clues]
        linked = link(clues, {}, before)
        return linked.names[0], linked.facts[0].call_key

    paused, key = trace("r1", 10, None, outcome="interrupted")
    assert (paused.open, paused.homeless) == (True, False)

    assert trace("r2", 20, paused, tool_call_id="a")[1] == key
    assert trace("r3", 20, paused)[1] == key  # without an id: by its arguments
    assert trace("r4", -5, paused, tool_call_id="a")[1] != key  # it was before
    assert digest_of(_json(ONE)) == paused.arguments


def test_a_conversation_is_inherited_by_all_below_and_by_siblings_when_only_one_is_named() -> None:
    agent = clue("agent", 0, 90, "root", agent=True, thread="thread-1")

    assert only(agent, run("r", 10, 20, "agent")).thread_id == "thread-1"
    assert only(agent, run("r", 10, 20, "elsewhere")).thread_id == "thread-1"
    other = clue("other", 0, 90, "root", agent=True, thread="thread-2")
    assert only(agent, other, run("r", 10, 20, "elsewhere")).thread_id is None


def test_parents_that_go_round_in_circles_are_survived() -> None:
    assert len(link([run("a", 0, 5), run("b", 1, 2)], {"a": "b", "b": "a"}).facts) == 2


STORY = (
    asks("m1", 0, ("a", ONE), ("b", TWO)),
    failed("r1", 10, 20, arguments=_json(ONE)),
    run("r2", 30, 40, arguments=_json(ONE)),
    run("r3", 10, 50, arguments=_json(TWO)),
    run("r4", 15, 45, "r3", tool_call_id="b"),
    told("m2", 60, ("a", "paid"), ("b", "paid too")),
    asks("m3", 70, ("a", ONE), (None, TWO)),
    run("r5", 80, 90, tool_call_id="a"),
)


@given(st.permutations(STORY))
def test_the_order_of_clues_has_no_meaning(clues: Sequence[Clue]) -> None:
    assert sorted(map(repr, link(clues, {}).facts)) == sorted(map(repr, link(STORY, {}).facts))
