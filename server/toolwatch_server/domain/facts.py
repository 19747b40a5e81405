"""Facts: what one record says about one call.

A fact never changes once sent, and its id says which record it came from, so a set of facts has no order and
no repetitions. Everything that is shown about a call is computed from the set of its facts (see assemble.py).
None always means "this record does not say".
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from toolwatch_server.domain.call import Error, Part, Problem, Redaction

if TYPE_CHECKING:
    from toolwatch_server.domain.clues import Clue


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Where a record came from; the same on every fact of that record."""

    trace_id: str
    span_id: str
    framework: str | None = None
    sdk: str | None = None
    service: str | None = None
    environment: str | None = None
    instance_id: str | None = None  # the process; None when the sender does not name one
    thread_id: str | None = None
    run_id: str | None = None
    agent: str | None = None
    node: str | None = None
    tracked: bool = (
        False  # the sender reports dispatches, answers and the ends of runs, so their absence means something
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Requested:
    """A model (or the run's input) asked for the call."""

    fact_id: str
    origin: Origin
    at_ns: int
    kind: str = "model"  # model | malformed | provider | input
    tool: str | None = None
    tool_call_id: str | None = None
    message_id: str | None = None
    position: int | None = None
    group_id: str | None = None
    group_size: int | None = None
    parent_key: str | None = None
    arguments: str | None = None  # JSON text; the model's own text when kind is malformed
    raw: str | None = None  # the text as streamed, when it differs
    repaired: bool = False
    error: str | None = None  # why the arguments could not be read
    finish_reason: str | None = None
    output_tokens: int | None = None
    max_tokens: int | None = None
    redactions: tuple[Redaction, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempted:
    """One run of a tool, as known at its start (ended_ns is None) or at its end."""

    fact_id: str
    origin: Origin
    attempt_span_id: str
    started_ns: int
    ended_ns: int | None = None
    tool: str | None = None
    tool_call_id: str | None = None
    parent_key: str | None = None
    cause: str | None = None  # first | wrapper_retry | node_retry | resume | rerun
    message_id: str | None = None
    position: int | None = None
    group_id: str | None = None
    group_size: int | None = None
    outcome: str | None = None  # ok | tool_error | invalid_args | interrupted | cancelled
    body_ran: bool | None = None
    late: bool = False
    handled_by: str | None = None
    thread_name: str | None = None
    arguments: str | None = None  # JSON text
    arguments_bytes: int | None = None
    validated: str | None = None  # JSON text
    injected: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()
    result: str | None = None
    result_bytes: int | None = None
    result_status: str | None = None
    parts: tuple[Part, ...] = ()
    error: Error | None = None
    interrupt: str | None = None  # JSON text
    resume: str | None = None  # JSON text
    content_captured: bool = True
    linked_by: str | None = None  # id | name_and_arguments | order: how other SDKs' records were joined
    redactions: tuple[Redaction, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Dispatched:
    """A node took up the call, whether or not anything ran."""

    fact_id: str
    origin: Origin
    started_ns: int
    ended_ns: int | None = None
    tool: str | None = None
    tool_call_id: str | None = None
    arguments: str | None = None
    message_id: str | None = None
    position: int | None = None
    group_id: str | None = None
    group_size: int | None = None
    parent_key: str | None = None
    cause: str | None = None
    unknown_tool: bool = False
    refused: bool = False  # for its arguments, and the sender reports no attempt
    raised_by_wrapper: bool = False  # what left it came from a wrapper, before any run of the tool
    handled_by: str | None = None
    handler_did_not_match: bool = False
    error: Error | None = None
    masked: Error | None = None
    interrupt: str | None = None
    taken_up: bool = True  # False: a node before that one asked a person about the call, and is paused
    attempts: tuple[str, ...] = ()  # span ids
    state: str = "pending"  # returned | discarded | pending
    step_outcome: str | None = None  # ok | error | interrupted | cancelled | handed_off
    redactions: tuple[Redaction, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """A message that carries the call's id was written."""

    fact_id: str
    origin: Origin
    at_ns: int
    status: str | None = None  # success | error
    content: str | None = None
    same_as_result: bool = False
    parts: tuple[Part, ...] = ()
    bytes: int | None = None
    truncated: bool = False
    by: str | None = None  # tool | toolnode | wrapper | a node's name
    delivered: bool | None = None
    redactions: tuple[Redaction, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A later model request carried the answer: what the model was told, as it was told.

    tool, tool_call_id and arguments: as the request repeats them, for calls of which nothing else is known.
    """

    fact_id: str
    origin: Origin
    at_ns: int
    content: str | None = None  # None: the same text as the answer's
    status: str | None = None
    tool: str | None = None
    tool_call_id: str | None = None
    arguments: str | None = None  # JSON text
    redactions: tuple[Redaction, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RunEnded:
    """The outermost run that the call belonged to has ended."""

    fact_id: str
    origin: Origin
    at_ns: int
    outcome: str  # ok | crashed | interrupted | cancelled | step_limit
    error_type: str | None = None


Fact: TypeAlias = Requested | Attempted | Dispatched | Answered | Shown | RunEnded


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """A fact and the call it is about."""

    call_key: str
    fact: Fact


@dataclass(frozen=True, slots=True, kw_only=True)
class Orphan:
    """An answer whose id nobody asked for."""

    orphan_id: str  # trace, span and place
    origin: Origin
    at_ns: int
    tool_call_id: str
    tool: str | None = None
    status: str | None = None
    content: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One run of a graph or agent."""

    origin: Origin
    name: str | None
    started_ns: int
    ended_ns: int
    outcome: str | None
    error: Error | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Pulse:
    """A sender says that its process lives, and what it lost."""

    instance_id: str
    at_ns: int
    calls: tuple[str, ...] = ()
    dropped: int = 0
    missing_hooks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """All that one record says. clues: what must be put together with the rest of its trace (link.py)."""

    facts: tuple[About, ...] = ()
    clues: "tuple[Clue, ...]" = ()
    orphans: tuple[Orphan, ...] = ()
    run: Run | None = None
    pulse: Pulse | None = None
