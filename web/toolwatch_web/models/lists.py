"""What the list of calls, search, tools, errors and status show."""

from dataclasses import dataclass

from toolwatch_web.models.parts import Count, ErrorRow, Fact, Row, Spark, Stack, Tick


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One filter of the form. options are (value, word) pairs; kind: text, select, datetime or number."""

    name: str
    label: str
    value: str
    kind: str = "text"
    options: tuple[tuple[str, str], ...] = ()
    placeholder: str = ""
    problem: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Chip:
    """A filter that is set, and the address of the list without it."""

    label: str
    without_href: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FacetValue:
    label: str
    number: int
    href: str
    outcome: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Facet:
    """A way to narrow the list. hidden counts the values that are not shown."""

    name: str
    values: tuple[FacetValue, ...]
    hidden: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """What an empty list would hold without one of its filters; any: whether that is something."""

    label: str
    number: str
    href: str
    any: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """A stretch of the list. live_part asks for everything from its oldest row on; None: not live."""

    rows: tuple[Row, ...]
    more_href: str | None
    more_part: str | None
    live_part: str | None = None
    new: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class CallsPage:
    rows: Rows
    total: int | None
    fields: tuple[Field, ...]
    outcomes: tuple[tuple[str, bool], ...]
    chips: tuple[Chip, ...]
    downloads: tuple[tuple[str, str], ...]  # what a file holds, and its address
    quick: tuple[tuple[str, str, bool], ...]
    problems: tuple[tuple[str, str], ...]
    anything_stored: bool
    facets: tuple[Facet, ...]
    facets_note: str
    advice: tuple[Advice, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FindPage:
    query: str
    tried: tuple[str, ...]
    rows: tuple[Row, ...]
    hint: str | None
    more_href: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolRow:
    tool: str
    calls: int
    failed: int
    executions: int
    running: int
    p50_ms: float | None
    p95_ms: float | None
    p99_ms: float | None
    last_ns: int
    outcomes: tuple[Count, ...]
    problems: tuple[tuple[str, str, int], ...]
    spark: Spark | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolsPage:
    windows: tuple[tuple[str, str, bool], ...]
    tools: tuple[ToolRow, ...]
    anything_stored: bool
    problems: tuple[tuple[str, str, str, int], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolPage:
    """change is set where two stretches of time are compared: (words, before, after, whether they differ)."""

    windows: tuple[tuple[str, str, bool], ...]
    tool: ToolRow
    split: str
    split_problem: str | None
    change: tuple[tuple[str, str, str, bool], ...]
    rows: tuple[Row, ...]
    failures: tuple[Row, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LeakRow:
    """A rule hid something in what a model was told by a tool, in so many calls."""

    tool: str | None
    rule: str
    calls: int
    href: str
    last_ns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorsPage:
    windows: tuple[tuple[str, str, bool], ...]
    """leaks: secrets that models were told."""

    groups: tuple[ErrorRow, ...]
    leaks: tuple[LeakRow, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class OverviewPage:
    window: str
    windows: tuple[tuple[str, str, bool], ...]
    facts: tuple[Fact, ...]
    stacks: tuple[Stack, ...]
    ticks: tuple[Tick, ...]
    highest: int
    outcomes: tuple[Count, ...]
    tools: tuple[ToolRow, ...]
    errors: tuple[ErrorRow, ...]
    running: tuple[Row, ...]
    waiting: tuple[Row, ...]
    warnings: tuple[Count, ...]
    problems: tuple[tuple[str, str, str, int], ...]
    empty: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class InstanceRow:
    instance_id: str
    service: str | None
    last_seen_ns: int
    dropped: int
    missing_hooks: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DestinationRow:
    """A server to which spans are passed on."""

    name: str
    endpoint: str
    only: str
    sent: int
    waiting: int
    waiting_since_ns: int | None
    refused: int
    given_up: int
    last_sent_ns: int | None
    error: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class StatusPage:
    store: tuple[Fact, ...]
    received: tuple[Fact, ...]
    instances: tuple[InstanceRow, ...]
    kept: tuple[Fact, ...]
    destinations: tuple[DestinationRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProblemPage:
    """An error page: what went wrong, in words, and where to go from here."""

    status: int
    heading: str
    text: str
    details: tuple[tuple[str, str], ...] = ()
    links: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LoginPage:
    """next is where the person wanted to go."""

    next: str
    refused: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiRoute:
    method: str
    path: str
    text: str
    parameters: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiPage:
    version: str
    routes: tuple[ApiRoute, ...]
