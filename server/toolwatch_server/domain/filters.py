"""A question about calls, as a value."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class CallFilter:
    """Every field narrows the answer; None and () do not. From since_ns on, up to but without until_ns."""

    tool_call_id: str | None = None
    tool: str | None = None
    outcomes: tuple[str, ...] = ()
    failed: bool | None = None
    service: str | None = None
    environment: str | None = None
    thread_id: str | None = None
    trace_id: str | None = None
    run_id: str | None = None
    error_type: str | None = None
    warning: str | None = None
    redaction: str | None = None  # a rule that hid something in the call
    min_attempts: int | None = None
    min_duration_ms: float | None = None
    since_ns: int | None = None
    until_ns: int | None = None
    q: str | None = None  # words in arguments, results, errors
    limit: int = 50
    cursor: str | None = None
