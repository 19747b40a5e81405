"""The arguments of a call: as the model wrote them, as the tool received them, and what was wrong."""

import json
from typing import Any

from toolwatch_server.domain.call import Arguments, Problem
from toolwatch_server.domain.sorted_facts import SortedFacts


def arguments_of(known: SortedFacts) -> Arguments:
    request, attempts = known.request, known.attempts
    texts = (
        [r.arguments for r in known.requests]
        + [d.arguments for d in (*known.dispatches, *known.questions)]
        + [a.arguments for a in attempts]
        + [s.arguments for s in known.shown]
    )
    written = next((text for text in texts if text is not None), None)
    received = next((a.arguments for a in reversed(attempts) if a.arguments is not None), None)
    validated = next((a.validated for a in reversed(attempts) if a.validated is not None), None)
    malformed = request is not None and request.kind == "malformed"
    value = None if malformed else parsed(written)
    received_value = parsed(received)
    return Arguments(
        raw=request.raw if request is not None and request.raw is not None else written,
        value=value,
        received=None if received_value == value else received_value,
        validated=parsed(validated),
        injected=next((a.injected for a in reversed(attempts) if a.injected), ()),
        problems=unreadable(written)
        if malformed
        else next((a.problems for a in reversed(attempts) if a.problems), ()),
    )


def unreadable(text: str | None) -> tuple[Problem, ...]:
    """Where a text stops being JSON, as a problem of no single field; nothing when it is JSON after all."""
    try:
        json.loads(text or "")
    except ValueError as error:
        return (Problem(field="", reason=f"not JSON: {error}", expected="JSON", received="text"),)
    except RecursionError:
        return (Problem(field="", reason="nested too deeply", expected="JSON", received="text"),)
    return ()


def parsed(text: str | None) -> Any:
    """The JSON value of a text; None when there is none or it is not JSON."""
    if text is None:
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def written_bytes(known: SortedFacts, arguments: Arguments) -> int:
    """Size of the arguments before anything was cut, in bytes of UTF-8."""
    said = next((a.arguments_bytes for a in known.attempts if a.arguments_bytes is not None), None)
    return said if said is not None else len((arguments.raw or "").encode())
