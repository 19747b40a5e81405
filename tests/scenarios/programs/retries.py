"""A node or a middleware runs a tool again."""

import time
from typing import Any

from langchain.agents import create_agent
from langchain.agents.middleware import ToolRetryMiddleware
from langchain_core.tools import tool
from langgraph.types import RetryPolicy

from tests.scenarios.programs.kit import HI, Config, Graph, Runs, ScriptedModel, ai, call, loop
from tests.scenarios.programs.outcome import Outcome, outcome, scenario
from tests.scenarios.programs.tools import payer, raiser


@scenario
def s15(config: Config | None = None) -> Outcome:
    """Node RetryPolicy: the whole ToolNode runs 3 times; the harmless sibling pays three times."""
    ran = Runs()

    @tool
    def flaky(x: int = 0) -> str:
        """Fails twice, after a moment (so that its sibling has started)."""
        n = ran("flaky")
        time.sleep(0.2)
        if n < 3:
            raise ConnectionError("reset by peer")
        return "flaky ok"

    g, m = loop(
        [flaky, payer(ran)],
        ai(call("flaky", {}, "call_1"), call("pay", {"amount": 5}, "call_2")),
        retry=RetryPolicy(max_attempts=3, initial_interval=0.02, jitter=False),
    )
    return outcome(lambda: g.invoke(HI, config), ran, m)


@scenario
def s15b(config: Config | None = None) -> Outcome:
    """Node RetryPolicy exhausted: 2 attempts fail, the graph crashes."""
    g, m = loop(
        [raiser(ConnectionError("down"))],
        ai(call("raiser", {}, "call_1")),
        retry=RetryPolicy(max_attempts=2, initial_interval=0.02, jitter=False),
    )
    return outcome(lambda: g.invoke(HI, config), model=m)


def _retry_agent(fail: int, **policy: Any) -> tuple[Graph, ScriptedModel, Runs]:
    ran = Runs()

    @tool
    def flaky(x: int = 0) -> str:
        """Fails a few times."""
        if ran("flaky") <= fail:
            raise ConnectionError("reset by peer")
        return "flaky ok"

    m = ScriptedModel(script=[ai(call("flaky", {}, "call_1"))])
    again = ToolRetryMiddleware(max_retries=2, initial_delay=0.01, jitter=False, **policy)
    return create_agent(m, [flaky], middleware=[again]), m, ran


@scenario
def s16a(config: Config | None = None) -> Outcome:
    """ToolRetryMiddleware: 2 failures, then success, under one tool_call_id."""
    g, m, ran = _retry_agent(2)
    return outcome(lambda: g.invoke(HI, config), ran, m)


@scenario
def s16b(config: Config | None = None) -> Outcome:
    """ToolRetryMiddleware exhausted, on_failure='continue' (default): an error ToolMessage."""
    g, m, ran = _retry_agent(9)
    return outcome(lambda: g.invoke(HI, config), ran, m)


@scenario
def s16c(config: Config | None = None) -> Outcome:
    """ToolRetryMiddleware exhausted, on_failure='error': the graph crashes."""
    g, m, ran = _retry_agent(9, on_failure="error")
    return outcome(lambda: g.invoke(HI, config), ran, m)
