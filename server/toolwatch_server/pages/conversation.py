"""A thread as a conversation: runs, in them the messages that asked, in them the calls. Pure."""

import json
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final

from toolwatch_server.domain.call import Call
from toolwatch_server.domain.facts import Run
from toolwatch_server.domain.rows import TraceView
from toolwatch_server.pages.shape_trace import RUN_WORDS, orphans_of
from toolwatch_web import links
from toolwatch_web.format import plural
from toolwatch_web.models.parts import Fact, Row
from toolwatch_web.models.trace import Repeat, RunView, ThreadPage, Turn

UNANSWERED: Final = frozenset(
    {"unanswered", "abandoned", "discarded", "not_started", "malformed", "cancelled"}
)


def thread_page(view: TraceView, thread_id: str) -> ThreadPage:
    calls = sorted(view.calls, key=first_ns)
    runs = tuple(_runs(view.runs, calls))
    unanswered = tuple(
        _row(call) for call in calls if call.outcome in UNANSWERED and not call.answer.delivered
    )
    return ThreadPage(
        thread_id=thread_id,
        facts=_facts(view, calls),
        runs=runs,
        unanswered=unanswered,
        orphans=orphans_of(view.orphans),
        notices=(),
        cut="Only the first 500 calls are shown; the list has all of them." if len(calls) >= 500 else None,
    )


def first_ns(call: Call) -> int:
    marks = (call.requested_ns, call.dispatched_ns, call.started_ns, call.answered_ns)
    return min((mark for mark in marks if mark is not None), default=0)


def _facts(view: TraceView, calls: Sequence[Call]) -> tuple[Fact, ...]:
    failed = sum(call.failed for call in calls)
    traces = dict.fromkeys(trace for call in calls for trace in call.trace_ids)
    facts = [
        Fact(label="Calls", text=str(len(calls))),
        Fact(label="Failed", text=str(failed), tone="fail" if failed else ""),
        Fact(label="Executions", text=str(sum(call.executions for call in calls))),
        Fact(label="Runs", text=str(len(view.runs) or len(traces))),
    ]
    if calls:
        facts.append(Fact(label="Began", text="", at_ns=first_ns(calls[0])))
    return tuple(facts)


def _runs(runs: Sequence[Run], calls: Sequence[Call]) -> Iterator[RunView]:
    """Each call stands in the run that asked for it; calls of no known run come in a block of their own."""
    ordered = sorted((run for run in runs if _outermost(run, runs)), key=lambda run: run.started_ns)
    placed: dict[int, list[Call]] = {}
    for call in calls:
        placed.setdefault(_place(call, ordered), []).append(call)
    for index, run in enumerate(ordered):
        own = placed.get(index, [])
        again = [call for call in calls if call not in own and _resumed_in(call, run)]
        yield _run(run, index + 1, own, again)
    if -1 in placed:
        yield _unknown_run(placed[-1])


def _outermost(run: Run, runs: Sequence[Run]) -> bool:
    """A run within another one of the same trace is part of that one."""
    return not any(
        other is not run
        and other.origin.trace_id == run.origin.trace_id
        and other.started_ns <= run.started_ns
        and other.ended_ns >= run.ended_ns
        and (other.started_ns, other.ended_ns) != (run.started_ns, run.ended_ns)
        for other in runs
    )


def _place(call: Call, runs: Sequence[Run]) -> int:
    at_ns = first_ns(call)
    within = [n for n, run in enumerate(runs) if run.started_ns <= at_ns <= run.ended_ns]
    if within:
        return within[-1]
    return next((n for n, run in enumerate(runs) if run.origin.trace_id == call.trace_id), -1)


def _resumed_in(call: Call, run: Run) -> bool:
    return any(attempt.trace_id == run.origin.trace_id for attempt in call.attempts)


def _run(run: Run, number: int, calls: Sequence[Call], again: Sequence[Call]) -> RunView:
    error = f"{run.error.type}: {run.error.message}" if run.error else None
    return RunView(
        title=f"Run {number}" + (f" · {run.name}" if run.name else ""),
        outcome=run.outcome or "",
        outcome_word=RUN_WORDS.get(run.outcome or "", "ended; how is not known"),
        started_ns=run.started_ns,
        duration_ms=(run.ended_ns - run.started_ns) / 1e6,
        trace_href=links.trace(run.origin.trace_id),
        error=error[:600] if error else None,
        turns=(*map(_taken_up, again), *_turns(calls)),
    )


