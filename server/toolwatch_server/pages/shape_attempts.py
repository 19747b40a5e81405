"""The attempts of a call on one axis: when each ran, why, how it ended, and which ran beside another."""

from collections.abc import Sequence
from itertools import pairwise

from toolwatch_server.domain.call import Attempt, Call
from toolwatch_server.pages import payloads
from toolwatch_server.pages.bars import Scale, attempt_bar
from toolwatch_web import links
from toolwatch_web.format import duration, shorten
from toolwatch_web.models.call import AttemptsView, AttemptView


def attempts_of(call: Call) -> AttemptsView | None:
    """None where the steps have said it all: one attempt that asked nobody anything."""
    some = call.attempts
    if not some or (len(some) == 1 and some[0].interrupt is None and some[0].resume is None):
        return None
    start_ns = min(attempt.started_ns for attempt in some)
    ends = [attempt.ended_ns if attempt.ended_ns is not None else attempt.started_ns for attempt in some]
    scale = Scale(start_ns, max([*ends, call.last_seen_ns or 0]) if call.outcome == "running" else max(ends))
    return AttemptsView(
        attempts=tuple(_attempt(attempt, some, scale) for attempt in some),
        span=duration(scale.length_ns / 1e6),
        note=_note(some),
    )


def _note(some: Sequence[Attempt]) -> str | None:
    """How much of the time two or more of them ran at once."""
    overlapping_ns = sum(
        max(0, before.ended_ns - max(after.started_ns, before.started_ns))
        for before, after in pairwise(some)
        if before.ended_ns is not None
    )
    return f"Two ran at once for {duration(overlapping_ns / 1e6)}." if overlapping_ns else None


def _attempt(attempt: Attempt, all_: Sequence[Attempt], scale: Scale) -> AttemptView:
    error = attempt.error
    elsewhere = len({other.trace_id for other in all_}) > 1
    beside = [o.number for o in all_ if o.span_id != attempt.span_id and _overlap(attempt, o)]
    return AttemptView(
        number=attempt.number,
        cause=attempt.cause,
        outcome=attempt.outcome,
        discarded=attempt.discarded,
        late=attempt.late,
        body_ran=attempt.body_ran,
        overlaps=", ".join(f"#{number}" for number in beside),
        bar=attempt_bar(attempt, scale),
        started_ns=attempt.started_ns,
        duration_ms=attempt.duration_ms,
        thread_name=attempt.thread_name,
        trace_href=links.trace(attempt.trace_id) if elsewhere and attempt.trace_id else None,
        error_type=error.type if error else None,
        error_message=shorten(error.message, 300) if error else None,
        asked=payloads.of_json(attempt.interrupt, absent="") if attempt.interrupt is not None else None,
        resumed_with=payloads.of_json(attempt.resume, absent="") if attempt.resume is not None else None,
        result=payloads.of_result(attempt.result, absent="") if _has_own_result(attempt, all_) else None,
    )


def _has_own_result(attempt: Attempt, all_: Sequence[Attempt]) -> bool:
    """The result of an only attempt stands above, under "What happened"."""
    return attempt.result is not None and len(all_) > 1


def _overlap(one: Attempt, other: Attempt) -> bool:
    if one.ended_ns is None or other.ended_ns is None:
        return False
    return one.started_ns < other.ended_ns and other.started_ns < one.ended_ns
