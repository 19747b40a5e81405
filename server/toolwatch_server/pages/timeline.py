"""A trace as a waterfall: runs, what the model said, calls with their attempts, other spans. Pure."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from toolwatch.conventions import (
    CONVERSATION_ID,
    RECORD,
    RECORD_RUN,
    RECORD_TURN,
    REQUEST_MODEL,
    RESPONSE_MODEL,
    RUN_ID,
)
from toolwatch_server.domain.call import Attempt, Call
from toolwatch_server.domain.rows import TraceView
from toolwatch_server.domain.span import Span
from toolwatch_web import links
from toolwatch_web.format import duration
from toolwatch_web.models.parts import Tick
from toolwatch_web.models.trace import Bar, Line

TICKS: Final = 6
NARROWEST: Final = 0.4  # percent: what took no time is still to be seen
DEEPEST: Final = 8
_CALL_KINDS: Final = {"ok": "ok", "interrupted": "paused", "running": "running", "abandoned": "running"}


@dataclass(frozen=True, slots=True)
class Scale:
    start_ns: int
    end_ns: int

    def x(self, at_ns: int) -> float:
        return round(min(max(100 * (at_ns - self.start_ns) / self.length_ns, 0.0), 100.0 - NARROWEST), 3)

    def width(self, start_ns: int, end_ns: int) -> float:
        return round(
            max(min(100 * (end_ns - start_ns) / self.length_ns, 100 - self.x(start_ns)), NARROWEST), 3
        )

    @property
    def length_ns(self) -> int:
        return max(self.end_ns - self.start_ns, 1)

    def ticks(self) -> tuple[Tick, ...]:
        steps = range(TICKS + 1)
        return tuple(
            Tick(
                percent=round(100 * n / TICKS, 2),
                text=duration(self.length_ns * n / TICKS / 1e6) if n else "0",
            )
            for n in steps
        )


@dataclass(slots=True)
class _Item:
    at_ns: int
    line: Line
    place: int = 0
    inside: list["_Item"] = field(default_factory=list)


def scale_of(view: TraceView, now_ns: int) -> Scale:
    """From the first to the last moment known; a call that runs reaches to now."""
    starts = [s.start_ns for s in view.spans if s.start_ns] + [
        a.started_ns for c in view.calls for a in c.attempts
    ]
    ends = [s.end_ns for s in view.spans] + [a.ended_ns or 0 for c in view.calls for a in c.attempts]
    if any(call.outcome == "running" for call in view.calls):
        ends.append(now_ns)
    start = min(starts, default=0)
    return Scale(start, max([*ends, start]))


def lines_of(view: TraceView, scale: Scale, *, trace_id: str | None, every_span: bool) -> tuple[Line, ...]:
    """Depth first, by time. Steps of the framework and foreign spans only where every span is asked for."""
    runs = {
        span.span_id: _Item(span.start_ns, _run(span, scale))
        for span in view.spans
        if span.attributes.get(RECORD) == RECORD_RUN
    }
    calls = {
        call.key: _Item(_first_ns(call), _call(call, scale, trace_id), call.position or 0)
        for call in view.calls
    }
    by_attempt = {a.span_id: calls[c.key] for c in view.calls for a in c.attempts}
    others = {
        s.span_id: _Item(s.start_ns, _span(s, scale))
        for s in view.spans
        if _is_shown(s, every_span, by_attempt)
    }
    roots: list[_Item] = []
    places = by_attempt | runs | others
    parents = {span.span_id: span.parent_span_id for span in view.spans}
    for span_id, item in [*runs.items(), *others.items()]:
        _put(item, _above(parents.get(span_id, ""), parents, places), roots)
    by_run = {
        str(s.attributes.get(RUN_ID)): runs[s.span_id] for s in reversed(view.spans) if s.span_id in runs
    }
    for call in view.calls:
        inside = calls.get(call.parent_key or "") or _above(_origin(call), parents, runs | others)
        _put(calls[call.key], inside or by_run.get(call.run_id or ""), roots)
    return tuple(_flat(_with_strays(roots, [*runs.values(), *others.values(), *calls.values()])))


def _is_shown(span: Span, every_span: bool, by_attempt: dict[str, _Item]) -> bool:
    record = span.attributes.get(RECORD)
    if record == RECORD_RUN or span.span_id in by_attempt:
        return False
    return record == RECORD_TURN or every_span


def _above(span_id: str, parents: dict[str, str], places: dict[str, _Item]) -> _Item | None:
    """The nearest ancestor that has a line. Broken or circular chains of parents end at the top."""
    seen: set[str] = set()
    while span_id and span_id not in seen:
        if span_id in places:
            return places[span_id]
        seen.add(span_id)
        span_id = parents.get(span_id, "")
    return None


def _origin(call: Call) -> str:
    return call.attempts[0].span_id if call.attempts else (call.span_id or "")


def _put(item: _Item, above: _Item | None, roots: list[_Item]) -> None:
    (roots if above is None or above is item else above.inside).append(item)


def _flat(roots: Sequence[_Item]) -> Iterator[Line]:
    """Depth first. No recursion: a chain of spans may be longer than Python's stack."""
    waiting = [(item, 0) for item in _latest_first(roots)]
    while waiting:
        item, depth = waiting.pop()
        yield replace(item.line, depth=min(depth, DEEPEST))
        waiting.extend((inner, depth + 1) for inner in _latest_first(item.inside))


