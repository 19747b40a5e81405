"""One message of a conversation, in any form that SDKs write: whose it is, which calls it asks for, which
results it carries. Whatever has another shape is passed over.

docs/dialects.md shows the forms.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from toolwatch_server.domain.clues import Asked, Told
from toolwatch_server.ingest.values import as_text, clean_id, mapping, maps, name_of, printed, unpacked

ASSISTANT: Final = frozenset({"assistant", "model", "ai", "AIMessage", "AIMessageChunk", "gen_ai.choice"})
TOOL_CALL: Final = "tool_call"
SERVER_TOOL_CALL: Final = "server_tool_call"
ANSWERED_FAILED: Final = ("error", "error-text", "error-json")
PRINTED_CALL: Final = "ResponseFunctionToolCall("

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    by_model: bool
    asked: tuple[Asked, ...] = ()
    told: tuple[Told, ...] = ()


def message_of(given: Json) -> Message:
    inner = _inner(given)
    parts = [part for name in ("parts", "content", "contents", "message") for part in maps(inner.get(name))]
    asked = [call for part in parts if (call := _asked_in(part)) is not None]
    if not asked:
        asked = list(_tool_calls(inner))
    if not asked and (call := _asked_in(inner)) is not None:
        asked = [call]
    told = [answer for part in parts if (answer := _told_in(part)) is not None]
    if not told and (answer := _told_as_message(inner)) is not None:
        told = [answer]
    by_model = bool(asked) or _role(inner) in ASSISTANT
    return Message(by_model=by_model, asked=tuple(asked), told=tuple(told))


def _inner(given: Json) -> Json:
    """The message itself, out of {message}, and LangChain's {lc, kwargs} and {type, data}."""
    for name in ("message", "kwargs", "data"):
        below = given.get(name)
        if isinstance(below, Mapping) and not (name == "kwargs" and "lc" not in given):
            kind = given.get("id") if name == "kwargs" else given.get("type", given.get("role"))
            role = kind[-1] if isinstance(kind, list) and kind else kind
            return _inner({"role": role, **{k: v for k, v in below.items() if k != "role" or v}})
    return given


def _role(message: Json) -> str | None:
    return name_of(message.get("role")) or name_of(message.get("type")) or name_of(message.get("event.name"))


# --- what a model asks for


def _tool_calls(message: Json) -> Iterator[Asked]:
    extra = message.get("additional_kwargs")
    for holder in (message, extra if isinstance(extra, Mapping) else {}):
        listed = [*maps(holder.get("tool_calls")), *maps(holder.get("invalid_tool_calls"))]
        if listed:
            yield from map(_call, listed)
            return


def _call(call: Json) -> Asked:
    """OpenAI's {id, function}, LangChain's {id, name, args}, OpenInference's {tool_call: {id, function}}."""
    call = mapping(call.get("tool_call")) or call
    function = call.get("function")
    said = function if isinstance(function, Mapping) else call
    arguments = next((said[n] for n in ("arguments", "args", "input", "parameters") if n in said), None)
    return Asked(
        tool_call_id=clean_id(call.get("id", call.get("toolCallId", call.get("tool_call_id")))),
        tool=name_of(said.get("name", call.get("toolName"))),
        arguments=arguments_text(arguments),
        by_provider=call.get("type") == SERVER_TOOL_CALL,
    )


def _asked_in(part: Json) -> Asked | None:
    """A part of a message, or an item of OpenAI's Responses, that is a call."""
    for name in ("function_call", "functionCall"):  # Gemini
        if isinstance(part.get(name), Mapping):
            return _call(part[name])
    if isinstance(found := part.get("toolUse"), Mapping):  # Bedrock
        return _call({**found, "id": found.get("toolUseId")})
    kind = part.get("type", part.get("part_kind"))
    if kind == "tool-call" and "tool_name" in part:  # pydantic-ai's own messages
        return _call({"id": part.get("tool_call_id"), "name": part["tool_name"], "args": part.get("args")})
    if kind in (TOOL_CALL, SERVER_TOOL_CALL, "tool-call", "tool_use", "toolCall"):
        return _call(part)
    if kind == "function_call" and "name" in part:
        return _call({**part, "id": part.get("call_id", part.get("id"))})
    text = part.get("content", part.get("text"))
    return _printed_call(text) if isinstance(text, str) and text.startswith(PRINTED_CALL) else None


def _printed_call(text: str) -> Asked:
    return Asked(
        tool_call_id=clean_id(printed(text, "call_id")),
        tool=name_of(printed(text, "name")),
        arguments=arguments_text(printed(text, "arguments")),
    )


