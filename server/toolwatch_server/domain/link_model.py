"""The nouns of linking: executions, turns, requests, and the calls they make up."""

import hashlib
import json
from dataclasses import dataclass, field
from typing import Any

from toolwatch_server.domain.call import Error
from toolwatch_server.domain.clues import Asked, Clue, Told, ToolRun, Turn
from toolwatch_server.domain.facts import About

Path = tuple[str, ...]  # span ids from the outermost known ancestor down


@dataclass(frozen=True, slots=True, kw_only=True)
class Execution:
    """One run of a tool, out of all spans that speak of it, outermost first."""

    clues: tuple[Clue, ...]
    path: Path
    said: ToolRun

    @property
    def start_ns(self) -> int:
        return self.clues[0].start_ns

    @property
    def end_ns(self) -> int:
        return self.clues[0].end_ns

    @property
    def span_id(self) -> str:
        return self.clues[0].span_id

    @property
    def unfinished(self) -> bool:
        """Whether another execution of the same request may follow."""
        return self.said.outcome != "ok"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCall:
    """One request to a model, out of all records about its span."""

    clue: Clue
    path: Path
    said: Turn

    @property
    def start_ns(self) -> int:
        return self.clue.start_ns

    @property
    def end_ns(self) -> int:
        return self.clue.end_ns


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A call that a model asked for. turn is None when only a list after the fact says so."""

    asked: Asked
    turn: ModelCall | None
    position: int
    number: int = 0  # of the requests with this id in the trace, from 0
    group_size: int = 1

    @property
    def start_ns(self) -> int:
        return -1 if self.turn is None else self.turn.start_ns


@dataclass(slots=True, kw_only=True)
class LinkedCall:
    """All that was found about one call. Filled in step by step, then read."""

    key: str
    tool_call_id: str | None
    request: Request | None = None
    executions: list[tuple[Execution, str | None]] = field(default_factory=list)  # and how each was linked
    told: list[tuple[ModelCall, Told]] = field(default_factory=list)
    recalled: Asked | None = None
    repeated: list[Request] = field(default_factory=list)  # asked again, and nothing came of it
    refusals: list[Clue] = field(default_factory=list)
    listed: tuple[Clue, Told | None] | None = None  # by a whole run, and the answer it lists
    parent_key: str | None = None

    @property
    def finished(self) -> bool:
        return bool(self.told) or any(not e.unfinished for e, _ in self.executions)


@dataclass(frozen=True, slots=True, kw_only=True)
class Elsewhere:
    """A call of another trace, as far as it is needed to go on with it."""

    call_key: str
    scope: str
    at_ns: int
    tool: str | None
    tool_call_id: str | None
    arguments: str | None  # digest
    open: bool  # no execution of it has succeeded, and no answer was seen


@dataclass(frozen=True, slots=True, kw_only=True)
class Name:
    """What other traces need to know of a call. homeless: this trace does not show its request."""

    call_key: str
    scope: str
    at_ns: int
    tool: str | None
    tool_call_id: str | None
    arguments: str | None
    open: bool
    homeless: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Linked:
    facts: tuple[About, ...]
    names: tuple[Name, ...]


def key_of(*parts: str) -> str:
    digest = hashlib.sha256("\x1f".join(("linked", *parts)).encode("utf-8", "replace"))
    return f"c{digest.hexdigest()[:24]}"


def value_of(text: str | None) -> Any:
    """The JSON value of a text; a text that is none, as it is."""
    if text is None:
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def digest_of(arguments: str | None) -> str | None:
    if arguments is None:
        return None
    text = json.dumps(value_of(arguments), sort_keys=True, ensure_ascii=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def same_arguments(asked: str | None, run: ToolRun) -> bool:
    """Equal, or with arguments that the framework added, or equal to the value of the only argument."""
    if asked is None or run.arguments is None:
        return False
    wanted, given = value_of(asked), value_of(run.arguments)
    if wanted == given:
        return True
    if not isinstance(wanted, dict):
        return False
    if run.sole_argument and len(wanted) == 1:
        only = next(iter(wanted.values()))
        return bool(only == given) or str(only) == run.arguments
    return (
        bool(wanted)
        and isinstance(given, dict)
        and all(name in given and _alike(value, given[name]) for name, value in wanted.items())
    )


def _alike(asked: object, given: object) -> bool:
    """Frameworks turn "3" into 3 before they hand it over."""
    return asked == given or (isinstance(asked, str) != isinstance(given, str) and str(asked) == str(given))


def named_alike(a: str | None, b: str | None) -> bool:
    return a is None or b is None or a == b


def merged_error(errors: list[Error]) -> Error | None:
    """The innermost error that says something."""
    told = [error for error in errors if error.message]
    return (told or errors)[-1] if errors else None
