"""One call as plain text, for terminals and tickets. Takes the API's JSON, so that clients can use it too."""

import json
from collections.abc import Iterator
from typing import Any, Final

LABEL_WIDTH: Final = 11


def call_text(call: dict[str, Any]) -> str:
    """Several lines, the verdict first, with a newline at the end."""
    return "\n".join(_lines(call)) + "\n"


def _lines(call: dict[str, Any]) -> Iterator[str]:
    yield f"{call['tool'] or '(no tool name)'}  {call['outcome']}"
    yield call["verdict"]
    yield ""
    known = call["tool_call_id"]
    yield _line("id", "none" if known is None else known or "empty")
    for label, name in (("key", "key"), ("thread", "thread_id"), ("run", "run_id"), ("trace", "trace_id")):
        if call[name]:
            yield _line(label, call[name])
    yield from _steps(call)
    yield from _attempts(call)
    yield from _contents(call)
    for warning in call["warnings"]:
        yield _line("warning", f"{warning['code']}: {warning['text']}")
    for mark in call["redactions"]:
        yield _line("redacted", f"{mark['where']}: {mark['rule']} x{mark['count']}")


def _steps(call: dict[str, Any]) -> Iterator[str]:
    steps = ("requested", "dispatched", "started", "ended", "answered", "seen")
    for step in steps:
        if call[f"{step}_at"]:
            yield _line(step, call[f"{step}_at"])


def _attempts(call: dict[str, Any]) -> Iterator[str]:
    yield _line("executions", str(call["executions"]))
    for attempt in call["attempts"]:
        took = "" if attempt["duration_ms"] is None else f" in {attempt['duration_ms']:.1f} ms"
        flags = "".join(f", {flag}" for flag in ("discarded", "late") if attempt[flag])
        yield _line(f"  {attempt['number']}", f"{attempt['cause']}: {attempt['outcome']}{took}{flags}")
        if attempt["error"]:
            yield _line("", f"{attempt['error']['type']}: {attempt['error']['message']}")


def _contents(call: dict[str, Any]) -> Iterator[str]:
    arguments = call["arguments"]
    written = arguments["raw"]
    if written is None and arguments["value"] is not None:
        written = json.dumps(arguments["value"], ensure_ascii=False)
    if written is not None:
        yield _line("asked with", written)
    if arguments["received"] is not None:
        yield _line("received", json.dumps(arguments["received"], ensure_ascii=False))
    for problem in arguments["problems"]:
        yield _line("problem", f"{problem['field']}: {problem['reason']}")
    if call["result"] is not None:
        yield _line("returned", call["result"])
    if call["error"]:
        yield _line("raised", f"{call['error']['type']}: {call['error']['message']}")
    if call["answer"]["content"] is not None:
        yield _line("told", call["answer"]["content"])


def _line(label: str, text: str) -> str:
    first, *others = text.splitlines() or [""]
    indent = " " * (LABEL_WIDTH + 1)
    return "\n".join([f"{label:<{LABEL_WIDTH}} {first}", *(indent + other for other in others)])
