"""Files that come back: whatever `toolwatch export`, the OpenTelemetry Collector or Jaeger wrote."""

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord, ResourceLogs, ScopeLogs
from typer.testing import CliRunner, Result

from tests.live import Live, live
from tests.otlp import a_tool_span, as_json, ids, pairs, request, value
from toolwatch_server.cli import app, otlp_files


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Live]:
    with live(tmp_path) as running:
        yield running


def toolwatch(server: Live, *arguments: str | Path) -> Result:
    given = [*map(str, arguments), "--server", server.address]
    return CliRunner().invoke(app, given, env={"COLUMNS": "200"})


def bring(server: Live, path: Path, body: bytes) -> str:
    path.write_bytes(body)
    done = toolwatch(server, "import", path)
    assert done.exit_code == 0, done.output
    return done.stdout.strip()


def span(number: int) -> bytes:
    return request(a_tool_span("pay", f"call_{number}", **ids(number)))


def tool_ids(server: Live) -> set[str]:
    return {call["tool_call_id"] for call in server.calls()}


def test_what_was_stored_and_what_was_known_is_told(server: Live, tmp_path: Path) -> None:
    file = tmp_path / "two.binpb"

    assert bring(server, file, span(1)) == f"{file}: 1 records stored, 0 known already"
    assert bring(server, file, span(1) + span(2)) == f"{file}: 1 records stored, 1 known already"


def test_what_was_refused_is_told_with_the_reason(server: Live, tmp_path: Path) -> None:
    file = tmp_path / "bad.json"
    file.write_bytes(as_json(spanId="xy"))

    done = toolwatch(server, "import", file)

    assert done.exit_code == 0
    assert done.stdout.strip() == f"{file}: 0 records stored, 0 known already, 1 refused"
    assert "its span id has" in done.stderr


@pytest.mark.parametrize("packed", [False, True])
def test_the_collectors_lines_of_json_are_taken(server: Live, tmp_path: Path, packed: bool) -> None:
    lines = b"\n".join(
        json.dumps(json.loads(as_json(spanId=f"{n:016x}"))).encode() for n in (1, 2, 3)
    )  # fmt: skip

    bring(server, tmp_path / "traces.json", gzip.compress(lines) if packed else lines + b"\n\n")

    assert server.status()["stored"] == 3


def test_the_collectors_protobuf_with_lengths_is_taken(server: Live, tmp_path: Path) -> None:
    messages = b"".join(len(body).to_bytes(4, "big") + body for body in (span(1), span(2)))

    bring(server, tmp_path / "traces.pb", messages)

    assert tool_ids(server) == {"call_1", "call_2"}


def test_a_document_over_many_lines_is_taken(server: Live, tmp_path: Path) -> None:
    bring(server, tmp_path / "pretty.json", json.dumps(json.loads(as_json()), indent=2).encode())

    assert tool_ids(server) == {"call_json"}


@pytest.mark.parametrize("format", ["binpb", "json"])
def test_a_long_file_goes_in_several_requests(
    server: Live, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, format: str
) -> None:
    monkeypatch.setattr(otlp_files, "REQUEST_BYTES", 300)
    spans = json.loads(as_json())["resourceSpans"]
    document = {"resourceSpans": [*spans, *json.loads(as_json(spanId=f"{9:016x}"))["resourceSpans"]]}
    body = json.dumps(document).encode() if format == "json" else b"".join(map(span, range(1, 6)))

    said = bring(server, tmp_path / f"long.{format}", body)

    assert f"{2 if format == 'json' else 5} records stored" in said
    assert (
        server.http.get("/metrics").text.count('toolwatch_requests_total{signal="traces",status="200"} 1.0')
        == 0
    )


def a_log(number: int) -> ResourceLogs:
    """What GenAI conventions say of a tool's answer as a log record."""
    record = LogRecord(
        trace_id=bytes.fromhex(f"{number:032x}"),
        span_id=bytes.fromhex(f"{number:016x}"),
        time_unix_nano=1_767_268_800_000_000_000,
        event_name="gen_ai.tool.message",
        body=value({"id": f"call_{number}", "content": "sunny"}),
        attributes=pairs({"gen_ai.system": "openai"}),
    )
    return ResourceLogs(scope_logs=[ScopeLogs(log_records=[record])])


def test_log_records_in_protobuf_are_told_from_spans(server: Live, tmp_path: Path) -> None:
    bring(
        server,
        tmp_path / "logs.binpb",
        ExportLogsServiceRequest(resource_logs=[a_log(7)]).SerializeToString(),
    )

    assert server.status()["stored"] == 1
    assert server.status()["refused"] == 0


@pytest.mark.parametrize("format", ["otlp-proto", "otlp-json"])
def test_what_log_records_said_of_a_call_travels_with_its_spans(
    server: Live, tmp_path: Path, format: str
) -> None:
    body = ExportLogsServiceRequest(resource_logs=[a_log(7)]).SerializeToString()
    server.send(span(7))
    assert server.send(body, path="/v1/logs").status_code == 200
    file = tmp_path / "both"
    assert toolwatch(server, "export", "--format", format, "-o", file).exit_code == 0

    (tmp_path / "other").mkdir()
    with live(tmp_path / "other") as other:
        done = toolwatch(other, "import", file)
        assert "2 records stored" in done.stdout, done.output
        assert other.calls() == server.calls()


def test_jaegers_short_ids_and_missing_tags_are_understood(server: Live, tmp_path: Path) -> None:
    tags = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "pay",
        "gen_ai.tool.call.id": "call_j",
    }
    found: dict[str, Any] = {
        "traceID": "abc", "spanID": "1", "operationName": "execute_tool pay", "processID": "p1",
        "startTime": 1_767_268_800_000_000, "duration": 1500,
        "references": [{"refType": "CHILD_OF", "traceID": "abc", "spanID": "2"}],
        "tags": [{"key": key, "type": "string", "value": text} for key, text in tags.items()],
    }  # fmt: skip
    trace = {"traceID": "abc", "spans": [found], "processes": {"p1": {"serviceName": "shop", "tags": []}}}

    bring(server, tmp_path / "jaeger.json", json.dumps({"data": [trace]}).encode())

    (call,) = server.calls()
    assert (call["tool_call_id"], call["service"], call["duration_ms"]) == ("call_j", "shop", 1.5)
    assert call["trace_id"] == "abc".rjust(32, "0")


@pytest.mark.parametrize(
    "body",
    [
        b"\xff\xff\xff",
        b"hello",
        b'{"a": 1}',
        b'{"resourceSpans": 7}',
        b"{",
        span(1)[:-3],
        b"\0\0\1\0abc",
        b"\x1f\x8b0",
    ],
    ids=repr,
)
def test_what_is_no_such_file_is_refused_by_name(server: Live, tmp_path: Path, body: bytes) -> None:
    (tmp_path / "notes.txt").write_bytes(body)

    done = toolwatch(server, "import", tmp_path / "notes.txt")

    assert done.exit_code == 1
    assert "notes.txt" in str(done.exception.args if done.exception else done.output)
    assert server.calls() == []


def test_a_file_that_is_not_there_is_named(server: Live, tmp_path: Path) -> None:
    done = toolwatch(server, "import", tmp_path / "nowhere.json")

    assert done.exit_code == 1
    assert "No such file" in str(done.exception)
