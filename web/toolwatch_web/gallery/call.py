"""Samples of one call and of its parts."""

from typing import Final

from toolwatch_web.gallery.values import NOW_NS, payload, row
from toolwatch_web.json_tree import Problem, tree
from toolwatch_web.models.call import (
    AttemptsView,
    AttemptView,
    CallPage,
    Failure,
    Frame,
    FrameRun,
    Raised,
    Related,
    Step,
)
from toolwatch_web.models.parts import Fact, Notice, Payload
from toolwatch_web.models.trace import Bar
from toolwatch_web.outcomes import WARNINGS

STEP_STATES: Final = ("done", "failed", "missing", "skipped", "unknown", "waiting", "running")
STEP_NAMES: Final = (
    "Requested",
    "Parsed",
    "Validated",
    "Executed",
    "Error handling",
    "Answer",
    "Delivered",
)


BARS: Final = ("ok", "failed", "retry", "paused", "discarded", "running", "late")


def attempts() -> AttemptsView:
    return AttemptsView(attempts=_attempts(), span="1.20 s", note="Two ran at once for 80 ms.")


def _attempts() -> tuple[AttemptView, ...]:
    outcomes = ("ok", "tool_error", "invalid_args", "interrupted", "cancelled", "running", "abandoned")
    return tuple(
        AttemptView(
            number=number,
            cause="first" if number == 1 else "node_retry",
            outcome=outcome,
            discarded=number == 2,
            late=number == 3,
            body_ran=number != 3,
            overlaps="#3" if number == 4 else "",
            bar=Bar(kind=BARS[number - 1], x=number * 12.0, width=12.0, label=f"attempt {number}"),
            started_ns=NOW_NS,
            duration_ms=12.5,
            thread_name="worker-1",
            trace_href="/traces/1",
            error_type="TimeoutError" if number == 2 else None,
            error_message="no answer",
            asked=payload("Pay?") if outcome == "interrupted" else None,
            resumed_with=payload("yes") if number == 1 else None,
            result=payload("paid") if number == 1 else None,
        )
        for number, outcome in enumerate(outcomes, 1)
    )


def steps() -> tuple[Step, ...]:
    return tuple(
        Step(
            name=name,
            state=state,
            text="What it says about itself.",
            at_ns=NOW_NS if state != "unknown" else None,
            after="+12 ms",
        )
        for name, state in zip(STEP_NAMES, STEP_STATES, strict=True)
    )


def failure(*, readable: bool = True) -> Failure:
    own = FrameRun(
        frames=(Frame(file="/app/shop.py", line=42, function="charge", code="raise TimeoutError"),),
        libraries=(),
    )
    library = FrameRun(
        frames=(Frame(file="/x/langgraph/a.py", line=7, function="run", code=""),), libraries=("langgraph",)
    )
    chain = (
        Raised(relation=None, heading="OSError: closed", runs=(library,)),
        Raised(relation="raised from the one above", heading="TimeoutError: no answer", runs=(library, own)),
    )
    return Failure(
        type="TimeoutError",
        message=payload("no answer"),
        chain=chain if readable else (),
        plain=None if readable else "goroutine 1",
        stack_href="/calls/c1/raw/error",
    )


def values() -> tuple[tuple[str, Payload], ...]:
    wrong = (
        Problem(field="tasks", reason="Input should be a list", expected="list", received="string"),
        Problem(field="owner", reason="Field required"),
    )
    value = {
        "tasks": '[{"t": "pack"}]',
        "deep": {"list": [1, 2.5, True, None, {}], "many": list(range(60))},
        "空": "京都 🌧️",
        "key": "[api-key:3fa2c1]",
    }
    return (
        ("JSON with problems", Payload(tree=tree(value, wrong))),
        ("Text with a mark", payload("connect to postgres://svc:[dsn-password]@db")),
        (
            "Cut",
            Payload(text=payload("long ").text, cut=True, bytes=1_200_000, all_href="/calls/c1/raw/result"),
        ),
        ("Absent", Payload(absent="Not captured by the sender.")),
    )


def call_page(outcome: str) -> CallPage:
    siblings = Related(
        title="Asked for in one message", text="2 calls", rows=(row(outcome, is_current=True), row("ok"))
    )
    return CallPage(
        key="c1",
        tool="charge_card",
        tool_call_id={"external": None, "unknown": ""}.get(outcome, "call_1"),
        outcome=outcome,
        verdict="charge_card raised TimeoutError on all 3 attempts; the tool ran 3 times.",
        facts=facts(),
        notices=notices(),
        steps=steps(),
        attempts=attempts() if outcome in ("ok", "tool_error") else None,
        outside=(("Jaeger", "https://jaeger.example/trace/1"),),
        happened=payload("no answer"),
        happened_title="TimeoutError",
        told=payload("unavailable"),
        told_title="error message",
        differs=outcome == "tool_error",
        parts=("image, image/png, 2.0 kB",),
        written=values()[0][1],
        received=Payload(absent="Nothing."),
        injected=("state",),
        problems=(("tasks", "not a list", "list", "string"), ("", "not JSON", None, None)),
        failure=failure(readable=outcome != "cancelled"),
        siblings=siblings,
        related=(Related(title="Same id", text="other calls", rows=(row("ok"),), more_href="/calls"),),
        redactions=(("error", "dsn-password", 1),),
        details=facts(),
        trace_href="/traces/1",
        thread_href="/threads/1",
        running=outcome == "running",
    )


def facts() -> tuple[Fact, ...]:
    return (
        Fact(label="Ran", text="3 times", tone="fail", title="How often"),
        Fact(label="Thread", text="order-1041", href="/threads/order-1041", mono=True),
        Fact(label="When", text="", at_ns=NOW_NS),
    )


def notices() -> tuple[Notice, ...]:
    return tuple(
        Notice(code=code, text="What it means here.", links=(("Call 1", "/calls/c1"),)) for code in WARNINGS
    )
