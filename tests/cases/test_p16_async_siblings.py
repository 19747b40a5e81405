"""Parallel async calls are one tree: siblings side by side, a nested call inside its own, runs apart."""

import asyncio
from typing import Any

import pytest
from langchain_core.messages import HumanMessage
from langchain_core.tools import tool
from opentelemetry.sdk.trace import TracerProvider

from tests.cases.watching import Case, watching
from tests.scenarios.product import Product
from tests.scenarios.programs.kit import HI, ai, call, loop

TRACER = TracerProvider().get_tracer("application")
SIBLINGS = ["call_p16a", "call_p16b", "call_p16c", "call_p16d"]


@tool
async def fetch(url: str) -> str:
    """Fetch."""
    await asyncio.sleep(0.2)
    return url


@tool
async def research(topic: str) -> str:
    """A small agent."""
    await asyncio.sleep(0.2)
    inner, _ = loop([fetch], ai(call("fetch", {"url": "inner"}, "call_p16d1")))
    done = await inner.ainvoke({"messages": [HumanMessage(topic)]})
    return str(done["messages"][-1].content)


def _turn() -> Any:
    fetches = [call("fetch", {"url": id_}, id_) for id_ in SIBLINGS[:3]]
    return ai(*fetches, call("research", {"topic": "tides"}, "call_p16d"))


async def _once() -> None:
    graph, _ = loop([fetch, research], _turn())
    await graph.ainvoke(HI)


async def _three_runs(as_task: bool) -> list[str]:
    traces = []
    for _ in range(3):
        with TRACER.start_as_current_span("application") as span:
            await (asyncio.create_task(_once()) if as_task else _once())
            traces.append(format(span.get_span_context().trace_id, "032x"))
    return traces


def _three_runs_in_threads() -> list[str]:
    traces = []
    for _ in range(3):
        with TRACER.start_as_current_span("application") as span:
            asyncio.run(_once())
            traces.append(format(span.get_span_context().trace_id, "032x"))
    return traces


@pytest.fixture(scope="module", params=["await", "create_task", "one loop each"])
def story(request: pytest.FixtureRequest, product: Product) -> tuple[Case, list[str]]:
    with watching(product, f"p16-{request.param}") as case:
        if request.param == "one loop each":
            traces = _three_runs_in_threads()
        else:
            traces = asyncio.run(_three_runs(request.param == "create_task"))
    return case, traces


def test_each_run_is_one_trace_under_the_span_of_the_application(story: tuple[Case, list[str]]) -> None:
    case, traces = story
    assert sorted(c["trace_id"] for c in case.calls()) == sorted(traces * 5)


def test_the_four_are_siblings_and_the_nested_call_is_inside_its_own(story: tuple[Case, list[str]]) -> None:
    case, traces = story
    for trace in traces:
        told = {c["tool_call_id"]: c for c in case.calls(trace_id=trace)}
        assert [told[id_]["parent_key"] for id_ in SIBLINGS] == [None] * 4
        assert told["call_p16d1"]["parent_key"] == told["call_p16d"]["key"]
        assert len({told[id_]["group"]["id"] for id_ in SIBLINGS}) == 1


def test_the_siblings_overlap_in_time(story: tuple[Case, list[str]]) -> None:
    case, traces = story
    for trace in traces:
        told = [c for c in case.calls(trace_id=trace) if c["tool_call_id"] in SIBLINGS]
        assert max(c["started_at"] for c in told) < min(c["ended_at"] for c in told)


def test_no_run_is_inside_another(story: tuple[Case, list[str]]) -> None:
    case, traces = story
    told = [case.calls(trace_id=trace) for trace in traces]
    outer = [{c["run_id"] for c in calls if c["tool_call_id"] in SIBLINGS} for calls in told]
    assert [len(ids) for ids in outer] == [1, 1, 1]
    assert len(set.union(*outer)) == 3


def test_the_detaching_of_contexts_gives_no_complaint(
    product: Product, caplog: pytest.LogCaptureFixture
) -> None:
    with watching(product, "p16-log"):
        asyncio.run(_three_runs(as_task=True))
    assert "different Context" not in caplog.text
    assert "Failed to detach" not in caplog.text
