"""What the demo prints: the calls it made, and where to look."""

from collections.abc import Sequence

from rich.table import Table

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


def where_to_look(address: str, calls: Sequence[Stored]) -> str:
    looks = [
        ("what is going on now", f"{address}/"),
        ("the calls that failed", f"{address}/calls?failed=true"),
    ]
    looks += [
        (call.asked.look, f"{address}/c/{call.asked.tool_call_id}") for call in calls if call.asked.look
    ]
    lines = "\n".join(f"  {sentence}\n    [cyan]{link}[/]" for sentence, link in looks)
    return (
        f"\n{len(calls)} calls are stored, and the agents keep making more. Open this:\n\n{lines}\n\n"
        "Or copy a tool_call_id from anywhere and paste it into the search box. Ctrl-C ends the demo."
    )
