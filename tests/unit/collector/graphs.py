"""The smallest graphs that run tools, for tests of the collector."""

from collections.abc import Sequence
from typing import Any

from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.tools import BaseTool
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode


def call(name: str, arguments: dict[str, Any], call_id: str | None = "call_1") -> dict[str, Any]:
    return {"name": name, "args": arguments, "id": call_id, "type": "tool_call"}


def asking(*calls: dict[str, Any], message_id: str | None = "ai-1") -> dict[str, Any]:
    return {"messages": [AIMessage("", tool_calls=list(calls), id=message_id)]}


def one_node(tools: Sequence[BaseTool], **options: Any) -> Any:
    """START, a ToolNode, END."""
    graph = StateGraph(MessagesState)
    graph.add_node("tools", ToolNode(list(tools), **options))
    graph.add_edge(START, "tools")
    graph.add_edge("tools", END)
    return graph.compile()


def answers(state: dict[str, Any]) -> list[tuple[str, str]]:
    """Status and content of the tool messages of a state."""
    return [(m.status, str(m.content)) for m in state["messages"] if isinstance(m, ToolMessage)]
