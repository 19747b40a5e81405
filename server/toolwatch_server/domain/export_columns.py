"""A call as one row of a table: the columns of CSV and Parquet."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

Json = Mapping[str, Any]
# A spreadsheet takes what begins so for a formula.
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")


@dataclass(frozen=True, slots=True)
class Column:
    """kind: text, bool, int, float or moment (RFC 3339)."""

    name: str
    kind: str
    read: Callable[[Json], Any]


def _of(name: str, kind: str = "text") -> Column:
    return Column(name, kind, lambda call: call[name])


def _inside(name: str, outer: str, inner: str) -> Column:
    return Column(name, "text", lambda call: call[outer][inner] if call[outer] else None)


COLUMNS: Final = (
    *map(_of, ("key", "tool_call_id", "tool", "outcome")),
    _of("failed", "bool"),
    *map(_of, ("verdict", "handled_by", "service", "environment", "framework", "sdk", "agent", "node")),
    *map(_of, ("thread_id", "run_id", "trace_id", "span_id", "message_id", "parent_key")),
    _of("position", "int"),
    *(_of(f"{step}_at", "moment") for step in ("requested", "started", "ended", "answered")),
    _of("duration_ms", "float"),
    _of("waited_ms", "float"),
    _of("executions", "int"),
    Column("attempts", "int", lambda call: len(call["attempts"])),
    Column("arguments", "text", lambda call: _arguments(call["arguments"])),
    _of("result"),
    _inside("error_type", "error", "type"),
    _inside("error_message", "error", "message"),
    _inside("answer_status", "answer", "status"),
    _inside("answer", "answer", "content"),
    _of("told"),
    Column("warnings", "text", lambda call: " ".join(warning["code"] for warning in call["warnings"])),
)


def column_values(call: Json) -> list[Any]:
    """In the order of COLUMNS, from a call as the API tells it."""
    return [column.read(call) for column in COLUMNS]


def harmless(value: Any) -> Any:
    """A text that a spreadsheet would run gets an apostrophe before it, which spreadsheets do not show."""
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value


def _arguments(arguments: Json) -> str | None:
    if arguments["raw"] is not None or arguments["value"] is None:
        raw: str | None = arguments["raw"]
        return raw
    return json.dumps(arguments["value"], ensure_ascii=False)
