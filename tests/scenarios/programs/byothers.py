"""Answers and ends that do not come from the tool: a wrapper gives up, a step is lost, a person steps in."""

import asyncio
import time
from typing import Any

from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.output_parsers.openai_tools import JsonOutputKeyToolsParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import tools_condition
from langgraph.types import Command, RetryPolicy, interrupt

from tests.scenarios.programs.kit import HI, Config, Graph, Runs, ScriptedModel, ai, call, loop, on_thread
from tests.scenarios.programs.outcome import Outcome, outcome, scenario


@scenario
def s49(config: Config | None = None) -> Outcome:
    """A wrapper stops waiting for an async tool and answers for it."""
    ran = Runs()

    @tool
    async def slow() -> str:
        """Slow."""
        ran("slow")
        await asyncio.sleep(60)
        return "slow"

    class Limit(AgentMiddleware):
        async def awrap_tool_call(self, request: Any, handler: Any) -> Any:
            try:
                return await asyncio.wait_for(handler(request), 1.0)
            except TimeoutError:
                return ToolMessage("took too long", tool_call_id=request.tool_call["id"], status="error")

    m = ScriptedModel(script=[ai(call("slow", {}, "call_1"))])
    g: Graph = create_agent(m, [slow], middleware=[Limit()])
    return outcome(lambda: g.ainvoke(HI, config), ran, m)


@scenario
def s50(config: Config | None = None) -> Outcome:
    """A wrapper hides a failure behind a success of its own."""
    ran = Runs()

    @tool
    def crash() -> str:
        """Crash."""
        ran("crash")
        raise RuntimeError("disk full")

    def soothe(request: Any, execute: Any) -> Any:
        try:
            return execute(request)
        except RuntimeError:
            return ToolMessage("all is well", tool_call_id=request.tool_call["id"], name="crash")

    g, m = loop([crash], ai(call("crash", {}, "call_1")), wrap_tool_call=soothe)
    return outcome(lambda: g.invoke(HI, config), ran, m)


def _looked_up(ran: Runs) -> Any:
    @tool
    def look_up(sku: str) -> str:
        """Look up."""
        ran("look_up", sku=sku)
        return f"{sku}: 12"

    return look_up


@scenario
def s51a(config: Config | None = None) -> Outcome:
    """A wrapper turns a tool's success into an error."""
    ran = Runs()

    def refuse(request: Any, execute: Any) -> Any:
        return execute(request).model_copy(update={"content": "not allowed to tell", "status": "error"})

    g, m = loop([_looked_up(ran)], ai(call("look_up", {"sku": "K"}, "call_1")), wrap_tool_call=refuse)
    return outcome(lambda: g.invoke(HI, config), ran, m)


@scenario
def s51b(config: Config | None = None) -> Outcome:
    """A wrapper raises before the tool runs."""
    ran = Runs()

    def guard(request: Any, execute: Any) -> Any:
        raise PermissionError("not today")

    look_up = _looked_up(ran)
    g, m = loop(
        [look_up],
        ai(call("look_up", {"sku": "K"}, "call_1")),
        wrap_tool_call=guard,
        handle_tool_errors=False,
    )
    return outcome(lambda: g.invoke(HI, config), ran, m)


@scenario
def s51c(config: Config | None = None) -> Outcome:
    """A wrapper runs the tool under an id of its own."""
    ran = Runs()

    def renamed(request: Any, execute: Any) -> Any:
        asked = request.tool_call
        found = execute(request.override(tool_call={**asked, "id": "audit_1"}))
        return found.model_copy(update={"tool_call_id": asked["id"]})

    g, m = loop([_looked_up(ran)], ai(call("look_up", {"sku": "K"}, "call_1")), wrap_tool_call=renamed)
    return outcome(lambda: g.invoke(HI, config), ran, m)


def _lookup_and_price(ran: Runs, failures: int) -> list[Any]:
    @tool
    def price(sku: str) -> str:
        """Price."""
        time.sleep(0.5)  # the sibling has ended by now
        if ran("price", sku=sku) <= failures:
            raise RuntimeError("price feed closed")
        return "7"

    return [_looked_up(ran), price]


PAIR = (call("look_up", {"sku": "K"}, "call_1"), call("price", {"sku": "K"}, "call_2"))


@scenario
def s52a(config: Config | None = None) -> Outcome:
    """One task per call: a sibling that had finished is thrown away with the step that crashed."""
    ran = Runs()
    m = ScriptedModel(script=[ai(*PAIR)])
    g: Graph = create_agent(m, _lookup_and_price(ran, failures=1))
    return outcome(lambda: g.invoke(HI, config), ran, m)


@scenario
def s52b(config: Config | None = None) -> Outcome:
    """The same with a checkpointer, run again: the sibling's result was kept, and is not made twice."""
    ran = Runs()
    m = ScriptedModel(script=[ai(*PAIR)])
    g: Graph = create_agent(m, _lookup_and_price(ran, failures=1), checkpointer=InMemorySaver())
    cfg = on_thread(config)
    outcome(lambda: g.invoke(HI, cfg))
    return outcome(lambda: g.invoke(None, cfg), ran, m)


def _asking(ran: Runs) -> Any:
    @tool
    def ask(question: str) -> str:
        """Ask a person."""
        ran("ask")
        return f"they said {interrupt(question)}"

    return ask


