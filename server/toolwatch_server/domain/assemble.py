"""One call out of the set of facts about it: the same call for any order and any repetition of the facts.

Pure: the clock and the last sign of life of the sending process are handed in.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from toolwatch_server.domain.answers import is_thrown_away, standing
from toolwatch_server.domain.arguments import arguments_of, written_bytes
from toolwatch_server.domain.attempts import number
from toolwatch_server.domain.call import FAILED, Answer, Attempt, Call, Error, Group, Redaction
from toolwatch_server.domain.facts import Answered, Attempted, Dispatched, Fact, Requested, Shown
from toolwatch_server.domain.failures import error_told, with_type_told
from toolwatch_server.domain.outcome import Evidence, decide, handler
from toolwatch_server.domain.sorted_facts import SortedFacts
from toolwatch_server.domain.warnings import warnings_of

PATIENCE_NS = 15_000_000_000  # three times the interval at which a collector says that it lives
NO_ANSWER = Answer(status=None, content=None, parts=(), bytes=0, truncated=False, delivered=None, by=None)

T = TypeVar("T")


def assemble(
    key: str,
    facts: Collection[Fact],
    *,
    now_ns: int,
    last_seen_ns: int | None = None,
    patience_ns: int = PATIENCE_NS,
) -> Call:
    """facts must not be empty. last_seen_ns: the last sign of life of the process that sent the last one."""
    known = SortedFacts.of(facts)
    alive = now_ns - max(known.latest_ns, last_seen_ns or 0) <= patience_ns
    dispatches = _settled(known)
    evidence = Evidence(
        request=known.request,
        attempts=number(
            known.attempts, dispatches, known.run_ends, open_outcome="running" if alive else "abandoned"
        ),
        dispatches=dispatches,
        answers=standing(known),
        run_ends=known.run_ends,
        shown=known.shown,
        tool=_said(known, "tool"),
        result=_first(reversed(known.attempts), lambda r: r.result),
        tracked=known.tracked,
        alive=alive,
        outside_graph=_is_outside_graph(known),
    )
    call = _call(key, known, evidence, last_seen_ns)
    return replace(call, warnings=warnings_of(call, known))


def _is_outside_graph(known: SortedFacts) -> bool:
    facts: tuple[Requested | Attempted, ...] = known.attempts or known.requests
    origin = facts[-1].origin if facts else None
    return origin is not None and origin.framework == "langgraph" and origin.node is None


def _settled(known: SortedFacts) -> tuple[Dispatched, ...]:
    """A node may have returned, and its whole step be thrown away with a sibling that failed."""
    if not known.dispatches or not is_thrown_away(known) or standing(known):
        return known.dispatches
    last = known.dispatches[-1]
    return (*known.dispatches[:-1], replace(last, state="discarded"))


def _call(key: str, known: SortedFacts, evidence: Evidence, last_seen_ns: int | None) -> Call:
    outcome = decide(evidence)
    attempts, arguments, last = evidence.attempts, arguments_of(known), evidence.last
    origins, answer = known.origins, _answer(known, evidence.answers)
    result_bytes = next(
        (r.result_bytes for r in reversed(known.attempts) if r.result_bytes is not None), None
    )
    return Call(
        key=key,
        tool_call_id=_said(known, "tool_call_id"),
        tool=_said(known, "tool"),
        framework=_first(origins, lambda o: o.framework),
        sdk=_first(origins, lambda o: o.sdk),
        service=_first(origins, lambda o: o.service),
        environment=_first(origins, lambda o: o.environment),
        agent=_first(origins, lambda o: o.agent),
        node=_first(
            [d.origin for d in known.dispatches] + [a.origin for a in known.attempts], lambda o: o.node
        ),
        thread_id=_first(origins, lambda o: o.thread_id),
        run_id=_first(origins, lambda o: o.run_id),
        trace_id=origins[0].trace_id or None,
        trace_ids=tuple(dict.fromkeys(o.trace_id for o in origins if o.trace_id)),
        span_id=last.span_id if last is not None else None,
        message_id=_said(known, "message_id"),
        parent_key=_said(known, "parent_key"),
        position=_said(known, "position"),
        group=_group(known),
        outcome=outcome,
        failed=outcome in FAILED,
        handled_by=handler(evidence, outcome),
        requested_ns=known.request.at_ns if known.request is not None else None,
        dispatched_ns=known.dispatches[0].started_ns if known.dispatches else None,
        started_ns=attempts[0].started_ns if attempts else None,
        ended_ns=last.ended_ns if last is not None else None,
        answered_ns=evidence.answer.at_ns if evidence.answer is not None else None,
        seen_ns=known.shown[0].at_ns if known.shown else None,
        duration_ms=_duration_ms(attempts),
        waited_ms=_waited_ms(known, evidence),
        executions=sum(attempt.body_ran for attempt in attempts),
        attempts=attempts,
        arguments=arguments,
        result=_first(reversed(known.attempts), lambda r: r.result),
        error=_error(evidence, outcome),
        answer=answer,
        told=_told(known, answer),
        redactions=_redactions(known),
        warnings=(),
        arguments_bytes=written_bytes(known, arguments),
        result_bytes=result_bytes if result_bytes is not None else answer.bytes,
        finish_reason=known.request.finish_reason if known.request is not None else None,
        run_outcome=_run_outcome(known),
        instance_id=_first(reversed(origins), lambda o: o.instance_id),
        last_seen_ns=max(known.latest_ns, last_seen_ns or 0),
        linked_by=_said(known, "linked_by"),
        question=_question(known, outcome),
    )


def _first(items: Iterable[T], look: Callable[[T], str | None]) -> str | None:
    return next((found for item in items if (found := look(item)) is not None), None)


def _said(known: SortedFacts, name: str) -> Any:
    """The first fact that knows the detail, requests before dispatches before attempts."""
    return next((value for fact in known.all() if (value := getattr(fact, name, None)) is not None), None)


def _group(known: SortedFacts) -> Group | None:
    said: tuple[Requested | Dispatched | Attempted, ...] = (
        *known.requests, *known.dispatches, *known.attempts, *known.questions
    )  # fmt: skip
    named = ((fact.group_id, fact.group_size) for fact in said)
    return next(
        (Group(id=id_, size=size) for id_, size in named if id_ is not None and size is not None), None
    )


def _run_outcome(known: SortedFacts) -> str | None:
    """How the run ended in which the call was last active; None when a later one took it up again."""
    if not known.run_ends:
        return None
    end = known.run_ends[-1]
    taken_up: tuple[Attempted | Dispatched, ...] = (*known.attempts, *known.dispatches)
    later = any(f.origin.trace_id != end.origin.trace_id and f.started_ns > end.at_ns for f in taken_up)
    return None if later else end.outcome


def _answer(known: SortedFacts, kept: Sequence[Answered]) -> Answer:
    """The last answer that stands. One that was thrown away is no answer; only that it was is told."""
    if not known.answers and not known.tracked and known.shown:
        return _answer_shown(known.shown[0])
    if not kept:
        return replace(NO_ANSWER, delivered=False) if known.answers else NO_ANSWER
    answer = kept[-1]
    result = _first(reversed(known.attempts), lambda r: r.result)
    content = result if answer.same_as_result else answer.content
    return Answer(
        status=answer.status,
        content=content,
        parts=answer.parts,
        bytes=answer.bytes if answer.bytes is not None else len((content or "").encode()),
        truncated=answer.truncated,
        delivered=answer.delivered,
        by=answer.by,
    )


def _answer_shown(shown: Shown) -> Answer:
    """Other SDKs report no answers, but the next request to the model shows what it was told."""
    size = len((shown.content or "").encode("utf-8", "replace"))
    status = shown.status
    return replace(NO_ANSWER, status=status, content=shown.content, bytes=size, delivered=True)


def _told(known: SortedFacts, answer: Answer) -> str | None:
    if not known.shown:
        return None
    return next((s.content for s in known.shown if s.content is not None), answer.content)


def _error(evidence: Evidence, outcome: str) -> Error | None:
    """The real one, even when the model was told something else. A pause is none."""
    last, dispatch = evidence.last, evidence.dispatch
    if outcome == "interrupted":
        return None
    if outcome in FAILED and last is None and dispatch is None and not evidence.tracked:
        return error_told(evidence.shown[0].content or "") if evidence.shown else None
    if last is not None and last.error is not None and last.outcome not in {"ok", "interrupted"}:
        return last.error if evidence.tracked else with_type_told(last.error, evidence.shown)
    if dispatch is None or dispatch.interrupt is not None:
        return None
    return dispatch.error if dispatch.error is not None else dispatch.masked


def _question(known: SortedFacts, outcome: str) -> str | None:
    if outcome != "interrupted" or known.attempts:
        return None
    return _first(reversed((*known.questions, *known.dispatches)), lambda d: d.interrupt)


def _duration_ms(attempts: tuple[Attempt, ...]) -> float | None:
    known = [attempt.duration_ms for attempt in attempts if attempt.duration_ms is not None]
    return sum(known) if known else None


def _waited_ms(known: SortedFacts, evidence: Evidence) -> float | None:
    """Time between pauses and what followed them; None when there was no pause, or it is not over."""
    attempts = evidence.attempts
    starts = [a.started_ns for a in attempts]
    pauses = [a.ended_ns for a in attempts if a.outcome == "interrupted" and a.ended_ns is not None]
    pauses += [
        e.at_ns for e in known.run_ends if e.outcome == "interrupted" and all(s > e.at_ns for s in starts)
    ]
    follows = [*starts, *(a.at_ns for a in evidence.answers)]
    waits = [min(later) - pause for pause in pauses if (later := [f for f in follows if f >= pause])]
    return sum(waits) / 1e6 if waits else None


def _redactions(known: SortedFacts) -> tuple[Redaction, ...]:
    """Marks of one place and rule are counted once for each fact that names them, then added up."""
    counts: dict[tuple[str, str], int] = {}
    for fact in known.all():
        for mark in getattr(fact, "redactions", ()):
            counts[mark.where, mark.rule] = counts.get((mark.where, mark.rule), 0) + mark.count
    return tuple(
        Redaction(where=where, rule=rule, count=count) for (where, rule), count in sorted(counts.items())
    )
