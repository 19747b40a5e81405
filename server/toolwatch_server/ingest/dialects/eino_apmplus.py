"""Eino's callback for Volcengine's APMPlus (scope github.com/cloudwego/eino-ext/callbacks/apmplus).

Spans of tools hold no tool_call_id. Those of tools nodes hold the whole message that asked and the messages
that answered, as JSON, so a call's id and raw arguments come from there.
"""

from typing import Final

from toolwatch_server.domain.clues import Clue, Ledger, ToolRun, Turn
from toolwatch_server.domain.facts import Reading
from toolwatch_server.domain.span import Span
from toolwatch_server.ingest import eino_text
from toolwatch_server.ingest.attributes import error_of, integer, origin_of, text
from toolwatch_server.ingest.chat import asked_in, told_in
from toolwatch_server.ingest.values import plain_text

KIND: Final = "gen_ai.span.kind"
INPUT: Final = "gen_ai.prompt.0.content"
OUTPUT: Final = "gen_ai.completion.0.content"


def recognises(span: Span) -> bool:
    return (
        text(span.attributes, "gen_ai.system") == "eino"
        and text(span.attributes, "runinfo.component") is not None
    )


def read(span: Span) -> Reading:
    component = text(span.attributes, "runinfo.component")
    if component == "Tool":
        return Reading(clues=(_clue(span, run=_run(span)),))
    if component in ("ToolsNode", "AgenticToolsNode"):
        return Reading(clues=(_clue(span, ledger=_ledger(span)),))
    if component == "ChatModel":
        return Reading(clues=(_clue(span, turn=_turn(span)),))
    return Reading()


def _clue(
    span: Span, *, run: ToolRun | None = None, turn: Turn | None = None, ledger: Ledger | None = None
) -> Clue:
    return Clue(
        origin=eino_text.from_eino(origin_of(span), text(span.attributes, "gen_ai.session.id")),
        parent_span_id=span.parent_span_id,
        start_ns=span.start_ns,
        end_ns=span.end_ns,
        run=run,
        turn=turn,
        ledger=ledger,
    )


def _run(span: Span) -> ToolRun:
    a = span.attributes
    outcome, error = eino_text.judged(error_of(span))
    return ToolRun(
        tool=text(a, "runinfo.name") or span.name or None,
        arguments=plain_text(a.get(INPUT)),
        result=plain_text(a.get(OUTPUT)) if outcome == "ok" else None,
        outcome=outcome,
        error=error,
    )


def _ledger(span: Span) -> Ledger:
    return Ledger(asked=asked_in(span.attributes.get(INPUT)), told=told_in(span.attributes.get(OUTPUT)))


def _turn(span: Span) -> Turn:
    a = span.attributes
    return Turn(
        asked=asked_in(a.get(OUTPUT)),
        finish_reason=text(a, "gen_ai.response.finish_reason"),
        output_tokens=integer(a, "gen_ai.usage.completion_tokens"),
        max_tokens=integer(a, "gen_ai.request.max_tokens"),
    )
