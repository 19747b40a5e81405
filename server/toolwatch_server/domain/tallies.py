"""What is counted for good, however often a call is computed anew and even when it is deleted."""

from dataclasses import dataclass
from typing import Final

# Upper ends of the buckets in which durations are counted; what is longer falls into the last, without end.
BUCKETS_S: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """Calls of one tool, service, outcome and bucket of durations; bucket is -1 without a duration."""

    tool: str
    service: str
    outcome: str
    bucket: int
    calls: int
    executions: int
    seconds: float
    trace_id: str | None
    example_seconds: float | None
    example_ns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Tallies:
    counted: tuple[Tally, ...]
    running: int
    waiting: int
    size_bytes: int
