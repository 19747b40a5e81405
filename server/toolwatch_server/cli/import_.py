"""toolwatch import"""

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Final

import typer
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceResponse
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

from toolwatch_server.cli.client import DEFAULT_SERVER, Client, Server
from toolwatch_server.cli.console import complain, err, out
from toolwatch_server.cli.otlp_files import TRACES, Request, requests_of
from toolwatch_server.errors import Later, ToolwatchError
from toolwatch_server.ingest.otlp.media import JSON

TRIES: Final = 10


@dataclass
class Taken:
    """What a server did with the records of a file."""

    stored: int = 0
    known: int = 0
    refused: int = 0
    reasons: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        refused = f", {self.refused} refused" if self.refused else ""
        return f"{self.stored} records stored, {self.known} known already{refused}"


def import_(
    files: Annotated[list[Path], typer.Argument(help="OTLP in protobuf or JSON, or Jaeger's JSON.")],
    server: Server = DEFAULT_SERVER,
) -> None:
    """Send files to the server. What it has already is not stored twice.

    Takes what `toolwatch export` and the OpenTelemetry Collector's file exporter write, and Jaeger's JSON;
    each may be packed by gzip.

    [bold]Examples[/bold]

      toolwatch import trace.otlp.binpb

      toolwatch import *.otlp.json
    """
    with Client(server) as client:
        for file in files:
            taken = Taken()
            for request in _shown(file):
                _send(client, file, request, taken)
            out.print(f"{file}: {taken}", markup=False, soft_wrap=True)
            for reason in taken.reasons[:5]:
                complain(f"{file}: {reason}")


def _shown(file: Path) -> Iterator[Request]:
    """The requests of a file, with a bar where somebody looks."""
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        DownloadColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=err, transient=True, disable=not err.is_terminal) as progress:
        bar = progress.add_task(file.name, total=file.stat().st_size if file.exists() else None)
        for request, read_bytes in requests_of(file):
            yield request
            progress.update(bar, completed=read_bytes)


def _send(client: Client, file: Path, request: Request, taken: Taken) -> None:
    for number in range(TRIES):
        try:
            answer = client.post(request.path, request.body, request.media)
        except Later as error:
            if number == TRIES - 1:
                raise ToolwatchError(f"{file}: {error.message}") from None
            time.sleep(error.after_s)
        except ToolwatchError as error:
            raise ToolwatchError(f"{file}: {error.message}") from None
        else:
            break
    refused, reason = _refusals(answer.content, request)
    taken.stored += int(answer.headers.get("toolwatch-stored", 0))
    taken.known += int(answer.headers.get("toolwatch-known", 0))
    taken.refused += refused
    taken.reasons += [reason] if reason else []


def _refusals(said: bytes, request: Request) -> tuple[int, str]:
    """OTLP's partial success: how many records a server did not take, and why."""
    if request.media == JSON:
        partial = json.loads(said or b"{}").get("partialSuccess", {})
        refused = int(partial.get("rejectedSpans") or partial.get("rejectedLogRecords") or 0)
        return refused, partial.get("errorMessage", "")
    if request.path == TRACES:
        spans = ExportTraceServiceResponse.FromString(said).partial_success
        return spans.rejected_spans, spans.error_message
    logs = ExportLogsServiceResponse.FromString(said).partial_success
    return logs.rejected_log_records, logs.error_message
