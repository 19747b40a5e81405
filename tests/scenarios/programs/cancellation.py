"""Runs that are given up or killed while a tool runs."""

import asyncio
import subprocess
import sys
import time
from typing import Any

from langchain_core.tools import BaseTool, tool
from langgraph.config import get_stream_writer
from langgraph.prebuilt import ToolNode
from langgraph.types import RetryPolicy

from tests.scenarios.programs.kit import HI, Config, Runs, ScriptedModel, agent_and_tools, ai, call, loop
from tests.scenarios.programs.outcome import Outcome, outcome, scenario

LIMIT_S = 1.0  # long enough for a tool to start on a busy machine


def _async_sleeper(ran: Runs) -> BaseTool:
    @tool
    async def asleep(s: float = 30.0) -> str:
        """Sleep."""
        ran("asleep")
        try:
            await asyncio.sleep(s)
        except asyncio.CancelledError:
            ran("asleep:cancelled")
            raise
        ran("asleep:finished")
        return "woke"

    return asleep


def _sync_sleeper(ran: Runs) -> BaseTool:
    @tool
    def ssleep(s: float = 2 * LIMIT_S) -> str:
        """Sleep in a thread."""
        ran("ssleep")
        time.sleep(s)
        ran("ssleep:finished")
        return "woke"

    return ssleep


@scenario
def s27a(config: Config | None = None) -> Outcome:
    """asyncio timeout around graph.ainvoke: the async tool is cancelled."""
    ran = Runs()
    g, m = loop([_async_sleeper(ran)], ai(call("asleep", {}, "call_1")))

    async def go() -> Any:
        return await asyncio.wait_for(g.ainvoke(HI, config), LIMIT_S)

    return outcome(go, ran, m)


@scenario
def s27b(config: Config | None = None) -> Outcome:
    """step_timeout: the async tool is cancelled by Pregel."""
    ran = Runs()
    g, m = loop([_async_sleeper(ran)], ai(call("asleep", {}, "call_1")))
    g.step_timeout = LIMIT_S
    return outcome(lambda: g.ainvoke(HI, config), ran, m)


@scenario
def s27c(config: Config | None = None) -> Outcome:
    """asyncio timeout, sync tool under ainvoke: its thread cannot be cancelled and finishes later."""
    ran = Runs()
    g, m = loop([_sync_sleeper(ran)], ai(call("ssleep", {}, "call_1")))

    async def go() -> Any:
        try:
            return await asyncio.wait_for(g.ainvoke(HI, config), LIMIT_S)
        finally:
            await asyncio.sleep(1.5 * LIMIT_S)  # let the abandoned thread end inside the scenario

    return outcome(go, ran, m)


@scenario
def s27d(config: Config | None = None) -> Outcome:
    """One of two parallel async calls raises: the graph crashes at once, its sibling goes on and finishes."""
    ran = Runs()

    @tool
    async def boom(x: int = 0) -> str:
        """Fails soon."""
        await asyncio.sleep(0.05)
        raise RuntimeError("boom")

    both = ai(call("asleep", {"s": 0.4}, "call_1"), call("boom", {}, "call_2"))
    g, m = loop([_async_sleeper(ran), boom], both)

    async def go() -> Any:
        try:
            return await g.ainvoke(HI, config)
        finally:
            await asyncio.sleep(0.6)

    return outcome(go, ran, m)


@scenario
def s27e(config: Config | None = None) -> Outcome:
    """Node timeout with RetryPolicy: the watchdog cancels the first run, the second succeeds."""
    ran = Runs()

    @tool
    async def slow_once(x: int = 0) -> str:
        """Slow the first time."""
        if ran("slow_once") == 1:
            await asyncio.sleep(30)
        return "fast now"

    model = ScriptedModel(script=[ai(call("slow_once", {}, "call_1"))])
    twice = RetryPolicy(max_attempts=2, initial_interval=0.02, jitter=False)
    b = agent_and_tools(model, ToolNode([slow_once]), timeout=LIMIT_S, retry_policy=twice)
    return outcome(lambda: b.compile().ainvoke(HI, config), ran, model)


@scenario
def s28(config: Config | None = None) -> Outcome:
    """The process dies in the middle of a tool: started, never ended (in a child process)."""
    child = subprocess.run([sys.executable, "-m", "tests.scenarios.dying"], check=False)
    return Outcome(error=ChildProcessError(child.returncode))


@scenario
def s30b(config: Config | None = None) -> Outcome:
    """A streaming run abandoned by its consumer in the middle of an async tool: the tool is cancelled."""
    ran = Runs()

    @tool
    async def endless(x: int = 0) -> str:
        """Emits one chunk, then sleeps."""
        ran("endless")
        get_stream_writer()("started")
        try:
            await asyncio.sleep(30)
        except asyncio.CancelledError:
            ran("endless:cancelled")
            raise
        return "never"

    g, m = loop([endless], ai(call("endless", {}, "call_1")))

    async def go() -> Any:
        stream = g.astream(HI, config, stream_mode="custom")
        async for _chunk in stream:
            break
        await stream.aclose()
        await asyncio.sleep(0.1)

    return outcome(go, ran, m)
