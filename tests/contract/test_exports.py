"""Files that leave the server: each format at each address, as the programs that read them want it."""

import csv
import io
import json
from collections.abc import Iterator
from typing import Any

import pytest
from opentelemetry.proto.trace.v1.trace_pb2 import TracesData
from pyarrow import parquet

from tests.live import Live, live
from tests.otlp import a_span, a_tool_span, ids, request
from toolwatch_server.export import source
from toolwatch_server.export.formats import FORMATS

NOON = 1_767_268_800_000_000_000  # 2026-01-01T12:00:00Z
TRACE = f"{1:032x}"
LONG = "a long story, " * 4_000


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    with live(tmp_path_factory.mktemp("exports")) as running:
        chat = a_span(
            {"gen_ai.operation.name": "chat"},
            trace_id=TRACE,
            span_id=f"{1:016x}",
            start_ns=NOON,
            end_ns=NOON + 5,
        )
        pay = a_tool_span(
            "pay", "call_pay", trace_id=TRACE, span_id=f"{2:016x}", parent=f"{1:016x}",
            start_ns=NOON + 10_000_123, end_ns=NOON + 35_500_456, failed="card declined",
            more={
                "error.type": "shop.CardDeclined",
                "gen_ai.tool.call.arguments": '{"order": "=1+1"}',
                "gen_ai.conversation.id": "thread/7",
                "list": ["a", 1, True],
                "ratio": 0.5,
            },
        )  # fmt: skip
        running.send(request(chat, pay, service="shop", resource={"deployment.environment.name": "prod"}))
        for number in range(5):
            span = a_tool_span(
                "get_weather", f"call_w{number}", **ids(10 + number), start_ns=NOON + (number + 1) * 10**9,
                more={
                    "gen_ai.tool.call.result": f"{LONG}sunny 🌞 {number}",
                    "gen_ai.tool.call.arguments": "=2",
                },
            )  # fmt: skip
            running.send(request(span, service="weather"))
        yield running


@pytest.fixture
def key(server: Live) -> str:
    (call,) = server.calls(tool="pay")
    return str(call["key"])


@pytest.fixture
def addresses(key: str) -> dict[str, str]:
    return {
        "call": f"/api/v1/calls/{key}/export",
        "trace": f"/api/v1/traces/{TRACE}/export",
        "thread": "/api/v1/threads/thread%2F7/export",
        "filter": "/api/v1/calls/export",
    }


def exported(server: Live, path: str, **asked: Any) -> Any:
    answer = server.http.get(path, params=asked)
    assert answer.status_code == 200, answer.text
    return answer


def lines(server: Live, **asked: Any) -> list[Any]:
    text = exported(server, "/api/v1/calls/export", format="ndjson", **asked).text
    return [json.loads(line) for line in text.splitlines()]


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("what", ["call", "trace", "thread", "filter"])
def test_every_format_is_there_at_every_address(
    server: Live, addresses: dict[str, str], what: str, format: str
) -> None:
    answer = exported(server, addresses[what], format=format)

    assert answer.content
    assert answer.headers["content-type"].partition(";")[0] == FORMATS[format].media_type
    assert answer.headers["content-disposition"].endswith(f'.{FORMATS[format].suffix}"')


def test_a_file_is_named_after_what_is_in_it(server: Live, addresses: dict[str, str]) -> None:
    names = [
        exported(server, addresses[what], format="csv").headers["content-disposition"] for what in addresses
    ]

    assert names == [
        'attachment; filename="pay-call_pay.csv"',
        f'attachment; filename="trace-{TRACE}.csv"',
        'attachment; filename="thread-thread-7.csv"',
        'attachment; filename="calls.csv"',
    ]


def test_a_hostile_id_cannot_write_the_file_name(server: Live) -> None:
    trace = f"{70:032x}"
    server.send(request(a_tool_span("../../etc", 'x"; y\r\nz', trace_id=trace, span_id=f"{70:016x}")))
    (call,) = server.calls(trace_id=trace)

    said = exported(server, f"/api/v1/calls/{call['key']}/export", format="csv").headers[
        "content-disposition"
    ]

    server.http.delete(f"/api/v1/traces/{trace}")
    assert said == 'attachment; filename="etc-x-y-z.csv"'


def test_a_wrong_format_is_told_which_there_are(server: Live, addresses: dict[str, str]) -> None:
    for path in addresses.values():
        answer = server.http.get(path, params={"format": "docx"})
        assert answer.status_code == 422
        assert answer.json()["error"]["field"] == "format"
        assert answer.json()["error"]["allowed"] == list(FORMATS)


@pytest.mark.parametrize("path", ["calls/x/export", "traces/x/export", "threads/x/export"])
def test_what_is_not_there_cannot_be_exported(server: Live, path: str) -> None:
    assert server.http.get(f"/api/v1/{path}", params={"format": "ndjson"}).status_code == 404


def test_lines_are_the_calls_as_the_api_tells_them(server: Live) -> None:
    assert lines(server) == server.calls(limit=500)


