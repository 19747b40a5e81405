"""The smallest samples, which the others are made of."""

from dataclasses import replace
from typing import Any, Final

from toolwatch_web.json_tree import pieces
from toolwatch_web.models.parts import Payload, Row
from toolwatch_web.models.shell import Shell
from toolwatch_web.outcomes import LOOKS

NOW_NS: Final = 1_772_337_906_789_000_000  # 2026-03-01 04:05:06.789 UTC
_FAILED: Final = frozenset(name for name, look in LOOKS.items() if look.tone == "fail")


def shell(**changes: Any) -> Shell:
    return replace(Shell(title="Gallery", now_ns=NOW_NS, development=True), **changes)


def payload(text: str) -> Payload:
    return Payload(text=pieces(text))


def row(outcome: str, **changes: Any) -> Row:
    failed = outcome in _FAILED
    sample = Row(
        key=f"c-{outcome}",
        tool="charge_card",
        tool_call_id=f"call_{outcome}",
        outcome=outcome,
        failed=failed,
        executions=3 if outcome == "tool_error" else 1,
        attempts=1,
        at_ns=NOW_NS - 90_000_000_000,
        duration_ms=None if outcome == "running" else 512.0,
        waited_ms=None,
        service="shop",
        environment=None,
        thread_id="order-1041",
        trace_id="1",
        error_type="TimeoutError" if failed else None,
        error_message="no answer from the gateway" if failed else None,
        arguments='{"amount": 129.9}',
        answer=None if failed else "paid",
        warnings=("executed_again_after_retry", "error_masked") if failed else (),
        redactions=1 if failed else 0,
    )
    return replace(sample, **changes)
