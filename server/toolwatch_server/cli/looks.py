"""How calls look in a terminal: outcomes with a sign and a colour, a call on a screen or on a line."""

from datetime import datetime
from typing import Any, Final

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from toolwatch_server.api.to_text import call_lines

VALUE_CHARS: Final = 2_000
_WAITING: Final = frozenset({"running", "interrupted"})
Json = dict[str, Any]


def outcome_text(call: Json) -> Text:
    """Never by colour alone."""
    outcome = call["outcome"]
    if call["failed"]:
        return Text(f"✗ {outcome}", style="bold red")
    if outcome in _WAITING:
        return Text(f"… {outcome}", style="bold yellow")
    return Text(
        f"✓ {outcome}" if outcome == "ok" else f"• {outcome}", style="green" if outcome == "ok" else "cyan"
    )


def call_view(call: Json) -> RenderableType:
    """Everything of one call; narrow terminals wrap it."""
    head = Text.assemble((call["tool"] or "(no tool name)", "bold"), "  ", outcome_text(call))
    rows = Table.grid(padding=(0, 2))
    rows.add_column(style="dim", no_wrap=True)
    rows.add_column(overflow="fold")
    for label, text in call_lines(call):
        style = "red" if label == "raised" else "yellow" if label == "warning" else ""
        cut = f"… ({len(text) - VALUE_CHARS} more characters)" if len(text) > VALUE_CHARS else ""
        rows.add_row(label.strip(), Text(text[:VALUE_CHARS] + cut, style=style))
    return Group(head, Text(call["verdict"]), Padding(rows, (1, 0, 1, 0)))


def call_line(call: Json) -> Text:
    """Local time, outcome, tool, how long, id, and why it failed; one line of whatever width there is."""
    took = "" if call["duration_ms"] is None else f"{call['duration_ms']:.0f} ms"
    line = Text(no_wrap=True, overflow="ellipsis")
    line.append(f"{clock(first_moment(call))} ", style="dim")
    line.append_text(outcome_text(call))
    line.append(f"  {call['tool'] or '(no tool name)'}", style="bold")
    line.append(f"  {took}  {call['tool_call_id'] or ''}", style="dim")
    if call["error"]:
        line.append(f"  {call['error']['type']}: {one_line(call['error']['message'])}", style="red")
    return line


def call_columns(call: Json) -> str:
    """The same for pipes: columns apart by tabs."""
    error = call["error"] or {"type": "", "message": ""}
    took = "" if call["duration_ms"] is None else f"{call['duration_ms']:.3f}"
    texts = (
        first_moment(call), call["outcome"], call["tool"], took, call["tool_call_id"], call["key"],
        error["type"], error["message"],
    )  # fmt: skip
    return "\t".join(one_line(text or "") for text in texts)


def first_moment(call: Json) -> str | None:
    moments: tuple[str | None, ...] = (call["requested_at"], call["started_at"], call["answered_at"])
    return next((moment for moment in moments if moment), None)


def clock(moment: str | None) -> str:
    return datetime.fromisoformat(moment).astimezone().strftime("%H:%M:%S") if moment else "--:--:--"


def one_line(text: str) -> str:
    return " ".join(text.split())
