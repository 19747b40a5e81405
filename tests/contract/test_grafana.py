"""The dashboard asks for figures that exist, by labels that they have, and links to pages that are there."""

import json
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from prometheus_client.parser import text_string_to_metric_families

from tests.live import Live, live, wait_until
from tests.otlp import a_tool_span, ids, request
from toolwatch_server.domain.call import FAILED

DASHBOARD: Any = json.loads((Path(__file__).parents[2] / "docs/grafana/toolwatch.json").read_text())
QUERIES = [target["expr"] for panel in DASHBOARD["panels"] for target in panel["targets"]]
VARIABLES = [v["query"]["query"] for v in DASHBOARD["templating"]["list"] if v["type"] == "query"]
NOT_OURS = {"le"}  # of every histogram


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    with live(tmp_path_factory.mktemp("grafana")) as running:
        secret = {"gen_ai.tool.call.arguments": '{"password": "hunter2-Xy9"}'}
        running.send(request(a_tool_span("pay", "call_1", **ids(1), failed="declined", more=secret)))
        running.send(request(Span(name="without ids")))  # without ids: refused
        # A call is counted when nothing more is expected of it.
        wait_until(lambda: "toolwatch_tool_calls_total{" in running.http.get("/metrics").text, within_s=60)
        yield running


@pytest.fixture(scope="module")
def figures(server: Live) -> dict[str, set[str]]:
    """Every name in /metrics with its labels, also of figures that nothing was counted for yet."""
    found: dict[str, set[str]] = defaultdict(set)
    for family in text_string_to_metric_families(server.http.get("/metrics").text):
        found[family.name + ("_total" if family.type == "counter" else "")] |= set()
        for sample in family.samples:
            found[sample.name] |= set(sample.labels)
    return found


@pytest.mark.parametrize("query", QUERIES + VARIABLES)
def test_every_figure_that_the_dashboard_asks_for_exists(query: str, figures: dict[str, set[str]]) -> None:
    names = set(re.findall(r"toolwatch_\w+", query))

    assert names
    assert names <= figures.keys()


@pytest.mark.parametrize("query", [q for q in QUERIES if "tool_call" in q])
def test_every_label_that_the_dashboard_asks_for_exists(query: str, figures: dict[str, set[str]]) -> None:
    asked = set(re.findall(r"(\w+)=~", query))
    asked |= {name.strip() for names in re.findall(r"by \(([^)]*)\)", query) for name in names.split(",")}
    known = {label for name in re.findall(r"toolwatch_\w+", query) for label in figures[name]}

    assert asked <= known | NOT_OURS


def test_what_the_dashboard_calls_failed_is_what_we_call_failed() -> None:
    lists = {found for query in QUERIES for found in re.findall(r'outcome=~"([^"]+)"', query)}

    assert {frozenset(words.split("|")) for words in lists} == {FAILED}


def test_its_links_lead_to_pages(server: Live) -> None:
    links = [
        link["url"] for panel in DASHBOARD["panels"] for link in panel["fieldConfig"]["defaults"]["links"]
    ]
    filled = {"${__field.labels.tool}": "pay", "${__field.labels.outcome}": "tool_error", "${toolwatch}": ""}

    for link in links:
        url = link
        for variable, value in filled.items():
            url = url.replace(variable, value)
        assert server.http.get(url, headers={"accept": "text/html"}).status_code == 200, url
