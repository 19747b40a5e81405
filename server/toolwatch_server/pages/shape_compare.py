"""Two calls, or two traces, side by side: each line says whether they differ. Pure."""

import json
from collections import Counter
from collections.abc import Iterator
from itertools import zip_longest
from typing import Final

from toolwatch_server.domain.call import Call
from toolwatch_server.domain.rows import CallRow, TimelineView
from toolwatch_server.domain.verdict import verdict
from toolwatch_web import links
from toolwatch_web.format import UNKNOWN, count, duration, plural, shorten, times
from toolwatch_web.models.compare import ComparePage, Pair, Side
from toolwatch_web.outcomes import look, warning

TEXT_CHARS: Final = 1_500
LINES_MAX: Final = 200


def compare_calls(a: Call, b: Call) -> ComparePage:
    return ComparePage(
        what="calls",
        a=_side(a),
        b=_side(b),
        pairs=(*_figures(a, b), *_arguments(a, b), *_texts(a, b)),
        lines=(),
        cut=None,
    )


def _side(call: Call) -> Side:
    return Side(
        title=call.tool or "no name",
        id=call.tool_call_id or call.key,
        href=links.call(call.key),
        outcome=call.outcome,
        text=verdict(call),
        at_ns=call.requested_ns or call.started_ns,
    )


def _figures(a: Call, b: Call) -> Iterator[Pair]:
    yield _pair("Tool", a.tool, b.tool)
    yield _pair("Outcome", look(a.outcome).word, look(b.outcome).word)
    yield _pair("Ran", times(a.executions), times(b.executions))
    yield _took("Took", a.duration_ms, b.duration_ms)
    yield _took("Waited for a person", a.waited_ms, b.waited_ms)
    yield _pair("Agent", a.agent, b.agent)
    yield _pair("Service", a.service, b.service)
    yield _pair("Environment", a.environment, b.environment)
    yield _pair("SDK", a.sdk, b.sdk)
    yield _pair("Warnings", *(", ".join(sorted(warning(w.code) for w in c.warnings)) for c in (a, b)))


def _arguments(a: Call, b: Call) -> Iterator[Pair]:
    """Field by field where both are objects."""
    one, other = a.arguments.value, b.arguments.value
    if isinstance(one, dict) and isinstance(other, dict):
        for name in sorted({*map(str, one), *map(str, other)}):
            yield _pair(f"Argument {name}", _json(one, name), _json(other, name), mono=True)
    else:
        yield _pair("Arguments", a.arguments.raw, b.arguments.raw, mono=True)


def _texts(a: Call, b: Call) -> Iterator[Pair]:
    yield _pair(
        "Raised", *(f"{c.error.type}: {c.error.message}" if c.error else None for c in (a, b)), mono=True
    )
    yield _pair("Returned", a.result, b.result, mono=True)
    told = (c.told if c.told is not None else c.answer.content for c in (a, b))
    yield _pair("The model was told", *told, mono=True)


def _json(value: dict[str, object], name: str) -> str | None:
    return json.dumps(value[name], ensure_ascii=False, default=str) if name in value else None


def _pair(label: str, a: str | None, b: str | None, *, mono: bool = False) -> Pair:
    """Compared whole, shown shortened."""
    shown = (UNKNOWN if text in (None, "") else (text or "")[:TEXT_CHARS] for text in (a, b))
    one, other = shown
    return Pair(label=label, a=one, b=other, differs=(a or None) != (b or None), mono=mono)


def _took(label: str, a_ms: float | None, b_ms: float | None) -> Pair:
    """Durations always differ a little: a tenth and ten milliseconds are worth a mark."""
    differs = (a_ms is None) != (b_ms is None)
    if a_ms is not None and b_ms is not None:
        differs = abs(a_ms - b_ms) > max(10.0, 0.1 * max(a_ms, b_ms))
    return Pair(label=label, a=duration(a_ms), b=duration(b_ms), differs=differs)


def compare_traces(a: TimelineView, b: TimelineView, a_id: str, b_id: str) -> ComparePage:
    """The calls of both in their order, each beside the one that stands in the same place."""
    places = list(zip_longest(a.calls, b.calls))
    return ComparePage(
        what="traces",
        a=_trace_side(a, a_id),
        b=_trace_side(b, b_id),
        pairs=tuple(_trace_figures(a, b)),
        lines=tuple(_place(number, *pair) for number, pair in enumerate(places[:LINES_MAX], 1)),
        cut=f"Showing {count(LINES_MAX)} of {plural(len(places), 'place')}."
        if len(places) > LINES_MAX
        else None,
    )


def _trace_side(view: TimelineView, trace_id: str) -> Side:
    failed = sum(call.failed for call in view.calls)
    return Side(
        title="Trace",
        id=trace_id,
        href=links.trace(trace_id),
        outcome=None,
        text=f"{plural(view.calls_total, 'call')}, {count(failed)} failed.",
        at_ns=min((span.start_ns for span in view.spans), default=None),
    )


def _trace_figures(a: TimelineView, b: TimelineView) -> Iterator[Pair]:
    yield _pair("Calls", count(a.calls_total), count(b.calls_total))
    yield _pair("Failed", *(count(sum(call.failed for call in view.calls)) for view in (a, b)))
    yield _pair("Executions", *(count(sum(call.executions for call in view.calls)) for view in (a, b)))
    yield _took("Took", _length_ms(a), _length_ms(b))
    tools = [Counter(call.tool or "no name" for call in view.calls) for view in (a, b)]
    for tool in sorted({*tools[0], *tools[1]}):
        yield _pair(f"Calls of {tool}", *(count(side[tool]) for side in tools))


def _length_ms(view: TimelineView) -> float | None:
    if not view.spans:
        return None
    return (max(s.end_ns for s in view.spans) - min(s.start_ns for s in view.spans)) / 1e6


def _place(number: int, a: CallRow | None, b: CallRow | None) -> Pair:
    one, other = _said(a), _said(b)
    return Pair(
        label=f"{number}",
        a=one,
        b=other,
        differs=one != other,
        mono=True,
        a_href=links.call(a.key) if a else None,
        b_href=links.call(b.key) if b else None,
    )


def _said(row: CallRow | None) -> str:
    if row is None:
        return UNKNOWN
    again = f", ran {times(row.executions)}" if row.executions > 1 else ""
    return f"{row.tool or 'no name'} {shorten(row.arguments_preview, 120)} → {look(row.outcome).word}{again}"
