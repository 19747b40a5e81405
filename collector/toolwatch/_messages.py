"""LangChain's messages, read by their shape, so that nothing of LangChain is imported."""

import json
from collections.abc import Iterator
from typing import Any, Final

DEPTH: Final = 6
PROVIDER_BLOCKS: Final = frozenset({"server_tool_call", "server_tool_use"})


def is_assistant(message: Any) -> bool:
    return getattr(message, "type", None) in ("ai", "AIMessageChunk") and hasattr(message, "tool_calls")


def is_tool_answer(message: Any) -> bool:
    return getattr(message, "type", None) == "tool" and hasattr(message, "tool_call_id")


def asked_for(message: Any) -> list[dict[str, Any]]:
    """id, name, arguments, kind and error of all calls in a message: readable, unreadable, the provider's."""
    found = [_item(c, "model") for c in message.tool_calls]
    found += [_item(c, "malformed") for c in getattr(message, "invalid_tool_calls", None) or ()]
    content = message.content
    if isinstance(content, list):
        found += [
            {"id": b.get("id"), "name": b.get("name"), "kind": "provider", "error": None,
             "arguments": b.get("args", b.get("input"))}
            for b in content
            if isinstance(b, dict) and b.get("type") in PROVIDER_BLOCKS
        ]  # fmt: skip
    return found


def _item(call: Any, kind: str) -> dict[str, Any]:
    return {
        "id": call.get("id"),
        "name": call.get("name"),
        "arguments": call.get("args"),
        "kind": kind,
        "error": call.get("error"),
    }


def written(outputs: Any, depth: int = 0) -> Iterator[Any]:
    """The messages in what a node returned: a message, a dict, a Command, lists of them."""
    if is_tool_answer(outputs) or is_assistant(outputs):
        yield outputs
    elif is_command(outputs):
        yield from written(outputs.update, depth + 1)
    elif depth < DEPTH:
        items = outputs.values() if isinstance(outputs, dict) else outputs
        for item in items if isinstance(outputs, dict | list | tuple) else ():
            if isinstance(item, dict | list | tuple) or _may_hold(item):
                yield from written(item, depth + 1)


def _may_hold(item: Any) -> bool:
    return hasattr(item, "tool_call_id") or hasattr(item, "tool_calls") or is_command(item)


def is_command(value: Any) -> bool:
    kind = type(value)
    return kind.__name__ == "Command" and kind.__module__.startswith("langgraph")


def last_turn(messages: list[Any]) -> list[Any]:
    """From the last message with calls on; everything, where there is none."""
    for place in range(len(messages) - 1, -1, -1):
        if is_assistant(messages[place]) and asked_for(messages[place]):
            return messages[place:]
    return messages


def own_answer(result: Any, tool_call_id: str | None) -> Any:
    """The message that answers the id, in whatever a tool or a wrapper returned."""
    if is_tool_answer(result):
        return result if result.tool_call_id == tool_call_id else None
    if not (is_command(result) or isinstance(result, list | tuple)):
        return None
    found = [m for m in written(result) if is_tool_answer(m) and m.tool_call_id == tool_call_id]
    return found[-1] if found else None


def is_json(text: str) -> bool:
    try:
        json.loads(text or "{}")
    except (ValueError, RecursionError):
        return False
    return True
