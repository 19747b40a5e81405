"""Spans as we build them: opened with an identity at once, filled and rendered later.

Without a tracer provider of the user's, an open span is no more than its ids: it costs little, can be made
current, and is written out on the thread that sends it. With one, the user's SDK makes and ends the span.
"""

import os
import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from opentelemetry.trace import NonRecordingSpan, Span, SpanContext, SpanKind, Status, StatusCode, TraceFlags
from opentelemetry.util.types import AttributeValue

from toolwatch import conventions as c
from toolwatch._version import __version__

SCOPE = InstrumentationScope("toolwatch", __version__)


@dataclass(slots=True)
class OpenSpan:
    span: Span  # what is made current while the tool's body runs
    context: SpanContext
    parent: SpanContext | None
    start_ns: int


@dataclass(slots=True, eq=False)
class Part:
    """Attributes that stand in several records; written out once."""

    attributes: Mapping[str, AttributeValue]
    encoded: bytes | None = None


@dataclass(slots=True)
class SpanData:
    """What one span says, redacted: the parts and the attributes. failure is (type, message, stack)."""

    name: str
    attributes: Mapping[str, AttributeValue]
    end_ns: int
    parts: tuple[Part, ...] = ()
    failure: tuple[str, str, str | None] | None = None
    failed: bool = False
    kind: SpanKind = SpanKind.INTERNAL

    def event_attributes(self) -> dict[str, AttributeValue]:
        type_, message, stack = self.failure or ("", "", None)
        found: dict[str, AttributeValue] = {c.EXCEPTION_TYPE: type_, c.EXCEPTION_MESSAGE: message}
        return found if stack is None else found | {c.EXCEPTION_STACKTRACE: stack}

    def status(self) -> Status:
        if not self.failed:
            return Status(StatusCode.UNSET)
        return Status(StatusCode.ERROR, self.failure[1] if self.failure else None)


Render = Callable[[], SpanData]


class Sink(Protocol):
    """Where spans go. name is final only when the span is closed."""

    def open(self, name: str, parent: SpanContext | None, start_ns: int | None = None) -> OpenSpan: ...
    def close(self, span: OpenSpan, render: Render, text: str | None = None) -> None:
        """text: one that the record will hold, redacted."""

    def announce(self, span: OpenSpan, render: Render) -> None:
        """Sends a child of the span, of zero duration, at once, before the caller goes on."""

    def warm(self) -> None:
        """Records may come soon."""

    def flush(self, timeout_s: float) -> bool: ...
    def shutdown(self) -> None: ...
    def before_fork(self) -> None: ...
    def after_fork_in_parent(self) -> None: ...
    def after_fork(self) -> None: ...


@dataclass
class Ids:
    """Random ids that leave the host's ``random`` alone and differ in a forked child."""

    source: random.Random = field(default_factory=lambda: random.Random(os.urandom(16)))  # noqa: S311 ids are no secrets

    def reseed(self) -> None:
        self.source.seed(os.urandom(16))

    def context(self, parent: SpanContext | None) -> SpanContext:
        """A new span's identity in the parent's trace, or in a new trace."""
        span_id = self.source.getrandbits(64) or 1
        if parent is not None and parent.is_valid:
            return SpanContext(parent.trace_id, span_id, False, parent.trace_flags, parent.trace_state)
        return SpanContext(self.source.getrandbits(128) or 1, span_id, False, TraceFlags(TraceFlags.SAMPLED))

    def beside(self, other: SpanContext) -> SpanContext:
        """Another span in the same trace."""
        return SpanContext(
            other.trace_id, self.source.getrandbits(64) or 1, False, other.trace_flags, other.trace_state
        )


def open_own(ids: Ids, parent: SpanContext | None, start_ns: int | None) -> OpenSpan:
    context = ids.context(parent)
    above = parent if parent is not None and parent.is_valid else None
    return OpenSpan(NonRecordingSpan(context), context, above, start_ns or time.time_ns())


class ProviderSink:
    """Sends everything through the user's tracer provider."""

    def __init__(self, provider: TracerProvider) -> None:
        self._provider = provider
        self._tracer = provider.get_tracer(SCOPE.name, SCOPE.version)

    def open(self, name: str, parent: SpanContext | None, start_ns: int | None = None) -> OpenSpan:
        within = (
            trace.set_span_in_context(NonRecordingSpan(parent), Context())
            if parent is not None
            else Context()
        )
        start_ns = start_ns or time.time_ns()
        span = self._tracer.start_span(name, context=within, start_time=start_ns)
        return OpenSpan(span, span.get_span_context(), parent, start_ns)

    def close(self, span: OpenSpan, render: Render, text: str | None = None) -> None:
        data = render()
        span.span.update_name(data.name)
        for part in data.parts:
            span.span.set_attributes(part.attributes)
        span.span.set_attributes(data.attributes)
        if data.failure is not None:
            span.span.add_event(c.EVENT_EXCEPTION, data.event_attributes(), data.end_ns)
        if data.failed:
            span.span.set_status(data.status())
        span.span.end(data.end_ns)

    def announce(self, span: OpenSpan, render: Render) -> None:
        self.close(self.open("execute_tool", span.context, span.start_ns), render)

    def flush(self, timeout_s: float) -> bool:
        return bool(self._provider.force_flush(int(timeout_s * 1000)))

    def warm(self) -> None:
        """Nothing to prepare: the user's provider has its own ways."""

    def shutdown(self) -> None:
        """The provider is the user's to shut down."""

    def before_fork(self) -> None:
        """The SDK looks after itself."""

    after_fork_in_parent = after_fork = before_fork
