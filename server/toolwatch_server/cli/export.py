"""toolwatch export"""

import json
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from toolwatch_server.api.to_text import call_text
from toolwatch_server.cli.client import DEFAULT_SERVER, Client, Server
from toolwatch_server.cli.console import complain
from toolwatch_server.errors import ToolwatchError

PAGE = 500


class Format(StrEnum):
    JSON = "json"
    TEXT = "text"
    OTLP_JSON = "otlp-json"
    OTLP_PROTO = "otlp-proto"


def export(
    *,
    format: Annotated[Format, typer.Option(help="What to write.")] = Format.JSON,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="A file; standard output unless told.")
    ] = None,
    tool_call_id: Annotated[str | None, typer.Option(help="Exactly this id.")] = None,
    tool: Annotated[str | None, typer.Option(help="The tool's name.")] = None,
    outcome: Annotated[list[str] | None, typer.Option(help="May be given several times.")] = None,
    failed: Annotated[
        bool | None, typer.Option("--failed/--not-failed", help="Only failures, or only others.")
    ] = None,
    service: Annotated[str | None, typer.Option(help="The service's name.")] = None,
    environment: Annotated[str | None, typer.Option(help="The deployment environment.")] = None,
    thread_id: Annotated[str | None, typer.Option(help="The conversation.")] = None,
    trace_id: Annotated[str | None, typer.Option(help="The trace.")] = None,
    run_id: Annotated[str | None, typer.Option(help="The run.")] = None,
    error_type: Annotated[str | None, typer.Option(help="The type of the error.")] = None,
    warning: Annotated[str | None, typer.Option(help="A warning's code.")] = None,
    min_attempts: Annotated[int | None, typer.Option(help="At least so many attempts.")] = None,
    min_duration_ms: Annotated[float | None, typer.Option(help="Ran at least so long.")] = None,
    since: Annotated[str | None, typer.Option(help="RFC 3339, or relative such as -1h.")] = None,
    until: Annotated[str | None, typer.Option(help="RFC 3339, or relative such as -1h.")] = None,
    q: Annotated[str | None, typer.Option(help="Words in arguments, results and errors.")] = None,
    server: Server = DEFAULT_SERVER,
) -> None:
    """Write the calls that fit all filters, newest first; in the OTLP formats, their whole traces.

    [bold]Examples[/bold]

      toolwatch export --failed --since -1h > failures.json

      toolwatch export --trace-id 4bf92f… --format otlp-proto -o trace.binpb
    """
    given = {name: value for name, value in locals().items() if name not in ("format", "output", "server")}
    filters = {name: _spelled(value) for name, value in given.items() if value is not None}
    client = Client(server)
    calls = _all_calls(client, filters)
    if not calls and trace_id is None:
        complain("No call fits.")
    written = _written(client, calls, format, trace_id)
    if output is None:
        typer.get_binary_stream("stdout").write(written)
        return
    try:
        output.write_bytes(written)
    except OSError as error:
        raise ToolwatchError(f"Cannot write {output}: {error.strerror}.") from None


def _spelled(value: Any) -> Any:
    return str(value).lower() if isinstance(value, bool) else value


def _all_calls(client: Client, filters: dict[str, Any]) -> list[dict[str, Any]]:
    calls: list[dict[str, Any]] = []
    cursor: dict[str, str] = {}
    while True:
        page = client.get("/api/v1/calls", **filters, **cursor, limit=PAGE).json()
        calls += page["calls"]
        if page["next_cursor"] is None:
            return calls
        cursor = {"cursor": page["next_cursor"]}


def _written(client: Client, calls: list[dict[str, Any]], format: Format, trace_id: str | None) -> bytes:
    if format is Format.JSON:
        return (json.dumps({"calls": calls}, indent=2) + "\n").encode()
    if format is Format.TEXT:
        return "\n".join(map(call_text, calls)).encode()
    traces = dict.fromkeys(trace for call in reversed(calls) for trace in call["trace_ids"])
    if trace_id is not None:
        traces = {trace_id: None}  # spans that belong to no call are wanted too
    answers = [client.get(f"/api/v1/traces/{trace}/export", format=format.value) for trace in traces]
    found = [answer.content for answer in answers if answer.is_success]
    if format is Format.OTLP_PROTO:
        return b"".join(found)  # in protobuf, requests joined are one request
    spans = [span for body in found for span in json.loads(body)["resourceSpans"]]
    return (json.dumps({"resourceSpans": spans}) + "\n").encode()
