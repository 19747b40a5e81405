"""Toolwatch's collector: records what really happens to every tool call of an agent.

>>> import toolwatch
>>> toolwatch.instrument()  # doctest: +SKIP
"""

from collections.abc import Callable, Mapping
from typing import Literal

from toolwatch._version import __version__

__all__ = ["__version__", "flush", "instrument", "uninstrument"]


def instrument(
    *,
    endpoint: str | None = None,
    service_name: str | None = None,
    headers: Mapping[str, str] | None = None,
    tracer_provider: object | None = None,
    capture: Literal["full", "names"] = "full",
    redact: Callable[[str], str] | None = None,
) -> None:
    """Records the lifecycle of every tool call of LangChain and LangGraph in this process.

    Works before or after these are imported and graphs are built; a second call changes nothing.

    :param endpoint: base address of an OTLP/HTTP receiver; if None OTEL_EXPORTER_OTLP_ENDPOINT,
        else http://localhost:4318
    :param service_name: OTEL_SERVICE_NAME if None
    :param headers: sent with every request, beside those of OTEL_EXPORTER_OTLP_HEADERS
    :param tracer_provider: an OpenTelemetry SDK provider to send through instead; the global one is
        never touched
    :param capture: "names" sends names, sizes and types, but no arguments, results, messages or stacks
    :param redact: is given every text that leaves, after our own rules, and answers with what may leave
    :raises ValueError: for a capture that is neither "full" nor "names"
    """
    from toolwatch import _setup

    _setup.instrument(
        endpoint=endpoint,
        service_name=service_name,
        headers=headers,
        tracer_provider=tracer_provider,
        capture=capture,
        redact=redact,
    )


def uninstrument() -> None:
    """Stops recording and takes the hooks out, also in the middle of a run; sends what has been recorded."""
    from toolwatch import _setup

    _setup.uninstrument()


def flush(timeout_s: float = 5.0) -> bool:
    """Whether all that was recorded so far is delivered within timeout_s seconds; True if nothing was."""
    from toolwatch import _setup

    return _setup.flush(timeout_s)
