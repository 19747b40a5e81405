"""From what a dialect found in a span to a clue: the parts that are the same for all dialects."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from toolwatch import conventions as c
from toolwatch_server.domain.call import Error, Redaction
from toolwatch_server.domain.clues import Clue, Ledger, ToolRun, Turn
from toolwatch_server.domain.facts import Origin, Reading
from toolwatch_server.domain.failures import UNKNOWN, kind_of_failure
from toolwatch_server.domain.span import Attributes, Span
from toolwatch_server.ingest import wire
from toolwatch_server.ingest.attributes import integer, text, texts
from toolwatch_server.ingest.chat import asked_in, news_in
from toolwatch_server.ingest.failed_spans import completed, failure_of, message_in, refusal_in
from toolwatch_server.ingest.messages import arguments_text
from toolwatch_server.ingest.origins import sender_of
from toolwatch_server.ingest.results import Result, result_of
from toolwatch_server.ingest.values import unpacked


def nothing() -> Reading:
    return Reading()


def clue_of(span: Span, **said: Any) -> Reading:
    clue = Clue(
        origin=said.pop("origin", None) or sender_of(span),
        parent_span_id=span.parent_span_id,
        start_ns=span.start_ns,
        end_ns=max(span.end_ns, span.start_ns),
        **said,
    )
    return Reading(clues=(clue,))


def tool_reading(
    span: Span,
    *,
    tool: str | None,
    tool_call_id: str | None = None,
    arguments: Any = None,
    sole_argument: bool = False,
    result: Any = None,
    failed: bool = False,
    outcome: str | None = None,
    error_text: str | None = None,
    step: bool = False,
    origin: Origin | None = None,
) -> Reading:
    """failed: the sender marked it so, whatever the status says. outcome: the kind, if the sender says it.

    step: a framework's step around the tool's own span.
    """
    found = result_of(result) if result is not None else Result()
    error = failure_of(span)
    if error is None and (failed or found.failed or error_text is not None):
        error = Error(type=UNKNOWN, message=error_text or message_in(found.text))
    if error is not None:
        error = completed(error, error_text, found)
    kind = "ok" if error is None else outcome or kind_of_failure(error.type, error.message, tool)
    run = ToolRun(
        tool=tool,
        tool_call_id=tool_call_id or found.tool_call_id,
        arguments=arguments_text(arguments),
        sole_argument=sole_argument,
        result=found.text,
        outcome=kind,
        error=None if kind == "interrupted" else error,
        step=step,
        redactions=marks_of(span.attributes),
    )
    return clue_of(span, run=run, origin=origin)


def turn_reading(
    span: Span, *, output: Any = None, prompt: Any = None, origin: Origin | None = None
) -> Reading:
    """A request to a model: its answer and its prompt, in any form."""
    asked = asked_in(output) if output is not None else ()
    recalled, told = news_in(prompt) if prompt is not None else ((), ())
    turn = Turn(asked=asked, recalled=recalled, told=told, **turn_details(span.attributes))
    return clue_of(span, turn=turn)


def turn_details(a: Attributes) -> dict[str, Any]:
    reasons = texts(a, c.FINISH_REASONS) or tuple(
        item for item in _list(unpacked(a.get(c.FINISH_REASONS))) if isinstance(item, str)
    )
    reason = reasons[0] if reasons else text(a, "llm.finish_reason") or text(a, "ai.response.finishReason")
    return {
        "finish_reason": reason,
        "output_tokens": integer(a, c.OUTPUT_TOKENS),
        "max_tokens": integer(a, c.REQUEST_MAX_TOKENS),
        "redactions": marks_of(a),
    }


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def agent_reading(span: Span, *, ledger: Ledger | None = None, agent: str | None = None) -> Reading:
    origin = sender_of(span)
    named = replace(origin, agent=agent) if agent else origin
    return clue_of(span, agent=True, ledger=ledger, origin=named, refusal=refusal_in(span))


def scope_reading(span: Span) -> Reading:
    """Neither tool nor model, but it may name the conversation for all below it."""
    origin = sender_of(span)
    refusal = refusal_in(span)
    known = refusal or origin.thread_id or origin.run_id or origin.agent
    return clue_of(span, origin=origin, refusal=refusal) if known else nothing()


def marks_of(a: Attributes) -> tuple[Redaction, ...]:
    return tuple(
        Redaction(where=mark.where, rule=mark.rule, count=mark.count)
        for mark in wire.listed(text(a, c.REDACTIONS), wire.Mark)
    )


def first_of(a: Attributes, names: Iterable[str]) -> Any:
    return next((a[name] for name in names if a.get(name) is not None), None)
