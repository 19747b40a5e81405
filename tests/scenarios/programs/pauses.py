"""A person is asked before or while a tool runs."""

import time
from typing import Any

from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langchain_core.tools import BaseTool, tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.prebuilt import ToolNode
from langgraph.types import Command, interrupt

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
from tests.scenarios.programs.tools import payer


def _twice(
    graph: Graph, ran: Runs, model: ScriptedModel, config: Config | None, answer: Any = "yes"
) -> Outcome:
    """Run until it pauses, then resume with the answer of a person."""
    config = on_thread(config)
    first = outcome(lambda: graph.invoke(HI, config))
    second = outcome(lambda: graph.invoke(Command(resume=answer), config), ran, model)
    second.interrupts = first.interrupts + second.interrupts
    return second


def _approval_tool(ran: Runs) -> BaseTool:
    @tool
    def delete(path: str) -> str:
        """Delete, after approval."""
        ran("delete", path=path)
        time.sleep(0.2)  # a sibling has started by now
        ok = interrupt(f"delete {path}?")
        return f"deleted {path}" if ok == "yes" else "refused"

    return delete


@scenario
def s17a(config: Config | None = None) -> Outcome:
    """interrupt() in a tool, then resume: the same tool_call_id runs twice; the first run is a pause."""
    ran = Runs()
    g, m = loop(
        [_approval_tool(ran)], ai(call("delete", {"path": "/x"}, "call_1")), checkpointer=InMemorySaver()
    )
    return _twice(g, ran, m, config)


@scenario
def s17b(config: Config | None = None) -> Outcome:
    """A parallel sibling of an interrupting call, one ToolNode task: the sibling runs twice."""
    ran = Runs()
    g, m = loop(
        [_approval_tool(ran), payer(ran)],
        ai(call("delete", {"path": "/x"}, "call_1"), call("pay", {"amount": 5}, "call_2")),
        checkpointer=InMemorySaver(),
    )
    return _twice(g, ran, m, config)


@scenario
def s17c(config: Config | None = None) -> Outcome:
    """The same in create_agent (one task per call): the sibling runs once."""
    ran = Runs()
    m = ScriptedModel(
        script=[ai(call("delete", {"path": "/x"}, "call_1"), call("pay", {"amount": 5}, "call_2"))]
    )
    g: Graph = create_agent(m, [_approval_tool(ran), payer(ran)], checkpointer=InMemorySaver())
    return _twice(g, ran, m, config)


@scenario
def s17d(config: Config | None = None) -> Outcome:
    """interrupt() and the user never resumes: the call stays open."""
    ran = Runs()
    g, m = loop(
        [_approval_tool(ran)], ai(call("delete", {"path": "/x"}, "call_1")), checkpointer=InMemorySaver()
    )
    return outcome(lambda: g.invoke(HI, on_thread(config, "t-open")), ran, m)


@scenario
def s17e(config: Config | None = None) -> Outcome:
    """Two interrupt()s in one tool: the body runs three times."""
    ran = Runs()

    @tool
    def wizard(x: int = 0) -> str:
        """Asks twice."""
        ran("wizard")
        return f"{interrupt('name?')} {interrupt('age?')}"

    g, m = loop([wizard], ai(call("wizard", {}, "call_1")), checkpointer=InMemorySaver())
    cfg = on_thread(config)
    outcome(lambda: g.invoke(HI, cfg))
    outcome(lambda: g.invoke(Command(resume="Ann"), cfg))
    return outcome(lambda: g.invoke(Command(resume="42"), cfg), ran, m)


@scenario
def s17f(config: Config | None = None) -> Outcome:
    """interrupt_before=['tools'], then resume with None: the call waits before it is dispatched."""
    ran = Runs()
    model = ScriptedModel(script=[ai(call("pay", {"amount": 5}, "call_1"))])
    b = agent_and_tools(model, ToolNode([payer(ran)]))
    g = b.compile(checkpointer=InMemorySaver(), interrupt_before=["tools"])
    cfg = on_thread(config)
    outcome(lambda: g.invoke(HI, cfg))
    return outcome(lambda: g.invoke(None, cfg), ran, model)


def _guarded(ran: Runs) -> tuple[Graph, ScriptedModel]:
    @tool
    def wipe(disk: str) -> str:
        """Wipe."""
        ran("wipe")
        return "wiped"

    m = ScriptedModel(script=[ai(call("wipe", {"disk": "sda"}, "call_1"))])
    ask = HumanInTheLoopMiddleware(interrupt_on={"wipe": True})
    return create_agent(m, [wipe], middleware=[ask], checkpointer=InMemorySaver()), m


@scenario
def s58(config: Config | None = None) -> Outcome:
    """HumanInTheLoopMiddleware asks, and nobody has answered yet: the question is shown."""
    ran = Runs()
    g, m = _guarded(ran)
    return outcome(lambda: g.invoke(HI, on_thread(config, "t-approval")), ran, m)


@scenario
def s36(config: Config | None = None) -> Outcome:
    """HumanInTheLoopMiddleware: the human rejects, no tool runs, the middleware writes the answer."""
    ran = Runs()
    g, m = _guarded(ran)
    return _twice(g, ran, m, config, answer={"decisions": [{"type": "reject", "message": "no way"}]})
