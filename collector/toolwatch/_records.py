"""What is remembered of runs, calls and attempts while they last. Nothing here outlives its outermost run,
except the little that a paused run needs when it goes on (Past)."""

from dataclasses import dataclass, field
from typing import Any

from opentelemetry.trace import SpanContext

from toolwatch._failures import Failure
from toolwatch._redact import Ledger
from toolwatch._results import Shown
from toolwatch._spans import OpenSpan, Part
from toolwatch._tools import ToolInfo


@dataclass(slots=True, eq=False)
class CallInfo:
    """A call that somebody asked for, or that ran without being asked for."""

    key: str
    id: str | None
    name: str | None
    position: int
    message_id: str | None
    group_id: str | None = None
    group_size: int | None = None
    kind: str = "model"  # model | malformed | provider | input | direct
    arguments: Any = None
    parent_key: str | None = None
    graph: object = None  # the graph run in which it was asked for
    announced: bool = False  # a record of this run tells what was asked for
    dispatches: int = 0
    attempts: int = 0
    taken_by: object = None  # the node run that took it up last
    task: str | None = None  # the task of that node run: the same one when it is run again
    delivered: "Delivery | None" = None
    last_end: str | None = None  # how that node run ended: "interrupted", "failed", or None
    result: Shown | None = None  # what its last attempt returned
    result_hits: tuple[tuple[str, int], ...] = ()
    answer: Shown | None = None  # delivered to the state
    step: int | None = None


@dataclass(frozen=True, slots=True)
class Delivery:
    """Where an answer was written: it counts when the graph has gone beyond that step."""

    graph: object
    step: int | None
    by: str


@dataclass(frozen=True, slots=True)
class Past:
    """What one process remembers of a call whose run ended before its answer."""

    call: CallInfo
    interrupted: bool


@dataclass(slots=True, eq=False)
class Root:
    """An outermost run, or the run of a graph inside a tool."""

    id: str
    span: OpenSpan
    name: str | None
    scope: str
    thread_id: str | None
    started_ns: int
    outer: "Attempt | None" = None
    is_graph: bool = False
    resumes: bool = False  # it was started with an answer for a pause
    paused: bool = False
    loose: bool = False  # made up for a tool or a model outside any run
    input_message: Any = None
    first_step: int | None = None
    last_step: int = 0
    calls: dict[str, CallInfo] = field(default_factory=dict)
    by_id: dict[tuple[object, str | None], list[CallInfo]] = field(default_factory=dict)
    by_message: dict[tuple[str | None, str | None], list[CallInfo]] = field(default_factory=dict)
    open_nodes: dict[object, "Run"] = field(default_factory=dict)
    run_ids: set[object] = field(default_factory=set)
    orphans: set[tuple[object, object]] = field(default_factory=set)
    started: set[str] = field(default_factory=set)  # keys of calls that a node of this run took up
    steps: dict[object, int] = field(default_factory=dict)  # by graph: the last step that began
    broken: set[tuple[object, str | None]] = field(default_factory=set)  # graph and task of a failed node
    revoked: list[Any] = field(default_factory=list)  # answers that were thrown away with their step
    strays: list[Any] = field(default_factory=list)  # orphans that only a model was seen to be shown
    graph: object = None  # the run of the outermost graph itself
    common: Part | None = None
    ended: bool = False

    @property
    def context(self) -> SpanContext | None:
        return self.span.context if not self.loose else self.span.parent


@dataclass(slots=True, eq=False)
class Run:
    """One LangChain run below (or at) a root."""

    id: object
    root: Root
    node_run: "Run | None"  # the node run it belongs to: itself when it is one
    graph: object  # the graph run that this node run belongs to
    ns: str | None
    node: str | None
    step: int | None
    started_ns: int
    inputs: Any = None
    dispatches: list["Dispatch"] = field(default_factory=list)
    attempts: list["Attempt"] = field(default_factory=list)  # made by hand in this node
    common: Part | None = None
    ended: bool = False
    model: Any = None  # what is known of a model's turn


@dataclass(slots=True, eq=False)
class Dispatch:
    """A ToolNode took up a call."""

    call: CallInfo
    root: Root
    run: Run | None
    started_ns: int
    cause: str
    node_attempt: int | None
    unknown: bool
    raised_by_wrapper: bool = False
    scratchpad: Any = None
    attempts: list["Attempt"] = field(default_factory=list)
    open: "Attempt | None" = None
    ended_ns: int | None = None
    error: Failure | None = None
    masked: Failure | None = None
    handled_by: str | None = None
    handler_did_not_match: bool = False
    interrupt: Any = None
    taken_up: bool = True  # False: another node asks a person about the call first
    message: Any = None  # the ToolMessage that came out
    state: str = "pending"

    @property
    def ended(self) -> bool:
        return self.ended_ns is not None


@dataclass(slots=True, eq=False)
class Attempt:
    """One run of a tool."""

    call: CallInfo
    root: Root
    run: Run | None
    dispatch: Dispatch | None
    span: OpenSpan
    tool: ToolInfo
    ledger: Ledger
    arguments_text: str | None  # redacted JSON
    arguments: Any  # plain data, not redacted
    part: Part  # what both of its records say
    validated: Any = None
    body_ran: bool | None = None
    handled: BaseException | None = None  # the error that the tool turned into an answer itself
    resumes_before: int | None = None
    ended_ns: int | None = None
    outcome: str | None = None
    late: bool = False
    failure: Failure | None = None
    problems: list[dict[str, str | None]] | None = None
    interrupt: Any = None
    resume: Any = None
    result: Shown | None = None
