"""Clues: what one record of another SDK says about tool calls, before anyone knows which calls they are.

Our own records name the call they speak of. Others leave that to the reader, who needs the whole trace for
it: see link.py. None always means "this record does not say".
"""

from dataclasses import dataclass

from toolwatch_server.domain.call import Error, Redaction
from toolwatch_server.domain.facts import Origin


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A call that a model asked for."""

    tool_call_id: str | None = None
    tool: str | None = None
    arguments: str | None = None  # JSON text, or what the model wrote instead
    by_provider: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """An answer that a model was shown."""

    tool_call_id: str | None = None
    tool: str | None = None
    content: str | None = None
    failed: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolRun:
    """A tool ran, or was refused before it ran."""

    tool: str | None = None
    tool_call_id: str | None = None
    arguments: str | None = None  # JSON text
    sole_argument: bool = False  # arguments is the value of the only argument, without its name
    result: str | None = None
    outcome: str = "ok"  # ok | tool_error | invalid_args | unknown_tool | interrupted | cancelled
    error: Error | None = None
    interrupt: str | None = None
    step: bool = False  # a framework's step around the tool's own span
    redactions: tuple[Redaction, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """A request to a model.

    recalled and told are what its prompt repeats of the calls before: those since the last answer of the
    model, which nobody has been told of yet.
    """

    asked: tuple[Asked, ...] = ()
    recalled: tuple[Asked, ...] = ()
    told: tuple[Told, ...] = ()
    place_ns: int = 0  # where a single message stands among those of the same prompt
    from_prompt: bool = False  # one message of a prompt: of several, only those since the last request count
    finish_reason: str | None = None
    output_tokens: int | None = None
    max_tokens: int | None = None
    redactions: tuple[Redaction, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Ledger:
    """Calls and answers listed after the fact, by a record of a whole run: without times of their own."""

    asked: tuple[Asked, ...] = ()
    told: tuple[Told, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """A step or an agent failed because a call could not be taken up; the tool has no span."""

    kind: str  # invalid_args | unknown_tool
    error: Error


@dataclass(frozen=True, slots=True, kw_only=True)
class Clue:
    """source tells several records about one span apart: the span itself, or a log record."""

    origin: Origin
    source: str = "span"
    parent_span_id: str = ""
    start_ns: int = 0
    end_ns: int = 0
    agent: bool = False
    run: ToolRun | None = None
    turn: Turn | None = None
    ledger: Ledger | None = None
    refusal: Refusal | None = None

    @property
    def span_id(self) -> str:
        return self.origin.span_id
