"""Endings that one rarely thinks of."""

from typing import Any

from langchain.agents import create_agent
from langchain_core.messages import ToolMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition
from pydantic import BaseModel

from tests.scenarios.programs.kit import (
    HI,
    Config,
    Graph,
    Runs,
    ScriptedModel,
    agent_and_tools,
    ai,
    call,
    loop,
    on_thread,
)
from tests.scenarios.programs.outcome import Outcome, outcome, scenario
from tests.scenarios.programs.tools import crash, raiser, weather


@scenario
def s40(config: Config | None = None) -> Outcome:
    """The tool raises SystemExit, which no handler takes."""
    g, m = loop([raiser(SystemExit(3))], ai(call("raiser", {}, "call_1")), handle_tool_errors=True)
    return outcome(lambda: g.invoke(HI, config), model=m)


class _Strict(BaseModel):
    n: int


@scenario
def s41(config: Config | None = None) -> Outcome:
    """A validation error of the tool's own code: the model is told that its arguments are wrong."""
    ran = Runs()

    @tool
    def parse(text: str) -> str:
        """Parse."""
        ran("parse")
        return str(_Strict.model_validate({"n": text}).n)

    g, m = loop([parse], ai(call("parse", {"text": "three"}, "call_1")))
    return outcome(lambda: g.invoke(HI, config), ran, m)


@scenario
def s42a(config: Config | None = None) -> Outcome:
    """A tool returns an error message itself, without raising."""

    @tool
    def book(seat: str) -> Any:
        """Book."""
        return ToolMessage("seat taken", tool_call_id="call_1", name="book", status="error")

    g, m = loop([book], ai(call("book", {"seat": "4a"}, "call_1")))
    return outcome(lambda: g.invoke(HI, config), model=m)


@scenario
def s42b(config: Config | None = None) -> Outcome:
    """A tool returns ordinary text that speaks of an error: nobody can tell it from a result."""

    @tool
    def book(seat: str) -> str:
        """Book."""
        return "Error: seat taken"

    g, m = loop([book], ai(call("book", {"seat": "4a"}, "call_1")))
    return outcome(lambda: g.invoke(HI, config), model=m)


@scenario
def s43(config: Config | None = None) -> Outcome:
    """A value that validation coerces: the tool receives another type than the model wrote."""

    @tool
    def double(n: int) -> int:
        """Double."""
        return 2 * n

    g, m = loop([double], ai(call("double", {"n": "21"}, "call_1")))
    return outcome(lambda: g.invoke(HI, config), model=m)


@scenario
def s44(config: Config | None = None) -> Outcome:
    """One call is answered twice: by its tool, and by a node after it."""
    model = ScriptedModel(script=[ai(call("weather", {"city": "Paris"}, "call_1"))])
    b: Any = StateGraph(MessagesState)
    b.add_node("agent", lambda s: {"messages": [model.invoke(s["messages"])]})
    b.add_node("tools", ToolNode([weather]))
    b.add_node("again", lambda s: {"messages": [ToolMessage("Paris: rain", tool_call_id="call_1")]})
    b.add_edge(START, "agent")
    b.add_conditional_edges("agent", tools_condition)
    b.add_edge("tools", "again")
    b.add_edge("again", "agent")
    return outcome(lambda: b.compile().invoke(HI, config), model=model)


@scenario
def s45(config: Config | None = None) -> Outcome:
    """An async tool in a sync run."""

    @tool
    async def only_async(city: str) -> str:
        """Async only."""
        return city

    g, m = loop([only_async], ai(call("only_async", {"city": "Oslo"}, "call_1")))
    return outcome(lambda: g.invoke(HI, config), model=m)


@scenario
def s46(config: Config | None = None) -> Outcome:
    """A run crashes in a tool; the thread is run again from its checkpoint, and the tool succeeds."""
    ran = Runs()

    @tool
    def once_bad(x: int = 0) -> str:
        """Fails the first time."""
        if ran("once_bad") == 1:
            raise ConnectionError("reset by peer")
        return "good"

    g, m = loop([once_bad], ai(call("once_bad", {}, "call_1")), checkpointer=InMemorySaver())
    config = on_thread(config)
    outcome(lambda: g.invoke(HI, config))
    return outcome(lambda: g.invoke(None, config), ran, m)


@scenario
def s47(config: Config | None = None) -> Outcome:
    """A node's error handler answers for the tool that crashed the node."""

    def answer(state: Any) -> Any:
        return {"messages": [ToolMessage("not today", tool_call_id="call_1", name="crash", status="error")]}

    model = ScriptedModel(script=[ai(call("crash", {}, "call_1"))])
    g = agent_and_tools(model, ToolNode([crash]), error_handler=answer).compile()
    return outcome(lambda: g.invoke(HI, config), model=model)


@scenario
def s48(config: Config | None = None) -> Outcome:
    """ToolErrorMiddleware tells the model its own words."""
    from langchain.agents.middleware import ToolErrorMiddleware

    model = ScriptedModel(script=[ai(call("crash", {}, "call_1"))])
    tell = ToolErrorMiddleware(lambda error, request: "the tool is down")
    g: Graph = create_agent(model, [crash], middleware=[tell])
    return outcome(lambda: g.invoke(HI, config), model=model)
