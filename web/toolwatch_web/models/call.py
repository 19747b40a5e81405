"""What the page of one call shows."""

from dataclasses import dataclass

from toolwatch_web.models.parts import Fact, Notice, Payload, Row
from toolwatch_web.models.trace import Bar


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptView:
    """overlaps names the attempts that ran at the same time: "#2, #3"."""

    number: int
    cause: str
    outcome: str
    discarded: bool
    late: bool
    body_ran: bool
    overlaps: str
    bar: Bar
    started_ns: int
    duration_ms: float | None
    thread_name: str | None
    trace_href: str | None
    error_type: str | None
    error_message: str | None
    asked: Payload | None
    resumed_with: Payload | None
    result: Payload | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptsView:
    """The attempts on one axis; span is its length in words."""

    attempts: tuple[AttemptView, ...]
    span: str
    note: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One rung of the ladder. state: done, failed, missing, skipped, unknown, waiting or running."""

    name: str
    state: str
    text: str
    at_ns: int | None = None
    after: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    file: str
    line: int | None
    function: str
    code: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FrameRun:
    """Neighbouring frames that are all the user's own, or all a library's (then libraries names them)."""

    frames: tuple[Frame, ...]
    libraries: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Raised:
    """One exception of a chain; relation says how it came after the one before it."""

    relation: str | None
    heading: str
    runs: tuple[FrameRun, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """The real error. chain is empty and plain set where the stack could not be read as Python's."""

    type: str
    message: Payload
    chain: tuple[Raised, ...]
    plain: str | None
    stack_href: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Related:
    title: str
    text: str
    rows: tuple[Row, ...]
    more_href: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CallPage:
    key: str
    tool: str | None
    tool_call_id: str | None
    outcome: str
    verdict: str
    facts: tuple[Fact, ...]
    notices: tuple[Notice, ...]
    steps: tuple[Step, ...]
    attempts: AttemptsView | None
    outside: tuple[tuple[str, str], ...]
    happened: Payload
    happened_title: str
    told: Payload
    told_title: str
    differs: bool
    parts: tuple[str, ...]
    written: Payload
    received: Payload
    injected: tuple[str, ...]
    problems: tuple[tuple[str, str, str | None, str | None], ...]
    failure: Failure | None
    siblings: Related | None
    related: tuple[Related, ...]
    redactions: tuple[tuple[str, str, int], ...]
    details: tuple[Fact, ...]
    trace_href: str | None
    thread_href: str | None
    running: bool