def arguments_text(value: object) -> str | None:
    """Arguments as JSON text, whether they came as an object or as a text, once or twice encoded."""
    if isinstance(value, str) and value[:1] == '"':
        inner = unpacked(value)
        value = inner if isinstance(inner, str) and inner[:1] == "{" else value
    if isinstance(value, str) and value.startswith('{"INVALID_JSON":'):  # pydantic-ai
        held = mapping(value).get("INVALID_JSON")
        return held if isinstance(held, str) else value
    if isinstance(value, Mapping) and set(value) == {"INVALID_JSON"}:
        return as_text(value["INVALID_JSON"])
    return as_text(value)


# --- what a model is told


def _told_in(part: Json) -> Told | None:
    for name in ("function_response", "functionResponse"):
        if isinstance(found := part.get(name), Mapping):
            return _told(found.get("id"), found.get("name"), found.get("response"))
    if isinstance(found := part.get("toolResult"), Mapping):
        return _told(found.get("toolUseId"), None, found.get("content"), found.get("status") == "error")
    read = TOLD.get(str(part.get("type", part.get("part_kind"))))
    return None if read is None else read(part)


def _told_as_message(message: Json) -> Told | None:
    """A whole message that is one answer."""
    if (answer := _told_in(message)) is not None:
        return answer
    known = message.get("tool_call_id", message.get("toolCallId"))
    is_answer = _role(message) in ("tool", "function", "ToolMessage", "gen_ai.tool.message")
    if not is_answer and (known is None or _role(message) in ("user", "system")):
        return None
    content = message.get("content", message.get("contents"))
    failed = message.get("status") in ANSWERED_FAILED or message.get("is_error") is True
    name = message.get("name")
    return _told(known or (message.get("id") if known is None else None), name, content, failed)


def _told(known: object, name: object, content: object, failed: bool | None = None) -> Told | None:
    told_id, tool = clean_id(known), name_of(name)
    if told_id is None and tool is None:
        return None
    text, said = content_text(content)
    return Told(tool_call_id=told_id, tool=tool, content=text, failed=failed or said or None)


def _tool_result(part: Json) -> Told | None:
    """Vercel: {toolCallId, toolName, output: {type, value}}, before version 5 {result, isError}."""
    output = part.get("output", part.get("result"))
    failed = part.get("isError") is True
    if isinstance(output, Mapping) and "value" in output and "type" in output:
        failed, output = failed or output["type"] in ANSWERED_FAILED, output["value"]
    return _told(part.get("toolCallId"), part.get("toolName"), output, failed)


TOLD: Final[dict[str, Callable[[Json], Told | None]]] = {
    "tool_call_response": lambda p: _told(p.get("id"), p.get("name"), p.get("response", p.get("result"))),
    "tool-result": _tool_result,
    "tool_result": lambda p: _told(p.get("tool_use_id"), None, p.get("content"), p.get("is_error") is True),
    "function_call_output": lambda p: _told(p.get("call_id"), None, p.get("output")),
    "tool-return": lambda p: _told(p.get("tool_call_id"), p.get("tool_name"), p.get("content")),
    "retry-prompt": lambda p: _told(p.get("tool_call_id"), p.get("tool_name"), p.get("content"), True),
}


def content_text(content: object) -> tuple[str | None, bool]:
    """The text of a result, out of its parts, and whether it says itself that it is an error."""
    found = unpacked(content) if isinstance(content, str) and content[:1] in '[{"' else content
    if isinstance(found, Mapping):
        failed = found.get("isError") is True or found.get("is_error") is True
        if isinstance(found.get("content"), list) and ("isError" in found or "is_error" in found):
            return content_text(found["content"])[0], failed
        return (content if isinstance(content, str) else as_text(found)), failed
    texts = [text for item in maps(found) if (text := _text_part(item)) is not None]
    if texts and isinstance(found, list) and len(texts) == len(found):
        return "\n".join(texts), False
    if isinstance(found, str):
        return found, False
    return (content if isinstance(content, str) else as_text(content)), False


def _text_part(part: Json) -> str | None:
    part = mapping(part.get("message_content")) or part  # OpenInference
    known = part.get("type") in (None, "text", "output_text", "input_text")
    text = part.get("text", part.get("content"))
    return text if known and isinstance(text, str) and set(part) <= TEXT_FIELDS else None


TEXT_FIELDS: Final = {"type", "text", "content", "annotations", "meta", "id", "index"}


def is_json(text: str | None) -> bool:
    try:
        json.loads(text or "")
    except (ValueError, RecursionError):
        return False
    return True