def _latest_first(items: Iterable[_Item]) -> list[_Item]:
    return sorted(items, key=lambda item: (item.at_ns, item.place), reverse=True)


def _with_strays(roots: Sequence[_Item], items: Iterable[_Item]) -> list[_Item]:
    """Items whose ancestors go round in a circle hang below no root; they become roots of their own."""
    reached: set[int] = set()
    waiting = list(roots)
    while waiting:
        item = waiting.pop()
        reached.add(id(item))
        waiting.extend(item.inside)
    strays = [item for item in items if id(item) not in reached]
    for item in strays:
        item.inside = []
    return [*roots, *strays]


def _first_ns(call: Call) -> int:
    marks = (call.dispatched_ns, call.started_ns, call.requested_ns, call.answered_ns)
    return next((mark for mark in marks if mark is not None), 0)


def _run(span: Span, scale: Scale) -> Line:
    thread = span.attributes.get(CONVERSATION_ID)
    href = links.thread(thread) if isinstance(thread, str) else None
    return _line(span, scale, "run", span.name, note=f"thread {thread}" if href else "", href=href)


def _span(span: Span, scale: Scale) -> Line:
    if span.attributes.get(RECORD) == RECORD_TURN:
        model = span.attributes.get(RESPONSE_MODEL) or span.attributes.get(REQUEST_MODEL)
        return _line(span, scale, "turn", f"model {model}" if model else "model")
    return _line(span, scale, "span", span.name, note=span.status_message if span.status_code == 2 else "")


def _line(
    span: Span, scale: Scale, kind: str, label: str, *, note: str = "", href: str | None = None
) -> Line:
    took_ms = (span.end_ns - span.start_ns) / 1e6
    bar = Bar(
        kind=kind,
        x=scale.x(span.start_ns),
        width=scale.width(span.start_ns, span.end_ns),
        label=f"{label}: {duration(took_ms)}",
    )
    return Line(
        kind=kind,
        depth=0,
        label=label,
        note=note,
        href=href,
        outcome=None,
        bars=(bar,),
        duration_ms=took_ms,
        at_ns=span.start_ns,
    )


def _call(call: Call, scale: Scale, trace_id: str | None) -> Line:
    attempts = [a for a in call.attempts if trace_id is None or a.trace_id == trace_id]
    size = call.group.size if call.group else 1
    return Line(
        kind="call",
        depth=0,
        label=call.tool or "no name",
        note=call.tool_call_id or "no id",
        href=links.call(call.key),
        outcome=call.outcome,
        bars=tuple(_bars(attempts, scale)),
        duration_ms=call.duration_ms,
        at_ns=_first_ns(call),
        thread_name=attempts[0].thread_name if attempts else None,
        together=f"{(call.position or 0) + 1}/{size}" if size > 1 else None,
        executions=call.executions,
    )


def _bars(attempts: Iterable[Attempt], scale: Scale) -> Iterator[Bar]:
    before: Attempt | None = None
    for attempt in attempts:
        if before is not None and before.ended_ns is not None and attempt.started_ns > before.ended_ns:
            waited = duration((attempt.started_ns - before.ended_ns) / 1e6)
            width = scale.width(before.ended_ns, attempt.started_ns)
            yield Bar(kind="wait", x=scale.x(before.ended_ns), width=width, label=f"waited {waited}")
        yield attempt_bar(attempt, scale)
        before = attempt


def attempt_bar(attempt: Attempt, scale: Scale) -> Bar:
    end_ns = attempt.ended_ns if attempt.ended_ns is not None else scale.end_ns
    kind = bar_kind(attempt)
    said = f"attempt {attempt.number}: {attempt.outcome.replace('_', ' ')}, {duration(attempt.duration_ms)}"
    marks = [
        word for word, is_so in (("discarded", attempt.discarded), ("ended late", attempt.late)) if is_so
    ]
    return Bar(
        kind=kind,
        x=scale.x(attempt.started_ns),
        width=scale.width(attempt.started_ns, end_ns),
        label=", ".join([said, *marks]),
        number=attempt.number if attempt.number > 1 else None,
    )


def bar_kind(attempt: Attempt) -> str:
    if attempt.discarded:
        return "discarded"
    if attempt.late:
        return "late"
    kind = _CALL_KINDS.get(attempt.outcome, "failed")
    return "retry" if kind == "ok" and attempt.number > 1 else kind
