"""The nouns: a tool call, its attempts, its outcome. Times are Unix nanoseconds, durations milliseconds."""

from dataclasses import dataclass
from typing import Final

OUTCOMES: Final = (
    "ok", "tool_error", "invalid_args", "inject_error", "invalid_result", "unknown_tool", "malformed",
    "interrupted", "cancelled", "discarded", "not_started", "answered", "rejected", "unanswered",
    "running", "abandoned", "external", "unknown",
)  # fmt: skip
FAILED: Final = frozenset({
    "tool_error", "invalid_args", "inject_error", "invalid_result", "unknown_tool", "malformed",
    "cancelled", "discarded", "not_started", "unanswered", "abandoned",
})  # fmt: skip
WARNINGS: Final = (
    "executed_again_after_resume", "executed_again_after_retry", "repeated_call", "secret_reached_model",
    "error_masked", "id_reused", "id_missing", "orphan_answer", "inner_validation_error", "not_delivered",
    "handler_did_not_match", "output_cut", "arguments_repaired", "double_encoded_arguments",
    "still_running_after_run", "run_crashed", "step_limit", "content_not_captured", "clock_skew",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Error:
    type: str
    message: str = ""
    stack: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """What is wrong with one field of the arguments. A nested field is written a.b.0."""

    field: str
    reason: str
    expected: str | None = None
    received: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A part of an answer that is not plain text (an image, a file); its bytes are not kept."""

    type: str
    mime_type: str | None = None
    bytes: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Redaction:
    where: str
    rule: str
    count: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Warning_:
    code: str
    text: str
    keys: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    number: int
    cause: str
    outcome: str
    discarded: bool
    late: bool
    body_ran: bool
    started_ns: int
    ended_ns: int | None
    duration_ms: float | None
    trace_id: str
    span_id: str
    thread_name: str | None
    error: Error | None
    interrupt: str | None  # JSON text of what was asked of a person
    resume: str | None
    result: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Arguments:
    raw: str | None  # as the model wrote them
    value: object  # parsed; None when unreadable or not captured
    received: object  # what the tool was given, when it differs from what the model wrote; else None
    validated: object
    injected: tuple[str, ...]
    problems: tuple[Problem, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    status: str | None
    content: str | None
    parts: tuple[Part, ...]
    bytes: int
    truncated: bool
    delivered: bool | None
    by: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    id: str
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """The whole lifecycle of one tool call, as far as its facts say."""

    key: str
    tool_call_id: str | None
    tool: str | None
    framework: str | None
    sdk: str | None
    service: str | None
    environment: str | None
    agent: str | None
    node: str | None
    thread_id: str | None
    run_id: str | None
    trace_id: str | None
    trace_ids: tuple[str, ...]  # all traces that speak of it, oldest first
    span_id: str | None
    message_id: str | None
    parent_key: str | None
    position: int | None
    group: Group | None
    outcome: str
    failed: bool
    handled_by: str | None
    requested_ns: int | None
    dispatched_ns: int | None
    started_ns: int | None
    ended_ns: int | None
    answered_ns: int | None
    seen_ns: int | None
    duration_ms: float | None
    waited_ms: float | None
    executions: int
    attempts: tuple[Attempt, ...]
    arguments: Arguments
    result: str | None  # what the tool returned in its last ended attempt
    error: Error | None
    answer: Answer
    told: str | None  # what the model was shown, when a later request was seen
    redactions: tuple[Redaction, ...]
    warnings: tuple[Warning_, ...]
    arguments_bytes: int
    result_bytes: int
    finish_reason: str | None
    run_outcome: str | None
    instance_id: str | None  # the process that started the last attempt
    last_seen_ns: int | None  # last sign of life of that process
    linked_by: str | None = None  # id | name_and_arguments | order: how records of other SDKs were joined
    question: str | None = None  # JSON text of what a person is asked while nothing of the tool has run
