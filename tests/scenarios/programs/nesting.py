"""Calls inside calls."""

from typing import Any

from langchain_core.messages import HumanMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode

from tests.scenarios.programs.kit import HI, Config, ScriptedModel, agent_and_tools, ai, call, loop, on_thread
from tests.scenarios.programs.outcome import Outcome, outcome, scenario
from tests.scenarios.programs.tools import weather


@scenario
def s29a(config: Config | None = None) -> Outcome:
    """Agent as a tool: a nested agent run with its own call, reusing the parent's id."""
    inner_model = ScriptedModel(script=[ai(call("weather", {"city": "Lima"}, "call_1"))])
    inner = agent_and_tools(inner_model, ToolNode([weather])).compile(name="inner")

    @tool
    def ask_expert(question: str) -> str:
        """Ask the inner agent."""
        return str(inner.invoke({"messages": [HumanMessage(question)]})["messages"][-2].content)

    g, m = loop([ask_expert], ai(call("ask_expert", {"question": "weather in Lima?"}, "call_1")))
    return outcome(lambda: g.invoke(HI, config), model=m)


@scenario
def s29b(config: Config | None = None) -> Outcome:
    """A compiled agent graph as a subgraph node."""
    inner, m = loop([weather], ai(call("weather", {"city": "Lima"}, "call_1")))
    b: Any = StateGraph(MessagesState)
    b.add_node("sub", inner)
    b.add_edge(START, "sub")
    return outcome(
        lambda: b.compile(checkpointer=InMemorySaver()).invoke(HI, on_thread(config, "t-sub")), model=m
    )


@scenario
def s29c(config: Config | None = None) -> Outcome:
    """A tool calls another tool."""

    @tool
    def outer_tool(city: str) -> str:
        """Calls weather."""
        return str(weather.invoke({"city": city}))

    g, m = loop([outer_tool], ai(call("outer_tool", {"city": "Rome"}, "call_1")))
    return outcome(lambda: g.invoke(HI, config), model=m)
