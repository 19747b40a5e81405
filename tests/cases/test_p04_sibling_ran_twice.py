"""A sibling of a pausing call may run again on resume: what is shown is what the tool counted itself."""

import asyncio
import time
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command, interrupt

from tests.cases.watching import Case, codes, watching
from tests.scenarios.product import Product
from tests.scenarios.programs.kit import HI, Graph, Runs, ScriptedModel, ai, call, loop, on_thread

TURN = ai(
    call("ask_owner", {"topic": "refund"}, "call_p04a"),
    call("send_mail", {"to": "pat@example.test", "subject": "refund"}, "call_p04b"),
)
WAYS = ["one-task", "one-task-async", "task-each", "no-wait"]


def _tools(ran: Runs, wait_s: float) -> list[Any]:
    @tool
    def ask_owner(topic: str) -> str:
        """Ask."""
        time.sleep(wait_s)
        return str(interrupt({"question": f"May I: {topic}?"}))

    @tool
    def send_mail(to: str, subject: str) -> str:
        """Send."""
        ran("send_mail")
        return "queued"

    return [ask_owner, send_mail]


def _run(way: str, ran: Runs) -> None:
    tools, config = _tools(ran, 0 if way == "no-wait" else 0.1), on_thread(None, f"p04-{way}")
    graph: Graph
    if way == "task-each":
        graph = create_agent(ScriptedModel(script=[TURN]), tools, checkpointer=InMemorySaver())
    else:
        graph, _ = loop(tools, TURN, checkpointer=InMemorySaver())
    steps: list[Any] = [HI, Command(resume="yes")]
    for given in steps:
        if way.endswith("async"):
            asyncio.run(graph.ainvoke(given, config))
        else:
            graph.invoke(given, config)


@pytest.fixture(scope="module", params=WAYS)
def story(request: pytest.FixtureRequest, product: Product) -> tuple[Case, Runs]:
    ran = Runs()
    with watching(product, f"p04-{request.param}") as case:
        _run(request.param, ran)
    return case, ran


def test_executions_are_those_that_the_tool_counted(story: tuple[Case, Runs]) -> None:
    case, ran = story
    assert case.call("call_p04b")["executions"] == len(ran.items)


def test_each_execution_is_there_with_its_time_and_its_run(story: tuple[Case, Runs]) -> None:
    case, ran = story
    told = case.call("call_p04b")["attempts"]
    assert len(told) == len(ran.items)
    assert all(a["outcome"] == "ok" and a["started_at"] and a["ended_at"] and a["trace_id"] for a in told)
    assert len({a["trace_id"] for a in told}) == len(told)


def test_running_again_after_a_finished_result_is_warned_of(story: tuple[Case, Runs]) -> None:
    case, ran = story
    warned = "executed_again_after_resume" in codes(case.call("call_p04b"))
    assert warned == (len(ran.items) > 1)
