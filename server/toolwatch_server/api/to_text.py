"""A call as text, to be read in a terminal or by a language model. Takes the API's own JSON."""

import json
from collections.abc import Iterator, Sequence
from typing import Any, Final

LABEL_WIDTH: Final = 11
LEAST_CHARS: Final = 200  # below this no call can be told
_LEAST_VALUE_CHARS: Final = 40


def call_text(call: dict[str, Any], max_chars: int | None = None) -> str:
    """Several lines, the verdict first, with a newline at the end.

    Where that is longer than max_chars, long values are shortened, all to the same length, and say so.
    """
    text = _told(call, None)
    if max_chars is None or len(text) <= max_chars:
        return text
    value_chars = max_chars
    while len(text) > max_chars and value_chars > _LEAST_VALUE_CHARS:
        value_chars = max(value_chars // 2, _LEAST_VALUE_CHARS)
        text = _told(call, value_chars)
    return _cut(text, max_chars)


def calls_text(calls: Sequence[dict[str, Any]], max_chars: int, *, more: bool = False) -> str:
    """Many calls within one limit: each gets an equal share, and calls that have no room are counted."""
    if not calls:
        return "No call fits.\n"
    note_chars = 80
    room = max(LEAST_CHARS, max_chars - note_chars) if len(calls) > 1 or more else max_chars
    share = max(4 * LEAST_CHARS, room // len(calls))
    told: list[str] = []
    for call in calls:
        text = call_text(call, min(share, room))
        if len(text) + 1 > room and told:
            break
        told.append(text)
        room -= len(text) + 1
    left = len(calls) - len(told)
    if left or more:
        told.append(
            f"… and {left or ''}{'+' if left and more else ''} more calls: ask for fewer, or for more text.\n"
        )
    return _cut("\n".join(told), max_chars)


def _cut(text: str, max_chars: int) -> str:
    if len(text) <= max_chars:
        return text
    note = f"\n… cut: {len(text)} characters do not fit into {max_chars}\n"
    return text[: max(0, max_chars - len(note))] + note


def _told(call: dict[str, Any], value_chars: int | None) -> str:
    return (
        "\n".join(
            _line(label, _clipped(text, value_chars)) if label is not None else text
            for label, text in _lines(call)
        )
        + "\n"
    )


def _clipped(text: str, chars: int | None) -> str:
    if chars is None or len(text) <= chars:
        return text
    return f"{text[:chars]}… ({len(text) - chars} more characters)"


Line = tuple[str | None, str]  # without a label, a line is written as it is


def _lines(call: dict[str, Any]) -> Iterator[Line]:
    yield None, f"{call['tool'] or '(no tool name)'}  {call['outcome']}"
    yield None, call["verdict"]
    yield None, ""
    yield from call_lines(call)


def call_lines(call: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Everything below the verdict, as labels and texts."""
    known = call["tool_call_id"]
    yield "id", "none" if known is None else known or "empty"
    for label, name in (("key", "key"), ("thread", "thread_id"), ("run", "run_id"), ("trace", "trace_id")):
        if call[name]:
            yield label, call[name]
    yield from _steps(call)
    yield from _attempts(call)
    yield from _contents(call)
    for warning in call["warnings"]:
        yield "warning", f"{warning['code']}: {warning['text']}"
    for mark in call["redactions"]:
        yield "redacted", f"{mark['where']}: {mark['rule']} x{mark['count']}"


def _steps(call: dict[str, Any]) -> Iterator[tuple[str, str]]:
    steps = ("requested", "dispatched", "started", "ended", "answered", "seen")
    for step in steps:
        if call[f"{step}_at"]:
            yield step, call[f"{step}_at"]


def _attempts(call: dict[str, Any]) -> Iterator[tuple[str, str]]:
    yield "executions", str(call["executions"])
    for attempt in call["attempts"]:
        took = "" if attempt["duration_ms"] is None else f" in {attempt['duration_ms']:.1f} ms"
        flags = "".join(f", {flag}" for flag in ("discarded", "late") if attempt[flag])
        yield f"  {attempt['number']}", f"{attempt['cause']}: {attempt['outcome']}{took}{flags}"
        if attempt["error"]:
            yield "", f"{attempt['error']['type']}: {attempt['error']['message']}"


def _contents(call: dict[str, Any]) -> Iterator[tuple[str, str]]:
    arguments = call["arguments"]
    written = arguments["raw"]
    if written is None and arguments["value"] is not None:
        written = json.dumps(arguments["value"], ensure_ascii=False)
    if written is not None:
        yield "asked with", written
    if arguments["received"] is not None:
        yield "received", json.dumps(arguments["received"], ensure_ascii=False)
    for problem in arguments["problems"]:
        yield "problem", f"{problem['field']}: {problem['reason']}"
    if call["result"] is not None:
        yield "returned", call["result"]
    if call["error"]:
        yield "raised", f"{call['error']['type']}: {call['error']['message']}"
    if call["answer"]["content"] is not None:
        yield "told", call["answer"]["content"]


def _line(label: str, text: str) -> str:
    first, *others = text.splitlines() or [""]
    indent = " " * (LABEL_WIDTH + 1)
    return "\n".join([f"{label:<{LABEL_WIDTH}} {first}", *(indent + other for other in others)])
