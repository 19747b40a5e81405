"""OpenInference (Arize Phoenix): `openinference.span.kind`, with values and numbered attributes."""

from typing import Any, Final

from toolwatch_server.domain.clues import Ledger
from toolwatch_server.domain.facts import Reading
from toolwatch_server.domain.span import Attributes, Span
from toolwatch_server.ingest.arguments import unwrapped
from toolwatch_server.ingest.attributes import text
from toolwatch_server.ingest.chat import asked_in, told_in
from toolwatch_server.ingest.reading import agent_reading, first_of, scope_reading, tool_reading, turn_reading
from toolwatch_server.ingest.values import clean_id, mapping, name_of, numbered, printed

KIND: Final = "openinference.span.kind"
TOOL_NAME: Final = "tool.name"
INPUT: Final = "input.value"
OUTPUT: Final = "output.value"
ASKED: Final = "llm.output_messages"
PROMPT: Final = "llm.input_messages"
# tool.parameters is the schema of the arguments in most instrumentations: it is never read.
IDS: Final = ("tool_call.id", "tool.id", "gen_ai.tool.call.id")
NOT_A_TOOL: Final = frozenset({"(merged tools)"})
WORKFLOW_STEP: Final = "call_tool"  # LlamaIndex names the call in the step around the tool


def recognises(span: Span) -> bool:
    return KIND in span.attributes


def read(span: Span) -> Reading:
    a = span.attributes
    kind = text(a, KIND)
    # A tool whose name contains "agent" is marked as an AGENT by the LangChain instrumentation.
    if kind == "TOOL" or TOOL_NAME in a:
        return _tool(span)
    if kind == "LLM":
        return _turn(span)
    if span.name.endswith(f".{WORKFLOW_STEP}") and (step := _workflow_step(span)) is not None:
        return step
    if kind == "AGENT":
        return agent_reading(span, ledger=_ledger(span))
    return scope_reading(span)


def _tool(span: Span) -> Reading:
    a = span.attributes
    tool = text(a, TOOL_NAME) or text(a, "gen_ai.tool.name") or span.name
    if tool in NOT_A_TOOL or text(a, "gen_ai.tool.name") in NOT_A_TOOL:
        return scope_reading(span)
    arguments, sole = unwrapped(a.get(INPUT))
    result = a.get(OUTPUT)
    return tool_reading(
        span,
        tool=tool,
        tool_call_id=next((known for name in IDS if (known := clean_id(a.get(name)))), None),
        arguments=arguments,
        sole_argument=sole,
        result=_adk_response(result) if _is_adk(a) else result,
    )


def _is_adk(a: Attributes) -> bool:
    return (
        any(name.startswith("gcp.vertex.agent.") for name in a)
        or text(a, "gen_ai.tool.type") == "FunctionTool"
    )


def _adk_response(value: Any) -> Any:
    """{id, name, response: {result}}; a tool that returns no object gets one around it."""
    response = mapping(value).get("response")
    if not isinstance(response, dict):
        return value
    return response["result"] if set(response) == {"result"} else response


def _turn(span: Span) -> Reading:
    a = span.attributes
    output: Any = numbered(a, ASKED)
    if not asked_in(output):  # calls that LangChain could not read are only in the value
        output = a.get(OUTPUT)
    return turn_reading(span, output=output, prompt=numbered(a, PROMPT) or a.get(INPUT))


def _workflow_step(span: Span) -> Reading | None:
    """LlamaIndex: the event is printed by Python, `ToolCall(tool_name=…, tool_kwargs={…}, tool_id=…)`."""
    event = mapping(span.attributes.get(INPUT)).get("ev")
    if not isinstance(event, str) or not event.startswith("ToolCall("):
        return None
    return tool_reading(
        span,
        tool=name_of(printed(event, "tool_name")),
        tool_call_id=clean_id(printed(event, "tool_id")),
        arguments=printed(event, "tool_kwargs"),
        step=True,
    )


def _ledger(span: Span) -> Ledger | None:
    """CrewAI lists the messages of a task in its output; elsewhere an output repeats the whole thread."""
    if "crewai" not in span.scope_name:
        return None
    listed = mapping(first_of(span.attributes, (OUTPUT,))).get("messages")
    asked, told = asked_in(listed), told_in(listed)
    return Ledger(asked=asked, told=told) if asked else None