@scenario
def s53(config: Config | None = None) -> Outcome:
    """A tool waits for a person, who writes the answer into the state in its place."""
    ran = Runs()
    g, m = loop([_asking(ran)], ai(call("ask", {"question": "pay?"}, "call_1")), checkpointer=InMemorySaver())
    cfg = on_thread(config)
    first = outcome(lambda: g.invoke(HI, cfg))
    g.update_state(cfg, {"messages": [ToolMessage("paid by hand", tool_call_id="call_1")]}, as_node="tools")
    second = outcome(lambda: g.invoke(None, cfg), ran, m)
    second.interrupts = first.interrupts
    return second


def _by_hand(model: ScriptedModel, tools: Any, **node: Any) -> Any:
    graph: Any = StateGraph(MessagesState)
    graph.add_node("agent", lambda s: {"messages": [model.invoke(s["messages"])]})
    graph.add_node("tools", tools, **node)
    graph.add_edge(START, "agent")
    graph.add_conditional_edges("agent", tools_condition)
    graph.add_edge("tools", "agent")
    return graph


@scenario
def s54a(config: Config | None = None) -> Outcome:
    """A function node runs a tool, pauses, and runs it again when it is resumed."""
    ran = Runs()
    look_up = _looked_up(ran)
    m = ScriptedModel(script=[ai(call("look_up", {"sku": "K"}, "call_1"))])

    def tools(state: Any) -> Any:
        found = [look_up.invoke(asked) for asked in state["messages"][-1].tool_calls]
        interrupt("go on?")
        return {"messages": found}

    g = _by_hand(m, tools).compile(checkpointer=InMemorySaver())
    cfg = on_thread(config)
    first = outcome(lambda: g.invoke(HI, cfg))
    second = outcome(lambda: g.invoke(Command(resume="yes"), cfg), ran, m)
    second.interrupts = first.interrupts
    return second


@scenario
def s54b(config: Config | None = None) -> Outcome:
    """A function node that is retried runs its tool again."""
    ran = Runs()
    look_up = _looked_up(ran)
    m = ScriptedModel(script=[ai(call("look_up", {"sku": "K"}, "call_1"))])

    def tools(state: Any) -> Any:
        found = [look_up.invoke(asked) for asked in state["messages"][-1].tool_calls]
        if len(ran.items) < 2:
            raise ConnectionError("lost")
        return {"messages": found}

    g = _by_hand(m, tools, retry_policy=RetryPolicy(initial_interval=0.01)).compile()
    return outcome(lambda: g.invoke(HI, config), ran, m)


@scenario
def s55(config: Config | None = None) -> Outcome:
    """A loop without any graph: a prompt piped into a model, tools invoked by hand."""
    ran = Runs()
    look_up = _looked_up(ran)
    m = ScriptedModel(
        script=[ai(call("look_up", {"sku": "K"}, "call_1"), call("look_up", {"sku": "L"}, "call_2"))]
    )
    chain: Any = ChatPromptTemplate.from_messages([("placeholder", "{messages}")]) | m

    def run() -> Any:
        messages: list[Any] = [HumanMessage("hi")]
        asking: AIMessage = chain.invoke({"messages": messages}, config)
        first, second = asking.tool_calls
        by_id = look_up.invoke(first, config)
        by_arguments = ToolMessage(look_up.invoke(second["args"], config), tool_call_id="call_2")
        messages += [asking, by_id, by_arguments]
        return [*messages, chain.invoke({"messages": messages}, config)]

    return outcome(run, ran, m)


@scenario
def s56(config: Config | None = None) -> Outcome:
    """Two equal calls under one id, each in a task of its own."""
    ran = Runs()
    m = ScriptedModel(
        script=[ai(call("look_up", {"sku": "K"}, "call_1"), call("look_up", {"sku": "K"}, "call_1"))]
    )
    g: Graph = create_agent(m, [_looked_up(ran)])
    return outcome(lambda: g.invoke(HI, config), ran, m)


@scenario
def s57(config: Config | None = None) -> Outcome:
    """The stream is left between the model's request and the tool."""
    ran = Runs()
    g, m = loop([_looked_up(ran)], ai(call("look_up", {"sku": "K"}, "call_1")))

    def leave() -> None:
        stream = g.stream(HI, config, stream_mode="updates")
        next(stream)
        stream.close()

    return outcome(leave, ran, m)


@scenario
def s59(config: Config | None = None) -> Outcome:
    """A router reads its decision with with_structured_output: a format, and no call of the conversation."""

    @tool
    def route(to: str) -> str:
        """Where to go on."""
        return to

    model = ScriptedModel(script=[ai(call("route", {"to": "billing"}, "call_1"))])
    marked = model.bind(ls_structured_output_format={"kwargs": {}, "schema": route})
    parsed = marked | JsonOutputKeyToolsParser(key_name="route", first_tool_only=True)

    def router(state: MessagesState) -> Any:
        return {"messages": [AIMessage(f"to {parsed.invoke(state['messages'])['to']}")]}

    b = StateGraph(MessagesState)
    b.add_node("router", router)
    b.add_edge(START, "router")
    return outcome(lambda: b.compile().invoke(HI, config), model=model)
