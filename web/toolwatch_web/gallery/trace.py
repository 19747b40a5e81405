"""Samples of the timeline and of the conversation."""

from typing import Final

from toolwatch_web.gallery.call import facts, notices
from toolwatch_web.gallery.values import NOW_NS, row
from toolwatch_web.models.parts import Tick
from toolwatch_web.models.trace import (
    Bar,
    Line,
    OrphanView,
    Repeat,
    RunView,
    ThreadPage,
    Together,
    TracePage,
    Trail,
    Turn,
)

BAR_KINDS: Final = (
    "ok",
    "failed",
    "retry",
    "paused",
    "discarded",
    "late",
    "running",
    "wait",
    "turn",
    "run",
    "span",
)


def lines() -> tuple[Line, ...]:
    bars = tuple(
        Bar(kind=kind, x=9.0 * n, width=8, label=kind, number=n + 1) for n, kind in enumerate(BAR_KINDS)
    )
    kinds = (("run", None), ("turn", None), ("call", "tool_error"), ("span", None))
    return tuple(
        Line(
            id=kind,
            critical=kind == "call",
            inside=2 if kind == "run" else 0,
            fold_href="/traces/1?fold=run" if kind == "run" else None,
            kind=kind,
            depth=depth,
            label=f"a {kind}",
            note="a note",
            href="/calls/c1" if outcome else None,
            outcome=outcome,
            bars=bars,
            duration_ms=7.5,
            at_ns=NOW_NS,
            together="1/3",
            executions=3,
        )
        for depth, (kind, outcome) in enumerate(kinds)
    )


def ticks() -> tuple[Tick, ...]:
    return (Tick(percent=0, text="0"), Tick(percent=50, text="1 s"), Tick(percent=100, text="2 s"))


def trace_page(*, cut: bool) -> TracePage:
    return TracePage(
        trace_id="0af7651916cd43dd8448eb211c80319c",
        verdict="The run crashed; 3 calls, 1 failed.",
        facts=facts(),
        ticks=ticks(),
        together=(Together(text="Ran 3 at once: 0.51 s instead of 1.51 s", tools="get_weather"),),
        lines=lines(),
        outside=(("Tempo", "https://grafana.example/1"),),
        trails=(Trail(kind="ok", path="M0 4h90", width=7),) if cut else (),
        trails_height=9 if cut else 0,
        critical=(("model", "1.20 s, 60 %"), ("charge_card", "300 ms, 15 %")),
        lines_from=200 if cut else 0,
        lines_shown=800 if cut else 4,
        lines_total=900 if cut else 4,
        query="timeout" if cut else "",
        found=3 if cut else None,
        folded=("run",) if cut else (),
        here_href="/traces/1",
        unfold_href="/traces/1" if cut else None,
        more_href="/traces/1?from=200" if cut else None,
        more_part="/parts/traces/1/lines?from=200" if cut else None,
        cut="Only 5 000 of 9 000 calls were read." if cut else None,
        all_spans_href="/traces/1?spans=all",
        all_spans=cut,
        orphans=orphans(),
        notices=notices()[:1],
        started_ns=NOW_NS,
    )


def orphans() -> tuple[OrphanView, ...]:
    return (OrphanView(tool_call_id="call_9", tool=None, status="success", content="12:00", at_ns=NOW_NS),)


def thread_page() -> ThreadPage:
    loop, single = Repeat(rows=(row("ok"),) * 12), Repeat(rows=(row("tool_error"),))
    turns = (
        Turn(
            at_ns=NOW_NS,
            heading="the model asked for 1 call",
            repeats=(single,),
            told=(),
            warning="Waits for a person.",
        ),
        Turn(at_ns=NOW_NS, heading="the model asked for 12 calls", repeats=(loop,), told=(), warning=None),
    )
    outcomes = ("ok", "crashed", "interrupted", "cancelled", "step_limit", "")
    runs = tuple(
        RunView(
            title=f"Run {n}",
            outcome=outcome,
            outcome_word=outcome or "not known",
            started_ns=NOW_NS,
            duration_ms=4.2,
            trace_href="/traces/1" if n else None,
            error="RuntimeError: closed" if n else None,
            turns=turns if n else (),
        )
        for n, outcome in enumerate(outcomes)
    )
    return ThreadPage(
        thread_id="order-1041",
        facts=facts(),
        runs=runs,
        unanswered=(row("unanswered"),),
        orphans=orphans(),
        notices=(),
        cut="Cut.",
    )
