"""What the read path answers with: frozen rows, one kind for each question."""

from dataclasses import dataclass

from toolwatch_server.domain.call import Call
from toolwatch_server.domain.facts import Orphan, Run
from toolwatch_server.domain.span import Span


@dataclass(frozen=True, slots=True, kw_only=True)
class CallRow:
    """A call as a list shows it. sort_ns is the first moment known of it: lists are newest first by it."""

    key: str
    tool_call_id: str | None
    tool: str | None
    service: str | None
    environment: str | None
    thread_id: str | None
    trace_id: str | None
    run_id: str | None
    parent_key: str | None
    group_id: str | None
    position: int | None
    outcome: str
    failed: bool
    executions: int
    attempts: int
    sort_ns: int
    started_ns: int | None
    ended_ns: int | None
    duration_ms: float | None
    waited_ms: float | None
    error_type: str | None
    error_message: str | None
    arguments_preview: str | None
    answer_preview: str | None
    warnings: tuple[str, ...]  # codes
    redactions: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CallPage:
    rows: tuple[CallRow, ...]
    next_cursor: str | None
    total: int | None  # None when counting would cost too much


@dataclass(frozen=True, slots=True, kw_only=True)
class Facets:
    """How calls are divided: (value, count), most frequent first. complete: no call was left out."""

    looked_at: int
    complete: bool
    outcomes: tuple[tuple[str, int], ...]
    tools: tuple[tuple[str, int], ...]
    services: tuple[tuple[str, int], ...]
    warnings: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CallView:
    """One call and the calls that one wants beside it."""

    call: Call
    siblings: tuple[CallRow, ...]  # asked for in the same message, by position; the call itself included
    nested: tuple[CallRow, ...]  # ran inside it
    same_id: tuple[CallRow, ...]  # other calls with the same tool_call_id, newest first
    same_arguments: tuple[CallRow, ...]  # other calls of the thread or run with the same tool and arguments
    corrected_by: CallRow | None  # the next call of the same tool in the same run or thread, after a refusal
    corrects: CallRow | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceView:
    """A trace, or (for a thread) several. Spans without the records that only announce a start."""

    calls: tuple[Call, ...]
    spans: tuple[Span, ...]
    orphans: tuple[Orphan, ...]
    runs: tuple[Run, ...]
    spans_total: int  # more than len(spans) where the answer was cut


@dataclass(frozen=True, slots=True, kw_only=True)
class TimelineSpan:
    """What a timeline needs to know of every span. record is None for spans of other senders."""

    span_id: str
    parent_span_id: str
    name: str
    record: str | None
    start_ns: int
    end_ns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TimelineView:
    """All of a trace in outline. attempts pairs the span of each attempt with the key of its call."""

    calls: tuple[CallRow, ...]
    spans: tuple[TimelineSpan, ...]
    attempts: tuple[tuple[str, str], ...]
    orphans: tuple[Orphan, ...]
    runs: tuple[Run, ...]
    calls_total: int
    spans_total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolHealth:
    tool: str
    calls: int
    failed: int
    executions: int
    running: int
    p50_ms: float | None
    p95_ms: float | None
    p99_ms: float | None
    last_ns: int
    outcomes: tuple[tuple[str, int], ...]  # most frequent first
    problem_fields: tuple[tuple[str, str, int], ...]  # field, reason, count
    trend: tuple[tuple[int, int, int], ...] = ()  # number of the slice of time, calls, failed


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorGroup:
    """Failures of one type whose messages differ in numbers and ids only."""

    error_type: str
    message: str  # normalised
    tools: tuple[str, ...]
    count: int
    first_ns: int  # may be before the window that was asked for
    last_ns: int
    last_key: str
    is_new: bool = False  # not seen before the window
    trend: tuple[tuple[int, int], ...] = ()  # number of the slice of time, failures


@dataclass(frozen=True, slots=True, kw_only=True)
class Leak:
    """In so many calls of a tool, a rule found a secret in what the model was told."""

    tool: str | None
    rule: str
    calls: int
    first_ns: int
    last_ns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Bucket:
    """Counts by outcome in one slice of time."""

    start_ns: int
    outcomes: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    since_ns: int
    until_ns: int
    bucket_ns: int
    calls: int
    failed: int
    executions: int
    p50_ms: float | None
    p95_ms: float | None
    outcomes: tuple[tuple[str, int], ...]
    buckets: tuple[Bucket, ...]
    tools: tuple[ToolHealth, ...]  # most failures first
    errors: tuple[ErrorGroup, ...]  # newest first
    running: tuple[CallRow, ...]  # oldest first
    waiting: tuple[CallRow, ...]  # for a person, oldest first
    warnings: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Instance:
    """A sending process."""

    instance_id: str
    service: str | None
    last_seen_ns: int
    dropped: int
    missing_hooks: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreStatus:
    database: str  # sqlite | postgresql
    location: str  # without any password
    schema_revision: str
    size_bytes: int | None
    calls: int
    spans: int
    oldest_ns: int | None
    newest_ns: int | None
    instances: tuple[Instance, ...]
