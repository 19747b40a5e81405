"""What the demo prints: the calls it made, and where to look."""

from collections.abc import Sequence

from rich.console import Group
from rich.table import Table
from rich.text import Text

from toolwatch_server.demo.stored import Progress, Stored


def progress_line(progress: Progress) -> str:
    line = f"{progress.asked} calls asked for, {progress.stored} stored"
    if progress.agents_at_work:
        return f"{line}; {progress.agents_at_work} agents at work"
    if progress.running:
        return f"{line}; waiting for a sign of life of the {progress.running} still running"
    return line


def calls_table(calls: Sequence[Stored]) -> Table:
    table = Table("tool_call_id", "tool", "outcome", "executions")
    for call in calls:
        table.add_row(call.asked.tool_call_id, call.asked.tool, call.outcome, str(call.executions))
    for column in table.columns:
        column.no_wrap = True
        column.overflow = "ignore"  # an id that is cut cannot be pasted
    return table


def where_to_look(address: str, calls: Sequence[Stored]) -> Group:
    looks = Table("open", "to see", box=None, pad_edge=False)
    looks.add_row(f"{address}/", "what is going on now")
    looks.add_row(f"{address}/calls?failed=true", "the calls that failed")
    for call in calls:
        if call.asked.look:
            looks.add_row(f"{address}/c/{call.asked.tool_call_id}", call.asked.look)
    looks.columns[0].no_wrap = True
    looks.columns[0].overflow = "fold"
    return Group(
        Text(f"\n{len(calls)} calls are stored, and the agents keep making more. Where to look:\n"),
        looks,
        Text(
            "\nOr copy a tool_call_id from anywhere and paste it into the search box. Ctrl-C ends the demo.\n"
        ),
    )
