"""What happened in a window of time, and what is happening now."""

from datetime import UTC, datetime
from typing import Final

from fastapi import APIRouter, Request
from fastapi.responses import Response

from toolwatch_server.domain.call import FAILED
from toolwatch_server.domain.filters import CallFilter
from toolwatch_server.domain.rows import Bucket, Overview
from toolwatch_server.pages import respond
from toolwatch_server.pages.reading import Database, Now
from toolwatch_server.pages.shape_rows import error_of, outcome_counts, rows_of, tool_of, warning_counts
from toolwatch_server.pages.windows import Window, window_of
from toolwatch_server.storage.queries.overview import overview as ask_overview
from toolwatch_web.format import count, duration, plural, share
from toolwatch_web.models.lists import OverviewPage
from toolwatch_web.models.parts import Fact, Stack, Tick
from toolwatch_web.outcomes import look

router: Final = APIRouter(include_in_schema=False)
_TONES: Final = (
    "fail",
    "warn",
    "wait",
    "live",
    "mute",
    "ok",
)  # from the floor up: what went wrong stands on it
_LISTED: Final = 8
_SAMPLE: Final = "Of the newest 5 000 calls of this window that have ended"


@router.get("/")
def overview(request: Request, db: Database, now_ns: Now) -> Response:
    window = window_of(request, now_ns)
    found = ask_overview(
        db,
        CallFilter(),
        since_ns=window.since_ns,
        until_ns=window.until_ns,
        bucket_ns=window.bucket_ns,
    )
    return respond.page(
        request, "overview", _model(found, window), title="Overview", section="Overview", now_ns=now_ns
    )


def _model(found: Overview, window: Window) -> OverviewPage:
    highest = max((sum(number for _, number in bucket.outcomes) for bucket in found.buckets), default=0)
    problems = [(tool.tool, *problem) for tool in found.tools for problem in tool.problem_fields]
    since = f"-{window.name}"
    return OverviewPage(
        window=window.name,
        windows=window.links("/"),
        facts=_facts(found),
        stacks=tuple(
            _stack(index, bucket, len(found.buckets), highest) for index, bucket in enumerate(found.buckets)
        ),
        ticks=_ticks(found),
        highest=highest,
        outcomes=outcome_counts(found.outcomes, since=since),
        tools=tuple(tool_of(tool, window) for tool in found.tools[:_LISTED]),
        errors=tuple(error_of(group, window) for group in found.errors[:_LISTED]),
        running=rows_of(found.running[:_LISTED]),
        waiting=rows_of(found.waiting[:_LISTED]),
        warnings=warning_counts(found.warnings[:_LISTED], since=since),
        problems=tuple(sorted(problems, key=lambda problem: -problem[3])[:_LISTED]),
        empty=not (found.calls or found.running or found.waiting),
    )


def _facts(found: Overview) -> tuple[Fact, ...]:
    again = found.executions - found.calls
    return (
        Fact(label="Calls", text=count(found.calls)),
        Fact(
            label="Failed",
            text=f"{count(found.failed)} · {share(found.failed, found.calls)}",
            tone="fail" if found.failed else "",
        ),
        Fact(label="Executions", text=count(found.executions), title=f"{again:+} compared with calls"),
        Fact(label="p50", text=duration(found.p50_ms), title=_SAMPLE),
        Fact(label="p95", text=duration(found.p95_ms), title=_SAMPLE),
        Fact(label="Running now", text=count(len(found.running)), tone="live" if found.running else ""),
        Fact(
            label="Waiting for people", text=count(len(found.waiting)), tone="wait" if found.waiting else ""
        ),
    )


def _stack(index: int, bucket: Bucket, buckets: int, highest: int) -> Stack:
    by_tone: dict[str, int] = {}
    for outcome, number in bucket.outcomes:
        by_tone[look(outcome).tone] = by_tone.get(look(outcome).tone, 0) + number
    layers, floor = [], 100.0
    for tone in _TONES:
        if number := by_tone.get(tone, 0):
            height = 96 * number / highest
            floor -= height
            layers.append((tone, round(floor, 2), round(height, 2), tone, number))
    total = sum(by_tone.values())
    failed = sum(number for outcome, number in bucket.outcomes if outcome in FAILED)
    return Stack(
        x=round(100 * index / buckets, 3),
        width=round(82 / buckets, 3),
        label=f"{_minute(bucket.start_ns)}: {plural(total, 'call')}, {failed} failed",
        layers=tuple(layers),
        total=total,
        failed=failed,
    )


def _ticks(found: Overview) -> tuple[Tick, ...]:
    if not found.buckets:
        return ()
    places = sorted({0, len(found.buckets) // 3, 2 * len(found.buckets) // 3, len(found.buckets) - 1})
    return tuple(
        Tick(
            percent=round(100 * place / max(len(found.buckets) - 1, 1), 2),
            text=_minute(found.buckets[place].start_ns),
        )
        for place in places
    )


def _minute(ns: int) -> str:
    return datetime.fromtimestamp(ns // 1_000_000_000, UTC).strftime("%m-%d %H:%M")
