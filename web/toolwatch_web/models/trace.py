"""What the timeline of a trace and the conversation of a thread show. Places on the axis are percent."""

from dataclasses import dataclass

from toolwatch_web.models.parts import Fact, Notice, Row, Tick


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """kind: run, turn, span, ok, failed, retry, paused, discarded, late, running or wait."""

    kind: str
    x: float
    width: float
    label: str
    number: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A line of the waterfall. kind: run, turn, call or span.

    inside counts what hangs directly below it; where it is folded, everything below it.
    """

    id: str
    kind: str
    depth: int
    label: str
    note: str
    href: str | None
    outcome: str | None
    bars: tuple[Bar, ...]
    duration_ms: float | None
    at_ns: int
    thread_name: str | None = None
    together: str | None = None
    executions: int | None = None
    critical: bool = False
    inside: int = 0
    folded: bool = False
    fold_href: str | None = None
    found: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Trail:
    """All bars of one kind as one path. kind: ok, failed, paused or running."""

    kind: str
    path: str
    width: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Together:
    """Calls that ran at once."""

    text: str
    tools: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OrphanView:
    tool_call_id: str
    tool: str | None
    status: str | None
    content: str | None
    at_ns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TracePage:
    trace_id: str
    verdict: str
    facts: tuple[Fact, ...]
    outside: tuple[tuple[str, str], ...]
    ticks: tuple[Tick, ...]
    trails: tuple[Trail, ...]
    trails_height: int
    critical: tuple[tuple[str, str], ...]
    together: tuple[Together, ...]
    lines: tuple[Line, ...]
    lines_from: int
    lines_shown: int
    lines_total: int
    query: str
    found: int | None
    folded: tuple[str, ...]
    here_href: str
    unfold_href: str | None
    more_href: str | None
    more_part: str | None
    cut: str | None
    all_spans_href: str
    all_spans: bool
    orphans: tuple[OrphanView, ...]
    notices: tuple[Notice, ...]
    started_ns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeat:
    """Neighbouring calls of one tool with equal arguments, or a single call."""

    rows: tuple[Row, ...]

    @property
    def looped(self) -> bool:
        return len(self.rows) > 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """What one message of the model asked for. told pairs each key with what the model was told."""

    at_ns: int
    heading: str
    repeats: tuple[Repeat, ...]
    told: tuple[tuple[str, str], ...]
    warning: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunView:
    title: str
    outcome: str
    outcome_word: str
    started_ns: int
    duration_ms: float | None
    trace_href: str | None
    error: str | None
    turns: tuple[Turn, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadPage:
    thread_id: str
    facts: tuple[Fact, ...]
    runs: tuple[RunView, ...]
    unanswered: tuple[Row, ...]
    orphans: tuple[OrphanView, ...]
    notices: tuple[Notice, ...]
    cut: str | None
