"""OpenLLMetry (Traceloop): `traceloop.span.kind`, and values in wrappers of their own.

Since 2026 spans carry GenAI names as well, but `gen_ai.tool.call.arguments` may hold the wrapper. Before,
messages were numbered attributes, `gen_ai.prompt.0.content` and `gen_ai.completion.0.tool_calls.0.name`.
"""

from collections.abc import Mapping
from typing import Any, Final

from toolwatch import conventions as c
from toolwatch_server.domain.facts import Reading
from toolwatch_server.domain.span import Span
from toolwatch_server.ingest.arguments import unwrapped
from toolwatch_server.ingest.attributes import text
from toolwatch_server.ingest.by_conventions import is_turn, read_by_conventions
from toolwatch_server.ingest.reading import agent_reading, first_of, scope_reading, tool_reading, turn_reading
from toolwatch_server.ingest.values import clean_id, mapping, name_of, numbered

KIND: Final = "traceloop.span.kind"
ENTITY: Final = "traceloop.entity.name"
INPUT: Final = (c.TOOL_CALL_ARGUMENTS, "traceloop.entity.input")
OUTPUT: Final = (c.TOOL_CALL_RESULT, "traceloop.entity.output")
LLM: Final = "llm.request.type"
PROMPT: Final = "gen_ai.prompt"
ASKED: Final = "gen_ai.completion"
LLAMA_TOOL: Final = "FunctionTool.task"
LANGCHAIN: Final = frozenset({"inputs", "input_str"})  # marks of a wrapper around LangChain's arguments
STATUS: Final = "gen_ai.task.status"


def recognises(span: Span) -> bool:
    a = span.attributes
    return KIND in a or LLM in a or f"{ASKED}.0.role" in a or f"{PROMPT}.0.role" in a


def read(span: Span) -> Reading:
    a = span.attributes
    kind = text(a, KIND)
    if kind == "tool" or span.name == LLAMA_TOOL or text(a, c.OPERATION) == c.EXECUTE_TOOL:
        return _tool(span)
    if kind is None and (LLM in a or not is_turn(span)):
        return _turn(span)
    step = mapping(a.get(OUTPUT[1]))
    if "tool_id" in step and "tool_output" in step:  # LlamaIndex, also for calls that failed
        return _workflow_step(span, step)
    if is_turn(span):
        return read_by_conventions(span)
    return agent_reading(span) if kind in ("agent", "workflow") else scope_reading(span)


def _tool(span: Span) -> Reading:
    a = span.attributes
    given = mapping(first_of(a, INPUT))
    output = first_of(a, OUTPUT)
    arguments, sole = _arguments(given, first_of(a, INPUT))
    result = mapping(output)
    named = text(a, c.TOOL_NAME) or name_of(result.get("tool_name")) or text(a, ENTITY) or span.name
    known = clean_id(a.get(c.TOOL_CALL_ID))
    if known is None:
        known = (
            clean_id(mapping(given.get("kwargs")).get("tool_call_id")) if given.keys() & LANGCHAIN else None
        )
    return tool_reading(
        span,
        tool=named,
        tool_call_id=known,
        arguments=arguments,
        sole_argument=sole,
        result=result["result"] if _is_mcp(result) and not result.get("is_error") else output,
        failed=result.get("is_error") is True or text(a, STATUS) == "failure",
    )


def _is_mcp(result: Mapping[str, Any]) -> bool:
    return "result" in result and result.keys() <= {"result", "is_error"}


def _arguments(given: Mapping[str, Any], raw: Any) -> tuple[Any, bool]:
    if given.keys() & LANGCHAIN:
        return _langchain(given)
    if "arguments" in given and given.keys() <= {"tool_name", "arguments"}:  # MCP
        return given["arguments"], False
    return unwrapped(raw)


def _langchain(given: Mapping[str, Any]) -> tuple[Any, bool]:
    """{inputs, input_str, kwargs…}: input_str is what Python prints, and bare for a tool of one argument."""
    if given.get("inputs") is not None:
        return given["inputs"], not isinstance(given["inputs"], Mapping)
    return given.get("input_str"), True


def _workflow_step(span: Span, step: Mapping[str, Any]) -> Reading:
    return tool_reading(
        span,
        tool=name_of(step.get("tool_name")),
        tool_call_id=clean_id(step.get("tool_id")),
        arguments=step.get("tool_kwargs"),
        result=step,
        step=True,
    )


def _turn(span: Span) -> Reading:
    a = span.attributes
    output = numbered(a, ASKED)
    if not output and is_turn(span):
        return read_by_conventions(span)
    return turn_reading(span, output=output, prompt=numbered(a, PROMPT))
