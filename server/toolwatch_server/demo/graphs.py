"""The hand-made loop around a ToolNode that many agents are, and what one asks of it."""

import uuid
from collections.abc import Sequence
from typing import Any, TypeAlias

from langchain_core.messages import HumanMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.prebuilt import ToolNode, tools_condition
from langgraph.types import RetryPolicy

from toolwatch_server.demo.script import ScriptedModel, Turn

Graph: TypeAlias = CompiledStateGraph[Any, Any, Any, Any]


def loop(
    name: str,
    tools: Sequence[BaseTool],
    turns: Sequence[Turn],
    *,
    retry: RetryPolicy | None = None,
    checkpointer: Any = None,
    **node_options: Any,
) -> Graph:
    """A model and a ToolNode in a circle. node_options go to the ToolNode."""
    model = ScriptedModel(turns=turns)

    def think(state: MessagesState) -> dict[str, Any]:
        return {"messages": [model.invoke(state["messages"])]}

    builder = StateGraph(MessagesState)
    builder.add_node("agent", think)
    builder.add_node("tools", ToolNode(tools, **node_options), retry_policy=retry)
    builder.add_edge(START, "agent")
    builder.add_conditional_edges("agent", tools_condition)
    builder.add_edge("tools", "agent")
    return builder.compile(checkpointer=checkpointer, name=name)


def asked(question: str) -> Any:
    """The input of a graph; each kind of graph has a type of its own for it."""
    return {"messages": [HumanMessage(question)]}


def new_thread(*, recursion_limit: int = 25, max_concurrency: int | None = None) -> RunnableConfig:
    """The configuration of a conversation of its own."""
    return RunnableConfig(
        configurable={"thread_id": f"conversation-{uuid.uuid4().hex[:8]}"},
        recursion_limit=recursion_limit,
        max_concurrency=max_concurrency,
    )
