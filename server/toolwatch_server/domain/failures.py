"""What kind of failure a text speaks of, for senders that say no more than a text.

Whatever is not recognised stays a failure of the tool, or no failure at all: nothing is guessed.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from toolwatch_server.domain.call import Error
from toolwatch_server.domain.facts import Shown

UNKNOWN: Final = "unknown"
# What senders write for "some error".
NO_TYPE: Final = frozenset({
    "", "_OTHER", "tool_error", "TOOL_ERROR", "ToolError", "error", "Error", "ERROR", "unknown", "other",
    "ToolExecutionError",
})  # fmt: skip
PAUSES: Final = frozenset({
    "GraphInterrupt", "NodeInterrupt", "Interrupt", "ParentCommand", "GraphBubbleUp", "CallDeferred",
    "ApprovalRequired",
})  # fmt: skip
CANCELLED: Final = frozenset({"CancelledError", "Cancelled", "AbortError"})
INVALID_TYPES: Final = frozenset({
    "AI_InvalidToolInputError", "AI_InvalidToolArgumentsError", "InvalidToolInputError", "AgentToolCallError",
    "ToolInvocationError", "ToolInputParsingException", "InvalidToolArgumentsError",
})  # fmt: skip
UNKNOWN_TOOL_TYPES: Final = frozenset({"AI_NoSuchToolError", "NoSuchToolError", "ToolNotFoundError"})

_INVALID: Final = re.compile(
    r"arguments? validation (?:failed|error)|argument parsing failed"
    r"|error invoking tool\b.{0,2000}?with error"
    r"|invalid (?:json )?(?:input|arguments?) for (?:the )?(?:tool|function)\b|input validation error"
    r"|mandatory input parameters are not present|error validating tool|tool input (?:validation|is invalid)"
    r"|argument \S+ has type '[^']*' but should be|error in tool call execution: (?:argument|the tool)"
    r"|failed to parse (?:tool )?(?:arguments|input)|could not parse (?:tool )?arguments",
    re.IGNORECASE | re.DOTALL,
)
_UNKNOWN_TOOL: Final = re.compile(
    r"\bunknown (?:tool|function)\b|\bno such tool\b|\bis not a valid tool\b"
    r"|\b(?:tool|function) [`'\"]?[\w.:/-]+[`'\"]? (?:is )?"
    r"(?:not found|does not exist|doesn't exist|not available)"
    r"|call(?:ed)? (?:an )?unavailable tool\b|\btool not found\b",
    re.IGNORECASE,
)
_SCHEMA: Final = re.compile(r"\d+ validation errors? for ([\w.\[\]-]+)")
SCHEMA_ENDINGS: Final = frozenset({
    "", "args", "arguments", "argsschema", "params", "parameters", "schema", "input", "inputs", "inputschema",
    "model", "tool", "toolinput", "kwargs",
})  # fmt: skip
_PYDANTIC_AI: Final = re.compile(r"\d+ validation errors?:\s|Fix the errors and try again")
_REFUSED: Final = re.compile(
    r"\b(?:user|human|person|operator) (?:has )?(?:rejected|declined|denied|refused)\b"
    r"|\btool call (?:was )?(?:rejected|declined|denied|refused)\b"
    r"|\btool execution (?:was )?(?:denied|rejected)\b",
    re.IGNORECASE,
)
_BEGINS_FAILED: Final = re.compile(
    r"\s*(?:(?i:error|exception|traceback|failed|failure)\b|[\w.]*[A-Z]\w*(?:Error|Exception)\s*[:(])"
)
_NAMED: Final = re.compile(
    r"(?:^|[\s(])((?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Interrupt|Timeout|Warning|Failure))(?=[:(]|$)"
)
_LOOKED_AT: Final = 20_000  # of a text


def kind_of_failure(error_type: str, text: str, tool: str | None) -> str:
    """interrupted | cancelled | invalid_args | unknown_tool | tool_error, of something that has failed."""
    short = error_type.rpartition(".")[2]
    if short in PAUSES:
        return "interrupted"
    if short in CANCELLED:
        return "cancelled"
    text = text[:_LOOKED_AT]
    if short in UNKNOWN_TOOL_TYPES or _UNKNOWN_TOOL.search(text):
        return "unknown_tool"
    if short in INVALID_TYPES or _INVALID.search(text) or _of_arguments(text, tool):
        return "invalid_args"
    return "tool_error"


def _of_arguments(text: str, tool: str | None) -> bool:
    """pydantic names the schema of the arguments after the tool; an error of another is the tool's own."""
    found = _SCHEMA.search(text)
    if found is None or not tool:
        return found is None and bool(_PYDANTIC_AI.search(text))
    schema, name = _letters(found[1]), _letters(tool)
    return schema.startswith(name) and schema[len(name) :] in SCHEMA_ENDINGS


def _letters(name: str) -> str:
    return re.sub(r"[\W_]", "", name).lower()


def failure_told(text: str | None, failed: bool | None, tool: str | None) -> str | None:
    """The kind of failure that an answer to a model speaks of; None when it speaks of none.

    rejected: a person said no.
    """
    if text is None:
        return "tool_error" if failed else None
    head = text[:_LOOKED_AT]
    if _REFUSED.search(head[:400]):
        return "rejected"
    if not failed and not says_failed(head):
        return None
    return kind_of_failure(type_in(head) or UNKNOWN, head, tool)


def says_failed(text: str) -> bool:
    """Whether a text is an error message, and not an answer that mentions errors."""
    if _BEGINS_FAILED.match(text):
        return True
    if text.lstrip()[:1] == "{":
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            return False
        return isinstance(value, dict) and is_failed_value(value)
    return bool(_PYDANTIC_AI.search(text[:200])) or text[:400].lower().startswith(
        ("unknown tool", "invalid ")
    )


def is_failed_value(value: dict[str, object]) -> bool:
    """An object that says of itself that it is an error."""
    if value.get("isError") is True or value.get("is_error") is True:
        return True
    return bool(value.get("error")) and len(value) <= 2


def type_in(text: str) -> str | None:
    """The name of the exception that a text begins with or quotes in its first line."""
    first = text.lstrip()[:500].partition("\n")[0]
    found = _NAMED.search(first)
    return found[1] if found else None


def with_type_told(error: Error, shown: Sequence[Shown]) -> Error:
    """An error without a type gets the one that the model was told together with the same message."""
    told = (shown[0].content or "") if shown else ""
    if error.type != UNKNOWN or not error.message or error.message not in told:
        return error
    return replace(error, type=type_in(told) or UNKNOWN)


def error_told(text: str) -> Error:
    """The error that an answer to a model speaks of."""
    return Error(type=type_in(text) or UNKNOWN, message=text)
