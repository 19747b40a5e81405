"""What a tool gave back, out of the objects that frameworks put around it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from toolwatch_server.domain.failures import is_failed_value
from toolwatch_server.ingest.messages import content_text
from toolwatch_server.ingest.values import as_text, clean_id, mapping, plain_text, unpacked


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    text: str | None = None
    tool_call_id: str | None = None
    failed: bool = False


def result_of(value: Any) -> Result:
    """A tool's own object stays as it is: only what carries the marks of an envelope is opened."""
    found = unpacked(value)
    if isinstance(found, str):
        return Result(text=plain_text(found))
    if not isinstance(found, Mapping):
        return Result(text=content_text(value)[0])
    message = _message_in(found)
    if message is not None:
        failed = message.get("status") == "error" or message.get("is_error") is True
        inner = content_text(message.get("content"))
        known = clean_id(message.get("tool_call_id"))
        return Result(text=inner[0], tool_call_id=known, failed=failed or inner[1])
    if "raw_output" in found and "is_error" in found:  # LlamaIndex
        text = as_text(found["raw_output"])
        return Result(text=_llama_text(found) or text, failed=found["is_error"] is True)
    if isinstance(found.get("tool_output"), Mapping):
        inner_result = result_of(found["tool_output"])
        known = clean_id(found.get("tool_id"))
        return Result(text=inner_result.text, tool_call_id=known, failed=inner_result.failed)
    return _plain(found, value)


def _plain(found: Mapping[str, Any], value: Any) -> Result:
    failed = is_failed_value(dict(found))
    if "isError" in found or "is_error" in found:  # MCP
        shown = found.get("content", found.get("result"))
        return Result(text=content_text(shown)[0] if shown is not None else as_text(value), failed=failed)
    return Result(text=value if isinstance(value, str) else as_text(found), failed=failed)


def _llama_text(found: Mapping[str, Any]) -> str | None:
    raw = found["raw_output"]
    return raw if isinstance(raw, str) and raw else content_text(found.get("blocks"))[0]


def _message_in(found: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """LangChain's ToolMessage in its forms: plain, {type, data}, {lc, kwargs}, {output: {…}}."""
    if "tool_call_id" in found and "content" in found:
        return found
    for name in ("output", "outputs", "data", "kwargs", "update"):
        below = mapping(found.get(name))
        if below and (inner := _message_in(below)) is not None:
            return inner
    return None
