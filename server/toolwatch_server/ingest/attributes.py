"""Reading attributes with care, for all dialects: a value of the wrong type is "not said", never an error."""

from collections.abc import Mapping

from toolwatch_server.domain.call import Error
from toolwatch_server.domain.facts import Origin
from toolwatch_server.domain.span import Attributes, Span, Value

ERROR_STATUS = 2


def text(attributes: Attributes, name: str) -> str | None:
    value = attributes.get(name)
    return value if isinstance(value, str) else None


def integer(attributes: Attributes, name: str) -> int | None:
    value = attributes.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def flag(attributes: Attributes, name: str) -> bool | None:
    value = attributes.get(name)
    return value if isinstance(value, bool) else None


def texts(attributes: Attributes, name: str) -> tuple[str, ...]:
    value = attributes.get(name)
    if not isinstance(value, list | tuple):
        return ()
    return tuple(item for item in value if isinstance(item, str))


def sdk_of(resource: Mapping[str, Value], scope_name: str) -> str | None:
    name = text(resource, "telemetry.distro.name") or scope_name or text(resource, "telemetry.sdk.name")
    version = text(resource, "telemetry.distro.version")
    return f"{name} {version}" if name and version else name or None


def origin_of(span: Span, *, tracked: bool = False) -> Origin:
    """The parts of an origin that every dialect finds in the same places."""
    a, r = span.attributes, span.resource
    return Origin(
        trace_id=span.trace_id,
        span_id=span.span_id,
        sdk=sdk_of(r, span.scope_name),
        service=text(r, "service.name"),
        environment=text(r, "deployment.environment.name") or text(r, "deployment.environment"),
        instance_id=text(r, "service.instance.id"),
        thread_id=text(a, "gen_ai.conversation.id"),
        agent=text(a, "gen_ai.agent.name"),
        framework=text(a, "toolwatch.framework"),
        run_id=text(a, "toolwatch.run.id"),
        node=text(a, "toolwatch.node"),
        tracked=tracked,
    )


def raised_in(span: Span) -> Error | None:
    """The last exception event, which is the one that left the span."""
    for event in reversed(span.events):
        if event.name == "exception":
            return Error(
                type=text(event.attributes, "exception.type")
                or text(span.attributes, "error.type")
                or "unknown",
                message=text(event.attributes, "exception.message") or "",
                stack=text(event.attributes, "exception.stacktrace"),
            )
    return None


def error_of(span: Span) -> Error | None:
    """What was raised; else error.type or a bad status."""
    raised = raised_in(span)
    if raised is not None:
        return raised
    kind = text(span.attributes, "error.type")
    if kind is None and span.status_code != ERROR_STATUS:
        return None
    return Error(type=kind or "unknown", message=span.status_message)
