"""Ways to bring a call to a ToolNode: one task for all, one task each, and straight to the end."""

from typing import Any, Literal

from langchain.agents import create_agent
from langchain_core.tools import tool
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, create_react_agent
from langgraph.types import Send

from tests.scenarios.programs.kit import HI, Config, Graph, ScriptedModel, ai, call
from tests.scenarios.programs.outcome import Outcome, outcome, scenario
from tests.scenarios.programs.tools import weather


@scenario
def s22(config: Config | None = None) -> Outcome:
    """ToolNode driven by Send: one task per call (hand-made graph)."""
    model = _two_cities()
    b: Any = StateGraph(MessagesState)
    b.add_node("agent", lambda s: {"messages": [model.invoke(s["messages"])]})
    b.add_node("tools", ToolNode([weather]))
    b.add_edge(START, "agent")

    def route(s: Any) -> Any:
        calls = s["messages"][-1].tool_calls
        return [Send("tools", [c]) for c in calls] or END

    b.add_conditional_edges("agent", route, ["tools", END])
    b.add_edge("tools", "agent")
    return outcome(lambda: b.compile().invoke(HI, config), model=model)


def _two_cities() -> ScriptedModel:
    first, second = call("weather", {"city": "A"}, "call_1"), call("weather", {"city": "B"}, "call_2")
    return ScriptedModel(script=[ai(first, second)])


def _react(version: Literal["v1", "v2"], config: Config | None) -> Outcome:
    m = _two_cities()
    g: Graph = create_react_agent(m, [weather], version=version)
    return outcome(lambda: g.invoke(HI, config), model=m)


@scenario
def s33a(config: Config | None = None) -> Outcome:
    """create_react_agent v1: one ToolNode task for both calls."""
    return _react("v1", config)


@scenario
def s33b(config: Config | None = None) -> Outcome:
    """create_react_agent v2: one task per call (Send with ToolCallWithContext)."""
    return _react("v2", config)


@scenario
def s33c(config: Config | None = None) -> Outcome:
    """langchain create_agent: one task per call (Send)."""
    m = _two_cities()
    return outcome(lambda: create_agent(m, [weather]).invoke(HI, config), model=m)


@tool(return_direct=True)
def final_answer(text: str) -> str:
    """Final answer."""
    return text


@scenario
def s35a(config: Config | None = None) -> Outcome:
    """return_direct in create_react_agent: the model is not called again."""
    m = ScriptedModel(script=[ai(call("final_answer", {"text": "42"}, "call_1"))])
    return outcome(lambda: create_react_agent(m, [final_answer]).invoke(HI, config), model=m)


@scenario
def s35b(config: Config | None = None) -> Outcome:
    """return_direct in create_agent."""
    m = ScriptedModel(script=[ai(call("final_answer", {"text": "42"}, "call_1"))])
    return outcome(lambda: create_agent(m, [final_answer]).invoke(HI, config), model=m)
