"""Ids that repeat, are empty or missing, and a loop that does not end."""

import operator
from concurrent.futures import ThreadPoolExecutor
from typing import Annotated, Any, TypedDict

from langchain_core.outputs import ChatResult
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.prebuilt import ToolNode

from tests.scenarios.programs.kit import (
    HI,
    Config,
    Runs,
    ScriptedModel,
    agent_and_tools,
    ai,
    call,
    loop,
    on_thread,
    with_config,
)
from tests.scenarios.programs.outcome import Outcome, outcome, scenario
from tests.scenarios.programs.tools import weather


@scenario
def s25(config: Config | None = None) -> Outcome:
    """Runaway loop: the same call with the same args until recursion_limit."""
    ran = Runs()

    @tool
    def poll(job: str) -> str:
        """Poll."""
        ran("poll", job=job)
        return "still pending"

    g, m = loop([poll], *[ai(call("poll", {"job": "j1"}, f"call_{i}")) for i in range(50)])
    return outcome(lambda: g.invoke(HI, with_config(config, recursion_limit=8)), ran, m)


@scenario
def s26a(config: Config | None = None) -> Outcome:
    """The same tool_call_id (call_0) in two threads, concurrently."""

    def ask(city: str, thread_id: str) -> Any:
        turn = ai(call("weather", {"city": city}, "call_0"))
        graph, _ = loop([weather], turn, checkpointer=InMemorySaver())
        return graph.invoke(HI, on_thread(config, thread_id))["messages"]

    with ThreadPoolExecutor(2) as pool:
        both = [pool.submit(ask, "Paris", "thread-A"), pool.submit(ask, "Oslo", "thread-B")]
        return outcome(lambda: [message for done in both for message in done.result()])


@scenario
def s26b(config: Config | None = None) -> Outcome:
    """The same tool_call_id (call_0) again in the next turn of the same thread (vLLM-like servers)."""
    paris, oslo = call("weather", {"city": "Paris"}, "call_0"), call("weather", {"city": "Oslo"}, "call_0")
    g, m = loop([weather], ai(paris), ai(oslo))
    return outcome(lambda: g.invoke(HI, config), model=m)


@scenario
def s26c(config: Config | None = None) -> Outcome:
    """The same id twice in one AIMessage."""
    paris, oslo = call("weather", {"city": "Paris"}, "call_0"), call("weather", {"city": "Oslo"}, "call_0")
    g, m = loop([weather], ai(paris, oslo))
    return outcome(lambda: g.invoke(HI, config), model=m)


@scenario
def s26d(config: Config | None = None) -> Outcome:
    """Empty id."""
    g, m = loop([weather], ai(call("weather", {"city": "Paris"}, "")))
    return outcome(lambda: g.invoke(HI, config), model=m)


@scenario
def s26e(config: Config | None = None) -> Outcome:
    """id None: the tool runs, but its result is not a ToolMessage, so ToolNode raises TypeError."""
    g, m = loop([weather], ai(call("weather", {"city": "Paris"}, None)))
    return outcome(lambda: g.invoke(HI, config), model=m)


class RepeatsIds(ScriptedModel):
    """Gives every message the same id."""

    def _generate(self, *args: Any, **kwargs: Any) -> ChatResult:
        result = super()._generate(*args, **kwargs)
        result.generations[0].message.id = "ai-1"
        return result


class Listed(TypedDict):
    messages: Annotated[list[Any], operator.add]


@scenario
def s60(config: Config | None = None) -> Outcome:
    """A model gives the messages of two turns the same id, and their calls too."""
    paris, oslo = call("weather", {"city": "Paris"}, "call_0"), call("weather", {"city": "Oslo"}, "call_0")
    model = RepeatsIds(script=[ai(paris), ai(oslo)])
    g = agent_and_tools(model, ToolNode([weather]), Listed).compile()
    return outcome(lambda: g.invoke(HI, config), model=model)
