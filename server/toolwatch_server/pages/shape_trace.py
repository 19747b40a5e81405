"""A trace as the timeline page."""

from typing import Final

from toolwatch_server.domain.facts import Orphan
from toolwatch_server.domain.rows import TraceView
from toolwatch_server.pages.concurrency import Stretch, lanes, together
from toolwatch_server.pages.timeline import Scale, attempt_bar, lines_of, scale_of
from toolwatch_web import links
from toolwatch_web.format import duration, plural
from toolwatch_web.models.parts import Fact
from toolwatch_web.models.trace import Lane, OrphanView, TracePage

WINDOW: Final = 200
RUN_WORDS: Final = {
    "ok": "ended normally",
    "crashed": "crashed",
    "interrupted": "paused for a person",
    "cancelled": "was cancelled",
    "step_limit": "hit its step limit",
}


def trace_page(view: TraceView, trace_id: str, *, offset: int, every_span: bool, now_ns: int) -> TracePage:
    scale = scale_of(view, now_ns)
    lines = lines_of(view, scale, trace_id=trace_id, every_span=every_span)
    following = offset + WINDOW
    more = {"from": following, "spans": "all" if every_span else None} if following < len(lines) else None
    here = links.trace(trace_id)
    return TracePage(
        trace_id=trace_id,
        verdict=_verdict(view),
        facts=_facts(view, scale),
        ticks=scale.ticks(),
        lanes=_lanes(view, scale, trace_id),
        together=together(view.calls),
        lines=lines[offset:following],
        lines_total=len(lines),
        more_href=links.with_query(here, dict(more)) if more else None,
        more_part=links.with_query(f"/parts{here}/lines", dict(more)) if more else None,
        spans_total=view.spans_total,
        spans_read=len(view.spans),
        all_spans_href=here if every_span else links.with_query(here, {"spans": "all"}),
        all_spans=every_span,
        orphans=orphans_of(view.orphans),
        notices=(),
        started_ns=scale.start_ns,
    )


def orphans_of(orphans: tuple[Orphan, ...]) -> tuple[OrphanView, ...]:
    return tuple(
        OrphanView(
            tool_call_id=o.tool_call_id, tool=o.tool, status=o.status, content=o.content, at_ns=o.at_ns
        )
        for o in orphans
    )


def _verdict(view: TraceView) -> str:
    failed = sum(call.failed for call in view.calls)
    again = sum(call.executions > 1 for call in view.calls)
    words = [RUN_WORDS[run.outcome] for run in view.runs if run.outcome in RUN_WORDS]
    said = (
        [f"The run {words[0]}" if len(words) == 1 else f"{plural(len(view.runs), 'run')}: {', '.join(words)}"]
        if words
        else []
    )
    said.append(
        f"{plural(len(view.calls), 'call')}, {failed} failed"
        if failed
        else f"{plural(len(view.calls), 'call')}, none failed"
    )
    if again:
        said.append(f"{plural(again, 'tool call')} ran more than once")
    return "; ".join(said) + "."


def _facts(view: TraceView, scale: Scale) -> tuple[Fact, ...]:
    services = dict.fromkeys(call.service for call in view.calls if call.service)
    threads = dict.fromkeys(call.thread_id for call in view.calls if call.thread_id)
    facts = [
        Fact(label="Began", text="", at_ns=scale.start_ns),
        Fact(label="Took", text=duration(scale.length_ns / 1e6)),
        Fact(label="Ran", text=plural(sum(call.executions for call in view.calls), "execution")),
    ]
    facts += [Fact(label="Service", text=service) for service in services]
    facts += [Fact(label="Thread", text=thread, href=links.thread(thread), mono=True) for thread in threads]
    facts += [
        Fact(label="Error of the run", text=run.error.type, tone="fail") for run in view.runs if run.error
    ]
    return tuple(facts)


def _lanes(view: TraceView, scale: Scale, trace_id: str) -> tuple[Lane, ...]:
    """A map of attempts; none where nothing ran beside anything else."""
    stretches = [
        Stretch(start_ns=a.started_ns, end_ns=a.ended_ns if a.ended_ns is not None else scale.end_ns, of=a)
        for call in view.calls
        for a in call.attempts
        if a.trace_id == trace_id
    ]
    found = lanes(stretches)
    if len(found) < 2:
        return ()
    return tuple(Lane(bars=tuple(attempt_bar(stretch.of, scale) for stretch in lane)) for lane in found)
