"""What hangs below what in a trace: runs, what the model said, calls, other spans. Pure."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from toolwatch.conventions import RECORD_RUN, RECORD_TURN
from toolwatch_server.domain.rows import CallRow, TimelineSpan, TimelineView
from toolwatch_server.pages.bars import Scale
from toolwatch_web.outcomes import look


@dataclass(slots=True)
class Item:
    """A line to be. kind: run, turn, call or span; words is what a search looks through."""

    id: str
    kind: str
    label: str
    start_ns: int
    end_ns: int
    words: str
    note: str = ""
    place: int = 0
    together: int = 1  # calls asked for in one message
    call: CallRow | None = None
    inside: list["Item"] = field(default_factory=list)


def scale_of(view: TimelineView, now_ns: int) -> Scale:
    """From the first to the last moment known; a call that runs reaches to now."""
    running = [call for call in view.calls if call.outcome == "running"]
    starts = [span.start_ns for span in view.spans if span.start_ns]
    starts += [call.started_ns for call in running if call.started_ns is not None]
    ends = [*(span.end_ns for span in view.spans), *(now_ns for _ in running)]
    start = min(starts, default=min((call.sort_ns for call in view.calls), default=0))
    return Scale(start, max([*ends, start]))


def tree_of(view: TimelineView, scale: Scale, *, every_span: bool) -> list[Item]:
    """Steps of the framework and foreign spans only where every span is asked for."""
    threads = {run.origin.span_id: run.origin.thread_id for run in view.runs}
    spans = {
        span.span_id: _span_item(span, threads.get(span.span_id))
        for span in view.spans
        if every_span or span.record in (RECORD_RUN, RECORD_TURN)
    }
    calls = _calls(view, scale)
    by_attempt = {span_id: calls[key] for span_id, key in view.attempts if key in calls}
    others = {span_id: item for span_id, item in spans.items() if span_id not in by_attempt}
    parents = {span.span_id: span.parent_span_id for span in view.spans}
    places = by_attempt | others
    roots: list[Item] = []
    for span_id, item in others.items():
        _put(item, _above(parents.get(span_id, ""), parents, places), roots)
    by_run = {run.origin.run_id: others.get(run.origin.span_id) for run in reversed(view.runs)}
    first = {key: span_id for span_id, key in reversed(view.attempts)}
    for row in view.calls:
        inside = _above(parents.get(first.get(row.key, ""), ""), parents, places)
        _put(calls[row.key], inside or calls.get(row.parent_key or "") or by_run.get(row.run_id), roots)
    return _with_strays(roots, [*others.values(), *calls.values()])


def _calls(view: TimelineView, scale: Scale) -> dict[str, Item]:
    """A call reaches over all its attempts of this trace, paused or not."""
    times = {span.span_id: span for span in view.spans}
    reach: dict[str, list[TimelineSpan]] = {}
    for span_id, key in view.attempts:
        if span_id in times:
            reach.setdefault(key, []).append(times[span_id])
    sizes = Counter(row.group_id for row in view.calls)
    return {
        row.key: _call_item(row, reach.get(row.key, []), scale, sizes[row.group_id]) for row in view.calls
    }


def _call_item(row: CallRow, attempts: Sequence[TimelineSpan], scale: Scale, together: int) -> Item:
    start_ns = min([a.start_ns for a in attempts], default=row.started_ns or row.sort_ns)
    end_ns = max([a.end_ns for a in attempts], default=scale.end_ns if row.outcome == "running" else start_ns)
    texts = (
        row.tool, row.tool_call_id, row.outcome, look(row.outcome).word, row.key, row.error_type,
        row.error_message, row.arguments_preview, row.answer_preview,
    )  # fmt: skip
    return Item(
        id=row.key,
        kind="call",
        label=row.tool or "no name",
        start_ns=start_ns,
        end_ns=max(end_ns, start_ns),
        words=" ".join(text for text in texts if text).casefold(),
        note=row.tool_call_id or "no id",
        place=row.position or 0,
        together=together if row.group_id is not None else 1,
        call=row,
    )


def _span_item(span: TimelineSpan, thread_id: str | None) -> Item:
    kind = {RECORD_RUN: "run", RECORD_TURN: "turn"}.get(span.record or "", "span")
    label = f"model {span.name.removeprefix('chat').strip()}".strip() if kind == "turn" else span.name
    note = f"thread {thread_id}" if thread_id else ""
    return Item(
        id=span.span_id,
        kind=kind,
        label=label,
        start_ns=span.start_ns,
        end_ns=max(span.end_ns, span.start_ns),
        words=f"{label} {note} {span.span_id}".casefold(),
        note=note,
    )


def _above(span_id: str, parents: dict[str, str], places: dict[str, Item]) -> Item | None:
    """The nearest ancestor that has a line. Broken or circular chains of parents end at the top."""
    seen: set[str] = set()
    while span_id and span_id not in seen:
        if span_id in places:
            return places[span_id]
        seen.add(span_id)
        span_id = parents.get(span_id, "")
    return None


def _put(item: Item, above: Item | None, roots: list[Item]) -> None:
    (roots if above is None or above is item else above.inside).append(item)


def _with_strays(roots: Sequence[Item], items: Iterable[Item]) -> list[Item]:
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
