"""What the tools answer: text that a model reads with few tokens."""

import json
from collections.abc import Sequence
from typing import Any, Final

from toolwatch_server.api.to_text import call_text

Json = dict[str, Any]
ANSWER_CHARS: Final = 12_000
LINE_CHARS: Final = 160
_EACH_ITS_OWN: Final = frozenset({
    "key", "tool_call_id", "span_id", "trace_id", "trace_ids", "run_id", "message_id", "parent_key", "group",
    "position", "siblings", "nested", "same_id", "same_arguments", "corrects", "corrected_by", "attempts",
})  # fmt: skip


def of_calls(calls: Sequence[Json]) -> str:
    """Everything about each, within one limit."""
    share = ANSWER_CHARS // max(1, len(calls))
    return "\n".join(call_text(call, max(800, share)) for call in calls)[:ANSWER_CHARS]


def as_lines(calls: Sequence[Json]) -> str:
    return "\n".join(map(_line, calls))


def _line(call: Json) -> str:
    at = call["requested_at"] or call["started_at"] or call["answered_at"] or ""
    verdict = " ".join(call["verdict"].split())
    shown = verdict if len(verdict) <= LINE_CHARS else verdict[: LINE_CHARS - 1] + "…"
    return f"{at[:23]} {call['outcome']} id={call['tool_call_id']} key={call['key']}: {shown}"


def of_trace(trace: Json) -> str:
    """Its calls in order, its warnings, answers that nobody asked for, and how its runs ended."""
    parts = [
        f"{len(trace['calls'])} calls, {trace['spans_total']} spans, oldest first:",
        as_lines(trace["calls"]),
    ]
    parts += [f"warning {w['code']}: {w['text']} ({', '.join(w['keys'][:5])})" for w in trace["warnings"]]
    parts += [
        f"orphaned answer id={o['tool_call_id']}: {str(o['content'])[:LINE_CHARS]}" for o in trace["orphans"]
    ]
    parts += [f"run {r['run_id']} {r['name'] or ''}: {r['outcome']}" for r in trace["runs"]]
    return _cut("\n".join(parts))


def of_difference(one: Json, other: Json) -> str:
    """What is not the same; ids, places and times always differ and are left out."""
    names = [name for name in one if name not in _EACH_ITS_OWN and not name.endswith("_at")]
    lines = [f"{one['key']} | {other['key']}"]
    for name in names:
        if one[name] != other.get(name):
            lines.append(f"{name}: {_short(one[name])} | {_short(other.get(name))}")
    if len(lines) == 1:
        lines.append("no difference but in ids and times")
    return _cut("\n".join(lines))


def of_errors(groups: Sequence[Json]) -> str:
    lines = [
        f"{group['count']}x {group['error_type']}: {group['message']} (tools: {', '.join(group['tools'])}; "
        f"last {group['last_at']}; last call key={group['last_key']})"
        for group in groups
    ]
    return _cut("\n".join(lines) or "No call has failed.")


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 600 else f"{text[:600]}… ({len(text) - 600} more characters)"


def _cut(text: str) -> str:
    if len(text) <= ANSWER_CHARS:
        return text
    return f"{text[:ANSWER_CHARS]}\n… {len(text) - ANSWER_CHARS} more characters: ask for less."
