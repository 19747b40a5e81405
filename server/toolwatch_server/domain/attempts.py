"""From reports about runs of a tool to numbered attempts of one call."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import fields, replace

from toolwatch_server.domain.call import Attempt
from toolwatch_server.domain.facts import Attempted, Dispatched, RunEnded

AGAIN = frozenset({"wrapper_retry", "node_retry", "resume", "rerun"})
DISCARDING = frozenset({"ok"})


def merge_reports(reports: Iterable[Attempted]) -> tuple[Attempted, ...]:
    """One report for each run of the tool, oldest first: what its end says, completed by its start."""
    by_span: dict[str, Attempted] = {}
    for report in sorted(reports, key=lambda r: (r.ended_ns is not None, r.fact_id)):
        known = by_span.get(report.attempt_span_id)
        by_span[report.attempt_span_id] = report if known is None else _completed(report, known)
    return tuple(sorted(by_span.values(), key=lambda r: (r.started_ns, r.attempt_span_id)))


def _completed(later: Attempted, earlier: Attempted) -> Attempted:
    gaps = {
        field.name: getattr(earlier, field.name)
        for field in fields(later)
        if getattr(later, field.name) in (None, ()) and getattr(earlier, field.name) not in (None, ())
    }
    started_ns = min(later.started_ns, earlier.started_ns)
    return replace(later, **gaps, started_ns=started_ns) if gaps else replace(later, started_ns=started_ns)


def number(
    reports: Sequence[Attempted],
    dispatches: Sequence[Dispatched],
    run_ends: Sequence[RunEnded],
    *,
    open_outcome: str,
) -> tuple[Attempt, ...]:
    """All oldest first; open_outcome is what an attempt without an end is called."""
    paused = {end.origin.trace_id for end in run_ends if end.outcome == "interrupted"}
    return tuple(
        _attempt(
            report,
            index,
            _cause(reports, index, dispatches, paused),
            _dispatch_of(report, dispatches),
            open_outcome,
        )
        for index, report in enumerate(reports)
    )


def _attempt(
    report: Attempted, index: int, cause: str, dispatch: Dispatched | None, open_outcome: str
) -> Attempt:
    outcome = report.outcome or (open_outcome if report.ended_ns is None else "ok")
    discarded = (
        dispatch is not None and dispatch.state == "discarded" and outcome in DISCARDING and not report.late
    )
    return Attempt(
        number=index + 1,
        cause=cause,
        outcome=outcome,
        discarded=discarded,
        late=report.late,
        body_ran=report.body_ran if report.body_ran is not None else outcome != "invalid_args",
        started_ns=report.started_ns,
        ended_ns=report.ended_ns,
        duration_ms=None if report.ended_ns is None else (report.ended_ns - report.started_ns) / 1e6,
        trace_id=report.origin.trace_id,
        span_id=report.attempt_span_id,
        thread_name=report.thread_name,
        error=report.error,
        interrupt=report.interrupt,
        resume=report.resume,
        result=report.result,
    )


def _dispatch_of(report: Attempted, dispatches: Sequence[Dispatched]) -> Dispatched | None:
    return next((d for d in dispatches if report.attempt_span_id in d.attempts), None)


def _cause(
    reports: Sequence[Attempted], index: int, dispatches: Sequence[Dispatched], paused: Collection[str]
) -> str:
    """The sender's word, unless it cannot have known: who resumes a run may not have seen its beginning."""
    said = reports[index].cause or "first"
    if index == 0:
        return "first" if said not in AGAIN or said in {"resume", "rerun"} else said
    before, this = reports[index - 1], reports[index]
    if said in {"wrapper_retry", "node_retry"}:
        return said
    if _was_paused(before, dispatches):
        return "resume"
    if said in AGAIN:
        return said
    if before.origin.trace_id == this.origin.trace_id:
        return "wrapper_retry"
    by_hand = _dispatch_of(before, dispatches) is None
    return "resume" if by_hand and before.origin.trace_id in paused else "rerun"


def _was_paused(report: Attempted, dispatches: Sequence[Dispatched]) -> bool:
    dispatch = _dispatch_of(report, dispatches)
    return report.outcome == "interrupted" or (
        dispatch is not None and dispatch.step_outcome == "interrupted"
    )
