"""The smallest agent that Toolwatch can watch. Start `toolwatch serve`, then run this file.

No API key is needed: a scripted model stands in for yours: replace it, and nothing else changes.
"""

import uuid

from langchain_core.language_models.fake_chat_models import FakeMessagesListChatModel
from langchain_core.messages import AIMessage, ToolCall
from langchain_core.tools import tool
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition

import toolwatch

toolwatch.instrument()  # the one line

call_id = f"call_{uuid.uuid4().hex}"
call = ToolCall(type="tool_call", id=call_id, name="add", args={"a": 2, "b": 40})
model = FakeMessagesListChatModel(responses=[AIMessage("", tool_calls=[call]), AIMessage("42")])


@tool
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


def think(state: MessagesState) -> dict[str, list[AIMessage]]:
    return {"messages": [model.invoke(state["messages"])]}


graph = StateGraph(MessagesState)
graph.add_node("agent", think)
graph.add_node("tools", ToolNode([add]))
graph.add_edge(START, "agent")
graph.add_conditional_edges("agent", tools_condition)
graph.add_edge("tools", "agent")

if __name__ == "__main__":
    graph.compile().invoke(MessagesState(messages=[("user", "What is 2 + 40?")]))  # type: ignore[list-item]
    print(f"Paste this into the search box: {call_id}")
