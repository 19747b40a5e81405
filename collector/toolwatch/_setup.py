"""Turns the arguments of ``instrument()`` and the environment into a session, and looks after its life."""

import atexit
import os
import threading
from collections.abc import Callable, Mapping
from typing import Literal
from urllib.parse import unquote

from toolwatch import hooks
from toolwatch._guard import guarded, say_once
from toolwatch._redact import Redaction, UserRedact
from toolwatch._session import Session, current, switch

DEFAULT_ENDPOINT = "http://localhost:4318"

Capture = Literal["full", "names"]

_lock = threading.Lock()
_prepared = False


def instrument(
    *,
    endpoint: str | None = None,
    service_name: str | None = None,
    headers: Mapping[str, str] | None = None,
    tracer_provider: object | None = None,
    capture: Capture = "full",
    redact: Callable[[str], str] | None = None,
) -> None:
    """See toolwatch.instrument."""
    if capture not in ("full", "names"):
        raise ValueError(f'capture is "full" or "names", not {capture!r}')
    if os.environ.get("OTEL_SDK_DISABLED", "").strip().lower() == "true":
        return
    with _lock:
        if current() is None:
            session = _session(
                endpoint=endpoint,
                service_name=service_name,
                headers=headers or {},
                tracer_provider=tracer_provider,
                full=capture == "full",
                redact=redact,
            )
            if session is not None:
                _begin(session)


def _begin(session: Session) -> None:
    # Compiling the rules takes a while: the first tool call should not wait for it.
    threading.Thread(target=session.redaction.rules, name="toolwatch-rules", daemon=True).start()
    switch(session)
    _prepare_process()
    hooks.install(session.report_missing)


def uninstrument() -> None:
    """See toolwatch.uninstrument."""
    with _lock:
        session = current()
        switch(None)
        hooks.remove()
    if session is not None:
        session.stop()


def flush(timeout_s: float = 5.0) -> bool:
    """See toolwatch.flush."""
    session = current()
    return True if session is None else bool(_flush(session, timeout_s))


@guarded
def _flush(session: Session, timeout_s: float) -> bool:
    return session.sink.flush(timeout_s)


def _session(
    *,
    endpoint: str | None,
    service_name: str | None,
    headers: Mapping[str, str],
    tracer_provider: object | None,
    full: bool,
    redact: UserRedact | None,
) -> Session | None:
    from toolwatch._spans import ProviderSink

    redaction = Redaction(redact)
    if tracer_provider is not None:
        return Session(lambda _: ProviderSink(tracer_provider), redaction, full=full)  # type: ignore[arg-type]

    from toolwatch._http import Address
    from toolwatch._pipeline import Pipeline
    from toolwatch._resource import resource_of

    url = traces_url(endpoint, os.environ)
    address = Address.of(url, {**headers_of(os.environ), **headers})
    if address is None:
        say_once("toolwatch: records go to an http:// or https:// address only; nothing is recorded")
        return None
    return Session(
        lambda session: Pipeline(
            address, lambda: resource_of(service_name, redaction), redaction.clear, session.report_losses
        ),
        redaction,
        full=full,
    )


def traces_url(endpoint: str | None, environment: Mapping[str, str]) -> str:
    """By the rules of OpenTelemetry: a base address gets /v1/traces, an address for traces is whole."""
    whole = environment.get("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
    if endpoint is None and whole:
        return whole
    base = endpoint or environment.get("OTEL_EXPORTER_OTLP_ENDPOINT") or DEFAULT_ENDPOINT
    if "://" not in base:
        base = f"http://{base}"
    return base if base.rstrip("/").endswith("/v1/traces") else f"{base.rstrip('/')}/v1/traces"


def headers_of(environment: Mapping[str, str]) -> dict[str, str]:
    """``name=value,name=value``, percent-encoded; those for traces win."""
    found: dict[str, str] = {}
    for name in ("OTEL_EXPORTER_OTLP_HEADERS", "OTEL_EXPORTER_OTLP_TRACES_HEADERS"):
        for pair in environment.get(name, "").split(","):
            key, equals, value = pair.partition("=")
            if equals and key.strip():
                found[unquote(key.strip()).lower()] = unquote(value.strip())
    return found


def _prepare_process() -> None:
    global _prepared  # noqa: PLW0603 hooks into the process cannot be taken back
    if _prepared:
        return
    _prepared = True
    atexit.register(_at_exit)
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(
            before=_before_fork, after_in_parent=_after_fork_in_parent, after_in_child=_after_fork
        )


@guarded
def _at_exit() -> None:
    session = current()
    if session is not None:
        session.stop()


@guarded
def _before_fork() -> None:
    """What our threads hold at this moment would be held for ever in the child."""
    session = current()
    if session is not None:
        session.before_fork()


@guarded
def _after_fork_in_parent() -> None:
    session = current()
    if session is not None:
        session.after_fork_in_parent()


@guarded
def _after_fork() -> None:
    global _lock  # noqa: PLW0603 the parent's may be held for ever in a forked child
    _lock = threading.Lock()
    session = current()
    if session is not None:
        session.after_fork()
