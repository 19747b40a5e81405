"""LoongSuite, Alibaba's agent that instruments Eino at compile time (scope pkg/rules/eino/eino_setup.go).

Its spans of tools name neither tool nor tool_call_id. Those of tools nodes list ids, names and, for streams,
contents of the answers, in the order of the calls.
"""

from typing import Final

from toolwatch_server.domain.clues import Asked, Clue, Ledger, Told, ToolRun
from toolwatch_server.domain.facts import Reading
from toolwatch_server.domain.span import Attributes, Span
from toolwatch_server.ingest import eino_text
from toolwatch_server.ingest.attributes import error_of, origin_of, text
from toolwatch_server.ingest.values import clean_id, numbered, plain_text

SCOPE: Final = "rules/eino/"
TOOLS_NODE: Final = "tool_node"


def recognises(span: Span) -> bool:
    operation = text(span.attributes, "gen_ai.operation.name")
    known = text(span.attributes, "gen_ai.system") == "eino" or SCOPE in span.scope_name
    return known and operation in {"execute_tool", TOOLS_NODE}


def read(span: Span) -> Reading:
    node = text(span.attributes, "gen_ai.operation.name") == TOOLS_NODE
    return Reading(
        clues=(
            Clue(
                origin=eino_text.from_eino(origin_of(span)),
                parent_span_id=span.parent_span_id,
                start_ns=span.start_ns,
                end_ns=span.end_ns,
                run=None if node else _run(span),
                ledger=_ledger(span.attributes) if node else None,
            ),
        )
    )


def _run(span: Span) -> ToolRun:
    a = span.attributes
    outcome, error = eino_text.judged(error_of(span))
    return ToolRun(
        tool=text(a, "gen_ai.tool.name"),
        arguments=plain_text(a.get("gen_ai.input.arguments")),
        result=plain_text(a.get("gen_ai.output.response")) if outcome == "ok" else None,
        outcome=outcome,
        error=error,
    )


def _ledger(a: Attributes) -> Ledger:
    """An answer proves that its call was asked for; with what arguments is not said."""
    answers = tuple(
        Told(
            tool_call_id=clean_id(item.get("tool_call_id")),
            tool=_name(item.get("tool_name")),
            content=plain_text(item.get("content")),
        )
        for item in numbered(a, "gen_ai.output")
        if item.get("role") == "tool"
    )
    asked = tuple(Asked(tool_call_id=told.tool_call_id, tool=told.tool) for told in answers)
    return Ledger(asked=asked, told=answers)


def _name(value: object) -> str | None:
    return value if isinstance(value, str) and value else None
