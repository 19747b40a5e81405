"""The lines of one window of a timeline, from what was read for that window. Pure."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from toolwatch_server.domain.call import Call
from toolwatch_server.domain.span import Span
from toolwatch_server.pages.bars import Scale, bars_of
from toolwatch_server.pages.outline import Shown
from toolwatch_server.pages.timeline import Item
from toolwatch_web import links
from toolwatch_web.format import duration
from toolwatch_web.models.trace import Bar, Line

FAILED: Final = 2  # OTLP's status code


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """What was read for these lines; fold_href gives the address that folds a line or opens it."""

    scale: Scale
    trace_id: str
    calls: Mapping[str, Call]
    spans: Mapping[str, Span]
    fold_href: Callable[[str], str | None]


def line_of(shown: Shown, window: Window) -> Line:
    item, scale = shown.item, window.scale
    call = window.calls.get(item.id) if item.call is not None else None
    span = window.spans.get(item.id)
    failed = span is not None and span.status_code == FAILED
    return Line(
        id=item.id,
        kind=item.kind,
        depth=shown.depth,
        label=item.label,
        note=span.status_message[:200] if span and failed else item.note,
        href=_href(item),
        outcome=item.call.outcome if item.call else None,
        bars=_call_bars(call, scale, window.trace_id) if call else (_span_bar(item, scale, failed=failed),),
        duration_ms=item.call.duration_ms if item.call else (item.end_ns - item.start_ns) / 1e6,
        at_ns=item.start_ns,
        thread_name=call.attempts[0].thread_name if call and call.attempts else None,
        together=f"{item.place + 1}/{item.together}" if item.together > 1 else None,
        executions=item.call.executions if item.call else None,
        critical=shown.critical,
        inside=shown.inside,
        folded=shown.folded,
        fold_href=window.fold_href(item.id) if item.inside else None,
        found=shown.found,
    )


def _href(item: Item) -> str | None:
    if item.call is not None:
        return links.call(item.call.key)
    thread = item.note.removeprefix("thread ") if item.kind == "run" else ""
    return links.thread(thread) if thread else None


def _call_bars(call: Call, scale: Scale, trace_id: str) -> tuple[Bar, ...]:
    return tuple(bars_of([a for a in call.attempts if a.trace_id == trace_id], scale))


def _span_bar(item: Item, scale: Scale, *, failed: bool) -> Bar:
    took = duration((item.end_ns - item.start_ns) / 1e6)
    return Bar(
        kind="failed" if failed else item.kind,
        x=scale.x(item.start_ns),
        width=scale.width(item.start_ns, item.end_ns),
        label=f"{item.label}: {took}" + (", failed" if failed else ""),
    )
