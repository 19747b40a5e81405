"""What those who keep the server running, and those who write programs for it, may rely on."""

import re
from collections.abc import Iterator

import pytest

from tests.live import Live, live
from tests.otlp import a_tool_span, request


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    with live(tmp_path_factory.mktemp("operators")) as running:
        running.send(request(a_tool_span()))
        yield running


def test_figures_for_prometheus_name_what_was_stored(server: Live) -> None:
    text = server.http.get("/metrics").text

    assert re.search(r"^toolwatch_records_stored_total [1-9]", text, re.MULTILINE)
    assert "toolwatch_queue_bytes 0.0" in text


def test_the_documentation_loads_nothing_from_elsewhere(server: Live) -> None:
    page = server.http.get("/api/docs").text

    assert "/api/v1/calls" in page
    assert re.findall(r'(?:src|href)="(?!/|#)', page) == []
    assert set(server.http.get("/api/openapi.json").json()["paths"]) == {
        "/api/v1/calls",
        "/api/v1/calls/{key}",
        "/api/v1/calls/export",
        "/api/v1/calls/{key}/export",
        "/api/v1/traces/{trace_id}",
        "/api/v1/traces/{trace_id}/export",
        "/api/v1/traces/{trace_id}/pin",
        "/api/v1/threads/{thread_id}",
        "/api/v1/threads/{thread_id}/export",
        "/api/v1/tools",
        "/api/v1/errors",
        "/api/v1/tools/{name}",
        "/api/v1/status",
    }