def test_an_export_takes_the_filters_of_the_list_and_no_page(server: Live) -> None:
    assert [call["tool"] for call in lines(server, failed="true", service="shop")] == ["pay"]
    assert lines(server, tool="nobody") == []
    assert server.http.get("/api/v1/calls/export", params={"limit": 3}).status_code == 422


def test_an_export_goes_on_beyond_one_batch(server: Live, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "CALLS_AT_ONCE", 2)
    monkeypatch.setattr(source, "RECORDS_AT_ONCE", 1)

    otlp = TracesData.FromString(exported(server, "/api/v1/calls/export", format="otlp-proto").content)

    assert lines(server) == server.calls(limit=500)
    assert len(otlp.resource_spans) == 7


def test_a_table_has_a_row_a_call_and_nothing_that_a_spreadsheet_would_run(server: Live) -> None:
    rows = list(csv.DictReader(io.StringIO(exported(server, "/api/v1/calls/export", format="csv").text)))

    assert [row["key"] for row in rows] == [call["key"] for call in server.calls()]
    assert rows[0]["arguments"] == "'=2"
    assert rows[0]["result"].endswith("sunny 🌞 4")
    assert (rows[-1]["failed"], rows[-1]["error_type"], rows[-1]["executions"]) == (
        "True", "shop.CardDeclined", "1",
    )  # fmt: skip


def test_parquet_keeps_types(server: Live) -> None:
    body = exported(server, "/api/v1/calls/export", format="parquet").content
    table = parquet.read_table(io.BytesIO(body))

    told = server.calls()
    assert table.column("key").to_pylist() == [call["key"] for call in told]
    assert table.column("duration_ms").to_pylist() == [call["duration_ms"] for call in told]
    assert str(table.schema.field("started_at").type) == "timestamp[us, tz=UTC]"


def test_parquet_without_its_package_says_what_to_install(
    server: Live, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)

    answer = server.http.get("/api/v1/calls/export", params={"format": "parquet"})

    assert answer.status_code == 501
    assert "pip install 'toolwatch[server,parquet]'" in answer.json()["error"]["message"]


def test_a_text_keeps_within_its_limit_and_says_what_it_left_out(server: Live) -> None:
    (call,) = server.calls(tool_call_id="call_w1")
    one = exported(server, f"/api/v1/calls/{call['key']}/export", format="text", max_chars=900).text
    all_ = exported(server, "/api/v1/calls/export", format="text", max_chars=2_000).text

    assert len(one) <= 900
    assert one.startswith("get_weather  ok\n")
    assert "more characters)" in one
    assert len(all_) <= 2_000
    assert "more calls" in all_


def test_a_text_shorter_than_its_limit_is_whole(server: Live, addresses: dict[str, str]) -> None:
    text = exported(server, addresses["call"], format="text").text

    assert "raised      shop.CardDeclined: card declined" in text
    assert "more characters" not in text


def test_a_text_cannot_be_shorter_than_a_call(server: Live) -> None:
    answer = server.http.get("/api/v1/calls/export", params={"format": "text", "max_chars": 10})

    assert (answer.status_code, answer.json()["error"]["field"]) == (422, "max_chars")


def test_jaeger_gets_the_tree_with_microseconds_and_typed_tags(
    server: Live, addresses: dict[str, str]
) -> None:
    (trace,) = exported(server, addresses["trace"], format="jaeger").json()["data"]
    chat, pay = trace["spans"]
    tags = {tag["key"]: (tag["type"], tag["value"]) for tag in pay["tags"]}

    assert (trace["traceID"], pay["spanID"], pay["operationName"]) == (TRACE, f"{2:016x}", "execute_tool pay")
    assert pay["references"] == [{"refType": "CHILD_OF", "traceID": TRACE, "spanID": chat["spanID"]}]
    assert (pay["startTime"], pay["duration"]) == (NOON // 1000 + 10_000, 25_500)
    assert trace["processes"][pay["processID"]]["serviceName"] == "shop"
    assert tags["error"] == ("bool", True)
    assert tags["otel.status_code"] == ("string", "ERROR")
    assert tags["otel.status_description"] == ("string", "card declined")
    assert tags["span.kind"] == ("string", "internal")
    assert tags["ratio"] == ("float64", 0.5)
    assert tags["list"] == ("string", '["a", 1, true]')


def test_perfetto_gets_complete_events_in_rows(server: Live, addresses: dict[str, str]) -> None:
    told = exported(server, addresses["trace"], format="perfetto").json()
    name, chat, pay = told["traceEvents"]

    assert (name["ph"], name["args"]["name"]) == ("M", f"trace {TRACE}")
    assert [event["ph"] for event in (chat, pay)] == ["X", "X"]
    assert (pay["name"], pay["cat"], pay["args"]["gen_ai.tool.call.id"]) == (
        "execute_tool pay", "execute_tool", "call_pay",
    )  # fmt: skip
    assert pay["dur"] == pytest.approx(25_500.333)
    assert pay["args"]["error"] == "card declined"
