"""MLflow: `mlflow.spanType`; every value is JSON, so that a type reads `"TOOL"` with its quotes."""

from typing import Final

from toolwatch_server.domain.facts import Reading
from toolwatch_server.domain.span import Span
from toolwatch_server.ingest.arguments import unwrapped
from toolwatch_server.ingest.reading import agent_reading, scope_reading, tool_reading, turn_reading
from toolwatch_server.ingest.values import clean_id, name_of, unpacked

TYPE: Final = "mlflow.spanType"
INPUT: Final = "mlflow.spanInputs"
OUTPUT: Final = "mlflow.spanOutputs"
TOOL_CALL_ID: Final = "tool_call_id"
MODELS: Final = frozenset({"CHAT_MODEL", "LLM"})


def recognises(span: Span) -> bool:
    return TYPE in span.attributes


def read(span: Span) -> Reading:
    a = span.attributes
    kind = name_of(unpacked(a.get(TYPE)))
    if kind == "TOOL":
        arguments, sole = unwrapped(a.get(INPUT))
        return tool_reading(
            span,
            tool=span.name,
            tool_call_id=clean_id(a.get(TOOL_CALL_ID)),
            arguments=arguments,
            sole_argument=sole,
            result=a.get(OUTPUT),
        )
    if kind in MODELS:
        return turn_reading(span, output=a.get(OUTPUT), prompt=a.get(INPUT))
    return agent_reading(span) if kind == "AGENT" else scope_reading(span)
