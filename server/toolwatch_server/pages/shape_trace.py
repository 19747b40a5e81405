"""A trace as the timeline page."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from toolwatch_server.domain.call import Call
from toolwatch_server.domain.facts import Orphan
from toolwatch_server.domain.rows import TimelineView
from toolwatch_server.domain.span import Span
from toolwatch_server.pages.bars import Scale
from toolwatch_server.pages.concurrency import together
from toolwatch_server.pages.critical import Critical, critical_path
from toolwatch_server.pages.outline import Outline, Shown, outline
from toolwatch_server.pages.timeline import scale_of, tree_of
from toolwatch_server.pages.timeline_lines import Window, line_of
from toolwatch_server.pages.trace_map import attempts_of, trails_of
from toolwatch_web import links, outside
from toolwatch_web.format import count, duration, plural, share
from toolwatch_web.models.parts import Fact
from toolwatch_web.models.trace import OrphanView, TracePage

WINDOW: Final = 200
_NAMED: Final = 4  # of what made a trace this long
RUN_WORDS: Final = {
    "ok": "ended normally",
    "crashed": "crashed",
    "interrupted": "paused for a person",
    "cancelled": "was cancelled",
    "step_limit": "hit its step limit",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """How the reader wants to see the trace; all of it stands in the address."""

    offset: int = 0
    every_span: bool = False
    folded: tuple[str, ...] = ()
    query: str = ""

    def pairs(self, **changes: object) -> dict[str, object]:
        spans = "all" if self.every_span else None
        return {"spans": spans, "q": self.query, "fold": list(self.folded), **changes}


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A trace in outline, and which lines of it are to be shown."""

    view: TimelineView
    wish: Wish
    scale: Scale
    outline: Outline
    shown: tuple[Shown, ...]
    path: Critical


def plan(view: TimelineView, wish: Wish, *, now_ns: int) -> Plan:
    scale = scale_of(view, now_ns)
    roots = tree_of(view, scale, every_span=wish.every_span)
    path = critical_path(roots, scale.start_ns, scale.end_ns)
    found = outline(roots, folded=wish.folded, words=wish.query, critical=path.ids)
    shown = found.lines[wish.offset : wish.offset + WINDOW]
    return Plan(view=view, wish=wish, scale=scale, outline=found, shown=shown, path=path)


def trace_page(
    made: Plan,
    trace_id: str,
    calls: Mapping[str, Call],
    spans: Mapping[str, Span],
    link_templates: Sequence[tuple[str, str]] = (),
) -> TracePage:
    """calls and spans are those of the lines to be shown, whole."""
    view, wish, scale, found = made.view, made.wish, made.scale, made.outline
    following = wish.offset + WINDOW if wish.offset + WINDOW < len(found.lines) else None
    here, part = links.trace(trace_id), f"/parts{links.trace(trace_id)}/lines"
    ran = attempts_of(view, scale)
    trails, height = trails_of(ran, scale)
    other = replace(wish, every_span=not wish.every_span, offset=0)
    window = Window(scale=scale, trace_id=trace_id, calls=calls, spans=spans, fold_href=_folds(here, wish))
    return TracePage(
        trace_id=trace_id,
        verdict=_verdict(view),
        facts=_facts(view, scale),
        outside=outside.filled(link_templates, _places(view, trace_id, scale)),
        ticks=scale.ticks(),
        trails=trails,
        trails_height=height,
        critical=_critical(made.path, scale),
        together=together(ran),
        lines=tuple(line_of(line, window) for line in made.shown),
        lines_from=wish.offset,
        lines_shown=len(found.lines),
        lines_total=found.total,
        query=wish.query,
        found=found.found,
        folded=wish.folded,
        here_href=here,
        unfold_href=links.with_query(here, wish.pairs(fold=None)) if wish.folded else None,
        more_href=links.with_query(here, wish.pairs(**{"from": following})) if following else None,
        more_part=links.with_query(part, wish.pairs(**{"from": following})) if following else None,
        cut=_cut(view),
        all_spans_href=links.with_query(here, other.pairs()),
        all_spans=wish.every_span,
        orphans=orphans_of(view.orphans),
        notices=(),
        started_ns=scale.start_ns,
    )


def _cut(view: TimelineView) -> str | None:
    """What was too much even for the outline."""
    said = [
        f"{count(shown)} of {plural(total, word)}"
        for shown, total, word in (
            (len(view.calls), view.calls_total, "call"),
            (len(view.spans), view.spans_total, "span"),
        )
        if shown < total
    ]
    return f"Only {' and '.join(said)} were read." if said else None


def _folds(here: str, wish: Wish) -> Callable[[str], str | None]:
    """The address that folds a line or opens it again; a search has everything open."""

    def href(id_: str) -> str | None:
        others = [other for other in wish.folded if other != id_]
        folded = others if id_ in wish.folded else [*others, id_]
        return None if wish.query else links.with_query(here, wish.pairs(fold=folded))

    return href


def _critical(path: Critical, scale: Scale) -> tuple[tuple[str, str], ...]:
    """Only where there is something to tell: a path of one line is the line."""
    if len(path.ids) < 2:
        return ()
    said = [(label, ns) for label, ns in path.shares if ns > scale.length_ns / 100]
    return tuple(
        (label, f"{duration(ns / 1e6)}, {share(ns, scale.length_ns)}") for label, ns in said[:_NAMED]
    )


def _places(view: TimelineView, trace_id: str, scale: Scale) -> dict[str, str | None]:
    first = view.calls[0] if view.calls else None
    return {
        "trace_id": trace_id,
        "span_id": view.spans[0].span_id if view.spans else None,
        "service": first.service if first else None,
        "environment": first.environment if first else None,
        "thread_id": first.thread_id if first else None,
        "run_id": first.run_id if first else None,
        **outside.around(scale.start_ns, scale.end_ns),
    }


def orphans_of(orphans: tuple[Orphan, ...]) -> tuple[OrphanView, ...]:
    return tuple(
        OrphanView(
            tool_call_id=o.tool_call_id, tool=o.tool, status=o.status, content=o.content, at_ns=o.at_ns
        )
        for o in orphans
    )


def _verdict(view: TimelineView) -> str:
    failed = sum(call.failed for call in view.calls)
    again = sum(call.executions > 1 for call in view.calls)
    words = [RUN_WORDS[run.outcome] for run in view.runs if run.outcome in RUN_WORDS]
    said = [_runs_ended(words)] if words else []
    said.append(
        f"{plural(view.calls_total, 'call')}, {failed} failed"
        if failed
        else f"{plural(view.calls_total, 'call')}, none failed"
    )
    if again:
        said.append(f"{plural(again, 'tool call')} ran more than once")
    return "; ".join(said) + "."


def _runs_ended(words: Sequence[str]) -> str:
    """The run crashed. Both runs ended normally. 3 runs: 2 ended normally, 1 crashed."""
    counts = Counter(words)
    if len(words) == 1:
        return f"The run {words[0]}"
    if len(counts) == 1:
        return f"{'Both' if len(words) == 2 else f'All {len(words)}'} runs {words[0]}"
    return f"{len(words)} runs: " + ", ".join(f"{number} {word}" for word, number in counts.items())


def _facts(view: TimelineView, scale: Scale) -> tuple[Fact, ...]:
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
