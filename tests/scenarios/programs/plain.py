"""Calls that simply work: sync, async, one, several."""

import asyncio
import threading
import time

from langchain_core.tools import tool

from tests.scenarios.programs.kit import HI, Config, Runs, ai, call, loop
from tests.scenarios.programs.outcome import Outcome, outcome, scenario
from tests.scenarios.programs.tools import weather


@scenario
def s01(config: Config | None = None) -> Outcome:
    """One sync tool, returns str."""
    g, m = loop([weather], ai(call("weather", {"city": "Paris"}, "call_1")))
    return outcome(lambda: g.invoke(HI, config), model=m)


@scenario
def s02(config: Config | None = None) -> Outcome:
    """One async tool, ainvoke."""

    @tool
    async def aweather(city: str) -> str:
        """Weather."""
        await asyncio.sleep(0.01)
        return f"{city}: rain"

    g, m = loop([aweather], ai(call("aweather", {"city": "Oslo"}, "call_1")))
    return outcome(lambda: g.ainvoke(HI, config), model=m)


@scenario
def s03(config: Config | None = None) -> Outcome:
    """Three parallel calls in one AIMessage, sync: ToolNode's thread pool."""
    ran = Runs()

    @tool
    def slow(n: int) -> str:
        """Sleep."""
        ran("slow", n=n, where=threading.current_thread().name)
        time.sleep(0.5)
        return f"slept {n}"

    g, m = loop([slow], ai(*[call("slow", {"n": i}, f"call_{i}") for i in (1, 2, 3)]))
    return outcome(lambda: g.invoke(HI, config), ran, m)


@scenario
def s04(config: Config | None = None) -> Outcome:
    """Three parallel calls, async: asyncio.gather."""
    ran = Runs()

    @tool
    async def aslow(n: int) -> str:
        """Sleep."""
        ran("aslow", n=n, where=str(asyncio.current_task()))
        await asyncio.sleep(0.2)
        return f"slept {n}"

    g, m = loop([aslow], ai(*[call("aslow", {"n": i}, f"call_{i}") for i in (1, 2, 3)]))
    return outcome(lambda: g.ainvoke(HI, config), ran, m)
