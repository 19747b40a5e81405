"""The columns of one call, computed from the assembled call."""

import json
import re
from hashlib import blake2b
from typing import Any, Final

from toolwatch_server.domain.call import Call
from toolwatch_server.storage.text import indexable, indexed_words, preview, storable, storable_int

_ERROR_MESSAGE_MAX: Final = 1_000
_WORDS_SOURCE_MAX: Final = 65_536
# What differs between two failures of one kind: quoted values, addresses, ids, numbers.
_PARTICULAR: Final = re.compile(
    r"'[^']{1,200}'"
    r'|"[^"]{1,200}"'
    r"|\b0x[0-9a-fA-F]+\b"
    r"|\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b"
    r"|\b(?=[0-9A-Za-z_-]*\d)[0-9A-Za-z_-]{12,}\b"
    r"|\d+(?:[.,:]\d+)*"
)


def columns(call: Call, *, now_ns: int) -> dict[str, Any]:
    """Everything in a `calls` row but its id and key."""
    return {**_identity(call), **_times(call), **_verdict(call), "assembled_ns": now_ns}


def words(call: Call) -> tuple[str, str]:
    """The words to search the call by, and their digest."""
    arguments = call.arguments
    told = (_json(arguments.value) or arguments.raw, call.result, call.answer.content, call.told)
    error = (call.error.type, call.error.message) if call.error else ()
    problems = (f"{problem.field} {problem.reason}" for problem in arguments.problems)
    # A result is often the answer, and what the model was told: split it once.
    texts = dict.fromkeys(text[:_WORDS_SOURCE_MAX] for text in (call.tool, *error, *told, *problems) if text)
    found = indexed_words("\n".join(texts))
    return found, _digest(found)


def normal_message(message: str) -> str:
    """A message without what differs from one failure to the next of its kind."""
    first = next(iter(storable(message[:2_000]).strip().splitlines()), "")
    return _PARTICULAR.sub("…", first)[:300]


def fingerprint(call: Call) -> str | None:
    """Equal for calls of one thread (or run) with the same tool and arguments; None when not known."""
    scope = call.thread_id or call.run_id
    if scope is None or call.tool is None or (call.arguments.value is None and call.arguments.raw is None):
        return None
    return _digest("\x1f".join((scope, call.tool, _json(call.arguments.value) or call.arguments.raw or "")))


def _identity(call: Call) -> dict[str, Any]:
    texts = {
        name: indexable(getattr(call, name))
        for name in (
            "tool_call_id", "tool", "framework", "service", "environment", "thread_id", "trace_id", "run_id",
            "span_id", "message_id", "parent_key", "instance_id",
        )
    }  # fmt: skip
    return {
        **texts,
        "group_id": indexable(call.group.id if call.group else call.message_id),
        "group_size": storable_int(call.group.size) if call.group else None,
        "position": None if call.position is None else storable_int(call.position),
        "fingerprint": fingerprint(call),
    }


def _times(call: Call) -> dict[str, Any]:
    known = {
        name: None if (value := getattr(call, name)) is None else storable_int(value)
        for name in ("requested_ns", "started_ns", "ended_ns", "answered_ns", "last_seen_ns")
    }
    marks = [
        known["requested_ns"],
        known["started_ns"],
        call.dispatched_ns,
        known["answered_ns"],
        call.seen_ns,
    ]
    said = [storable_int(mark) for mark in marks if mark is not None]
    return {
        **known,
        "sort_ns": min(said, default=0),
        "last_ns": max([*said, known["ended_ns"] or 0], default=0),
        "duration_ms": call.duration_ms,
        "waited_ms": call.waited_ms,
    }


def _verdict(call: Call) -> dict[str, Any]:
    error = call.error
    codes = dict.fromkeys(warning.code for warning in call.warnings)
    return {
        "outcome": call.outcome,
        "failed": call.failed,
        "handled_by": indexable(call.handled_by),
        "executions": call.executions,
        "attempts": len(call.attempts),
        "error_type": indexable(error.type) if error else None,
        "error_message": storable(error.message[:_ERROR_MESSAGE_MAX]) if error else None,
        "error_group": normal_message(error.message) if error else None,
        "arguments_preview": preview(call.arguments.raw or _json(call.arguments.value)),
        "answer_preview": preview(call.answer.content if call.answer.content is not None else call.result),
        "warnings": f" {' '.join(codes)} " if codes else "",
        "redactions": sum(redaction.count for redaction in call.redactions),
    }


def _json(value: object) -> str | None:
    if value is None:
        return None
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), default=str)


def _digest(text: str) -> str:
    return blake2b(storable(text).encode(), digest_size=12).hexdigest()
