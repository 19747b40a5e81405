"""Loops without a ToolNode: a function node calls the tool and writes the ToolMessage."""

from collections.abc import Callable
from typing import Any

from langchain_core.messages import ToolCall, ToolMessage
from langgraph.func import entrypoint, task
from langgraph.graph import END, START, MessagesState, StateGraph, add_messages

from tests.scenarios.programs.kit import HI, Config, ScriptedModel, ai, call
from tests.scenarios.programs.outcome import Outcome, outcome, scenario
from tests.scenarios.programs.tools import weather


def _handmade(config: Config | None, answer: Callable[[ToolCall], ToolMessage]) -> Outcome:
    """A hand-written loop: function nodes only, no ToolNode."""
    model = ScriptedModel(script=[ai(call("weather", {"city": "Rome"}, "call_1"))])
    b: Any = StateGraph(MessagesState)
    b.add_node("agent", lambda s: {"messages": [model.invoke(s["messages"])]})
    b.add_node("my_tools", lambda s: {"messages": [answer(c) for c in s["messages"][-1].tool_calls]})
    b.add_edge(START, "agent")
    b.add_conditional_edges("agent", lambda s: "my_tools" if s["messages"][-1].tool_calls else END)
    b.add_edge("my_tools", "agent")
    return outcome(lambda: b.compile().invoke(HI, config), model=model)


@scenario
def s23a(config: Config | None = None) -> Outcome:
    """Hand-written loop: tool.invoke(tool_call) -> ToolMessage made by the tool."""
    return _handmade(config, lambda c: weather.invoke({**c, "type": "tool_call"}))


@scenario
def s23b(config: Config | None = None) -> Outcome:
    """Hand-written loop: tool.invoke(args) (no id) and a ToolMessage assembled by hand."""
    return _handmade(
        config,
        lambda c: ToolMessage(weather.invoke(c["args"]), tool_call_id=c["id"], name=c["name"]),
    )


@scenario
def s23c(config: Config | None = None) -> Outcome:
    """Hand-written loop: a plain function is called, LangChain never sees a tool."""
    return _handmade(
        config,
        lambda c: ToolMessage(f"{c['args']['city']}: cloudy", tool_call_id=c["id"], name=c["name"]),
    )


@scenario
def s23d(config: Config | None = None) -> Outcome:
    """Functional API: @entrypoint and a @task that calls tool.invoke(tool_call)."""
    cities = call("weather", {"city": "Rome"}, "call_1"), call("weather", {"city": "Bari"}, "call_2")
    model = ScriptedModel(script=[ai(*cities)])

    @task
    def call_model(messages: Any) -> Any:
        return model.invoke(messages)

    @task
    def call_tool(c: Any) -> Any:
        return weather.invoke({**c, "type": "tool_call"})

    @entrypoint()
    def agent(messages: Any) -> Any:
        reply = call_model(messages).result()
        while reply.tool_calls:
            futures = [call_tool(c) for c in reply.tool_calls]
            messages = add_messages(messages, [reply, *[f.result() for f in futures]])
            reply = call_model(messages).result()
        return add_messages(messages, reply)

    return outcome(lambda: agent.invoke(HI["messages"], config), model=model)


@scenario
def s24(config: Config | None = None) -> Outcome:
    """Hand-written ToolMessage with a WRONG id: an orphan result and an unanswered call."""
    return _handmade(
        config,
        lambda c: ToolMessage(weather.invoke(c["args"]), tool_call_id="debug_id", name=c["name"]),
    )