def _unknown_run(calls: Sequence[Call]) -> RunView:
    trace_id = calls[0].trace_id
    return RunView(
        title="Calls of a run whose end was not seen",
        outcome="",
        outcome_word="not ended, or not known",
        started_ns=first_ns(calls[0]),
        duration_ms=None,
        trace_href=links.trace(trace_id) if trace_id else None,
        error=None,
        turns=tuple(_turns(calls)),
    )


def _turns(calls: Sequence[Call]) -> Iterator[Turn]:
    """Loops are joined over messages: neighbouring turns of one call each, alike in tool and arguments."""
    messages = [list(members) for _, members in groupby(calls, key=_message)]
    for _, alike in groupby(messages, key=_likeness):
        together = list(alike)
        if len(together) > 2 and all(len(members) == 1 for members in together):
            yield _turn([call for members in together for call in members])
        else:
            yield from map(_turn, together)


def _message(call: Call) -> str:
    return call.group.id if call.group else call.message_id or call.key


def _likeness(members: Sequence[Call]) -> tuple[object, ...]:
    """What makes two messages the same request; a message of several calls is like no other."""
    if len(members) > 1:
        return ("message", _message(members[0]))
    return ("call", members[0].tool, _canonical(members[0].arguments.value))


def _canonical(value: object) -> object:
    """Equal for arguments that differ in the order of their keys only."""
    if isinstance(value, dict):
        return tuple(sorted((str(key), _canonical(item)) for key, item in value.items()))
    return tuple(map(_canonical, value)) if isinstance(value, list) else repr(value)


def _turn(calls: Sequence[Call]) -> Turn:
    paused = next((call for call in calls if call.outcome == "interrupted"), None)
    resumed = any(attempt.cause == "resume" for call in calls for attempt in call.attempts)
    messages = len({_message(call) for call in calls})
    asked = f"the model asked for {plural(len(calls), 'call')}" + (
        f" in {messages} messages" if messages > 1 else ""
    )
    warning = (
        "Waits for a person."
        if paused
        else "Paused for a person here, and resumed in a later run."
        if resumed
        else None
    )
    looped = len(calls) > 2 and messages > 1
    repeats = (
        (Repeat(rows=tuple(map(_row, calls))),)
        if looped
        else tuple(Repeat(rows=(_row(call),)) for call in calls)
    )
    return Turn(at_ns=first_ns(calls[0]), heading=asked, repeats=repeats, told=(), warning=warning)


def _taken_up(call: Call) -> Turn:
    """A call of an earlier run that this run went on with."""
    row = _row(call)
    answered = next((a.resume for a in call.attempts if a.resume is not None), None)
    heading = (
        f"went on with it; a person had answered {answered[:200]}"
        if answered
        else "went on with a call of an earlier run"
    )
    last = call.attempts[-1]
    return Turn(at_ns=last.started_ns, heading=heading, repeats=(Repeat(rows=(row,)),), told=(), warning=None)


def _row(call: Call) -> Row:
    error = call.error
    told = call.told if call.told is not None else call.answer.content
    return Row(
        key=call.key,
        tool=call.tool,
        tool_call_id=call.tool_call_id,
        outcome=call.outcome,
        failed=call.failed,
        executions=call.executions,
        attempts=len(call.attempts),
        at_ns=first_ns(call),
        duration_ms=call.duration_ms,
        waited_ms=call.waited_ms,
        service=call.service,
        environment=call.environment,
        thread_id=call.thread_id,
        trace_id=call.trace_id,
        error_type=error.type if error else None,
        error_message=error.message[:300] if error else None,
        arguments=call.arguments.raw if call.arguments.raw is not None else _compact(call.arguments.value),
        answer=told[:300] if told is not None else None,
        warnings=tuple(warning.code for warning in call.warnings),
        redactions=len(call.redactions),
    )


def _compact(value: object) -> str | None:
    return None if value is None else json.dumps(value, ensure_ascii=False, default=str)[:300]
