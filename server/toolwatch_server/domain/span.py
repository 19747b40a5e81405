"""A span as it arrived, in plain Python, before anyone interprets it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

Value: TypeAlias = "str | bool | int | float | bytes | Sequence['Value'] | Mapping[str, 'Value'] | None"
Attributes: TypeAlias = Mapping[str, Value]


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    name: str
    time_ns: int
    attributes: Attributes = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """Ids are lower-case hex; a span without a parent has the parent id "".

    Times are Unix nanoseconds; 0 means not given. status_code is OTLP's: 0 unset, 1 ok, 2 error.
    """

    trace_id: str
    span_id: str
    parent_span_id: str
    name: str
    kind: int
    start_ns: int
    end_ns: int
    status_code: int
    status_message: str
    attributes: Attributes
    events: tuple[Event, ...] = ()
    resource: Attributes = field(default_factory=dict)
    scope_name: str = ""
    scope_version: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LogRecord:
    """An OTLP log record; GenAI conventions put messages and tool results into such events. Ids may be ""."""

    trace_id: str
    span_id: str
    event_name: str
    time_ns: int
    body: Value
    attributes: Attributes
    resource: Attributes = field(default_factory=dict)
    scope_name: str = ""
