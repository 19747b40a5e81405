"""Tools that steer the graph."""

from typing import Annotated, Any

from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.tools import InjectedToolCallId, tool
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import InjectedState, ToolNode, tools_condition
from langgraph.types import Command

from tests.scenarios.programs.kit import HI, Config, Runs, ScriptedModel, ai, call, loop
from tests.scenarios.programs.outcome import Outcome, outcome, scenario


@scenario
def s18a(config: Config | None = None) -> Outcome:
    """Tool returns Command(update with a ToolMessage, goto another node)."""

    @tool
    def handoff(to: str, tool_call_id: Annotated[str, InjectedToolCallId]) -> Command[Any]:
        """Hand off."""
        return Command(
            update={"messages": [ToolMessage(f"handed off to {to}", tool_call_id=tool_call_id)]},
            goto="expert",
        )

    model = ScriptedModel(script=[ai(call("handoff", {"to": "expert"}, "call_1"))])
    b: Any = StateGraph(MessagesState)
    b.add_node("agent", lambda s: {"messages": [model.invoke(s["messages"])]})
    b.add_node("tools", ToolNode([handoff]))
    b.add_node("expert", lambda s: {"messages": [AIMessage("expert speaking")]})
    b.add_edge(START, "agent")
    b.add_conditional_edges("agent", tools_condition)
    return outcome(lambda: b.compile().invoke(HI, config), model=model)


@scenario
def s18b(config: Config | None = None) -> Outcome:
    """Command without a matching ToolMessage: ToolNode raises ValueError after the tool has run."""
    ran = Runs()

    @tool
    def bad(x: int = 0) -> Command[Any]:
        """Forgets the ToolMessage."""
        ran("bad")
        return Command(update={"messages": []})

    g, m = loop([bad], ai(call("bad", {}, "call_1")))
    return outcome(lambda: g.invoke(HI, config), ran, m)


@scenario
def s18c(config: Config | None = None) -> Outcome:
    """Hand-off from a subgraph by Command(graph=PARENT): the node 'tools' ends with ParentCommand."""

    @tool
    def transfer_to_bob(
        tool_call_id: Annotated[str, InjectedToolCallId], state: Annotated[dict[str, Any], InjectedState]
    ) -> Command[Any]:
        """Hand off to bob."""
        done = ToolMessage("transferred to bob", tool_call_id=tool_call_id, name="transfer_to_bob")
        return Command(goto="bob", graph=Command.PARENT, update={"messages": [*state["messages"], done]})

    alice, m = loop([transfer_to_bob], ai(call("transfer_to_bob", {}, "call_1")))
    b: Any = StateGraph(MessagesState)
    b.add_node("alice", alice, destinations=("bob",))
    b.add_node("bob", lambda s: {"messages": [AIMessage("bob here")]})
    b.add_edge(START, "alice")
    return outcome(lambda: b.compile().invoke(HI, config), model=m)
