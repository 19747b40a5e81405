"""View models that several pages share. Times are Unix nanoseconds, durations ms; None: not known."""

from dataclasses import dataclass

from toolwatch_web.json_tree import Node, Piece


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A call as a line of a list."""

    key: str
    tool: str | None
    tool_call_id: str | None
    outcome: str
    failed: bool
    executions: int
    attempts: int
    at_ns: int
    duration_ms: float | None
    waited_ms: float | None
    service: str | None
    environment: str | None
    thread_id: str | None
    trace_id: str | None
    error_type: str | None
    error_message: str | None
    arguments: str | None
    answer: str | None
    warnings: tuple[str, ...]
    redactions: int
    is_new: bool = False
    is_current: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """A labelled value; a tone other than "" colours it."""

    label: str
    text: str
    href: str | None = None
    mono: bool = False
    tone: str = ""
    title: str | None = None
    at_ns: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Count:
    """One bar of a list of counts; share is its part of the largest, 0 to 100."""

    label: str
    number: int
    href: str | None
    percent: float
    outcome: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """A warning: code, text, and the calls it speaks of."""

    code: str
    text: str
    links: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Payload:
    """A value to look at: a tree where it is JSON, else text; absent says in words why there is none.

    all_href leads to the whole of it where the preview is cut.
    """

    tree: Node | None = None
    text: tuple[Piece, ...] | None = None
    absent: str | None = None
    bytes: int | None = None
    cut: bool = False
    all_href: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Spark:
    """A trend as two paths of upright strokes in a box of width x height."""

    width: int
    height: int
    total: str
    failed: str
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorRow:
    """A group of failures of one kind; outcome is set for those that raised nothing."""

    error_type: str
    message: str
    tools: tuple[str, ...]
    count: int
    first_ns: int
    last_ns: int
    last_key: str
    list_href: str
    outcome: str | None = None
    is_new: bool = False
    spark: Spark | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Tick:
    """A mark of a time axis: place in percent, and what it reads."""

    percent: float
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Stack:
    """One slice of time; layers are (tone, top percent, height percent, word, number)."""

    x: float
    width: float
    label: str
    layers: tuple[tuple[str, float, float, str, int], ...]
    total: int
    failed: int
