"""A whole trace as a small picture: every attempt in a lane, however many there are. Pure."""

from collections.abc import Sequence
from typing import Final

from toolwatch_server.domain.rows import CallRow, TimelineView
from toolwatch_server.pages.bars import Scale
from toolwatch_server.pages.concurrency import Stretch, lanes
from toolwatch_web.models.trace import Trail

LANE: Final = 9  # pixels
HIGHEST: Final = 220
WIDTH: Final = 10_000
_KINDS: Final = {"interrupted": "paused", "running": "running"}

Ran = Stretch[CallRow]


def attempts_of(view: TimelineView, scale: Scale) -> tuple[Ran, ...]:
    """When the attempts of this trace ran; what has no end yet reaches to the end of the axis."""
    times = {span.span_id: (span.start_ns, span.end_ns) for span in view.spans}
    rows = {row.key: row for row in view.calls}
    ended = [
        Stretch(start_ns=times[span_id][0], end_ns=times[span_id][1], of=rows[key])
        for span_id, key in view.attempts
        if span_id in times and key in rows
    ]
    known = {stretch.of.key for stretch in ended}
    going_on = [
        Stretch(start_ns=row.started_ns, end_ns=scale.end_ns, of=row)
        for row in view.calls
        if row.outcome == "running" and row.key not in known and row.started_ns is not None
    ]
    return (*ended, *going_on)


def trails_of(ran: Sequence[Ran], scale: Scale) -> tuple[tuple[Trail, ...], int]:
    """At most four paths for all attempts, and the height; none where nothing ran beside anything else."""
    found = lanes(ran)
    if len(found) < 2:
        return (), 0
    step = min(LANE, HIGHEST / len(found))
    pieces: dict[str, list[str]] = {}
    for number, lane in enumerate(found):
        y = round(number * step + step / 2, 1)
        for stretch in lane:
            kind = "failed" if stretch.of.failed else _KINDS.get(stretch.of.outcome, "ok")
            pieces.setdefault(kind, []).append(_stroke(stretch, y, scale))
    thick = round(max(step - 2, 0.8), 1)
    trails = tuple(Trail(kind=kind, path="".join(some), width=thick) for kind, some in sorted(pieces.items()))
    return trails, round(step * len(found)) + 1


def _stroke(stretch: Ran, y: float, scale: Scale) -> str:
    x = round(WIDTH * (stretch.start_ns - scale.start_ns) / scale.length_ns)
    width = max(round(WIDTH * (stretch.end_ns - stretch.start_ns) / scale.length_ns), 8)
    return f"M{x} {y}h{width}"
