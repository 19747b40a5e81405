"""Calls that no ToolNode answers: provider, structured output, cache."""

from typing import Any

from langchain.agents import create_agent
from langchain.agents.structured_output import ToolStrategy
from langchain_core.messages import AIMessage
from langchain_core.tools import tool
from langgraph.cache.memory import InMemoryCache
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode
from langgraph.types import CachePolicy
from pydantic import BaseModel

from tests.scenarios.programs.kit import HI, Config, Graph, Runs, ScriptedModel, ai, call, loop
from tests.scenarios.programs.outcome import Outcome, outcome, scenario
from tests.scenarios.programs.tools import weather


@scenario
def s34(config: Config | None = None) -> Outcome:
    """Provider-side tool: server_tool_call blocks, never seen by ToolNode."""
    msg = AIMessage(
        content=[
            {"type": "server_tool_call", "name": "web_search", "args": {"query": "x"}, "id": "srv_1"},
            {"type": "server_tool_result", "tool_call_id": "srv_1", "status": "success", "output": "found"},
            {"type": "text", "text": "I searched."},
        ],
        response_metadata={"output_version": "v1"},
    )
    g, m = loop([weather], msg)
    return outcome(lambda: g.invoke(HI, config), model=m)


class _Answer(BaseModel):
    """The final answer."""

    value: int


@scenario
def s38(config: Config | None = None) -> Outcome:
    """Structured output as a tool call (ToolStrategy): answered by create_agent itself, not by ToolNode."""
    m = ScriptedModel(script=[ai(call("_Answer", {"value": 42}, "call_1"))])
    g: Graph = create_agent(m, [weather], response_format=ToolStrategy(_Answer))
    return outcome(lambda: g.invoke(HI, config), model=m)


@scenario
def s39(config: Config | None = None) -> Outcome:
    """Node cache: the second run gets the ToolMessage from the cache, the tool does not run."""
    ran = Runs()

    @tool
    def quote(sym: str) -> str:
        """Quote."""
        ran("quote", sym=sym)
        return f"{sym}=1"

    b: Any = StateGraph(MessagesState)
    b.add_node("tools", ToolNode([quote]), cache_policy=CachePolicy(key_func=lambda s: "k"))
    b.add_edge(START, "tools")
    g = b.compile(cache=InMemoryCache())
    first = {"messages": [ai(call("quote", {"sym": "X"}, "call_1"))]}
    second = {"messages": [ai(call("quote", {"sym": "X"}, "call_2"))]}
    a = outcome(lambda: g.invoke(first, config))
    out = outcome(lambda: g.invoke(second, config), ran)
    out.messages = a.messages + out.messages
    return out
