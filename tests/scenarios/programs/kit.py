"""What every scenario is made of: a scripted model, the classic graph, a count of what really ran."""

import threading
import uuid
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, InvalidToolCall, ToolCall
from langchain_core.outputs import ChatGeneration, ChatResult
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition
from pydantic import Field

Config: TypeAlias = Any  # a RunnableConfig; its fields differ between versions
Graph: TypeAlias = Any  # a compiled graph; its four type parameters differ between versions
Turn: TypeAlias = AIMessage | Callable[[list[BaseMessage]], AIMessage]

HI: Final[Any] = {"messages": [HumanMessage("hi")]}


class ScriptedModel(BaseChatModel):
    """Answers with the messages of its script one by one, then with "done" for ever.

    `seen` keeps what it was shown at each turn. Every answer gets a fresh id, as from a real provider.
    """

    script: list[Any]
    turn: int = 0
    max_tokens: int | None = None
    seen: list[list[BaseMessage]] = Field(default_factory=list)

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: Any = None,
        **kwargs: Any,
    ) -> ChatResult:
        self.seen.append([m.model_copy(deep=True) for m in messages])
        answer = self.script[self.turn] if self.turn < len(self.script) else AIMessage("done")
        self.turn += 1
        if callable(answer):
            answer = answer(messages)
        answer = answer.model_copy(deep=True, update={"id": f"ai-{uuid.uuid4().hex[:8]}"})
        return ChatResult(generations=[ChatGeneration(message=answer)])

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Any:
        return self


def call(name: str, args: dict[str, Any], id: str | None) -> ToolCall:
    return ToolCall(name=name, args=args, id=id, type="tool_call")


def broken_call(name: str, raw: str, id: str | None) -> InvalidToolCall:
    return InvalidToolCall(name=name, args=raw, id=id, error="JSONDecodeError", type="invalid_tool_call")


def ai(*calls: ToolCall, text: str = "", **message: Any) -> AIMessage:
    return AIMessage(content=text, tool_calls=list(calls), **message)


def agent_and_tools(model: BaseChatModel, tools: ToolNode, state: Any = MessagesState, **node: Any) -> Any:
    """The classic graph, not compiled yet: a node "agent" and a node "tools", routed by tools_condition."""
    graph: Any = StateGraph(state)
    graph.add_node("agent", lambda s: {"messages": [model.invoke(s["messages"])]})
    graph.add_node("tools", tools, **node)
    graph.add_edge(START, "agent")
    graph.add_conditional_edges("agent", tools_condition)
    graph.add_edge("tools", "agent")
    return graph


def loop(
    tools: Sequence[Any],
    *script: Turn,
    checkpointer: Any = None,
    store: Any = None,
    retry: Any = None,
    state: Any = MessagesState,
    **node: Any,
) -> tuple[Graph, ScriptedModel]:
    """The classic graph around a ScriptedModel, compiled. `node` goes to ToolNode."""
    model = ScriptedModel(script=list(script))
    policy = {"retry_policy": retry} if retry else {}
    graph = agent_and_tools(model, ToolNode(tools, **node), state, **policy)
    return graph.compile(checkpointer=checkpointer, store=store), model


class Runs:
    """A log of real executions of tool bodies, safe in threads: the truth about `executions`."""

    def __init__(self) -> None:
        self.items: list[dict[str, Any]] = []
        self._lock = threading.Lock()

    def __call__(self, name: str, **info: Any) -> int:
        """Note one execution; returns how many of that tool there have been."""
        with self._lock:
            number = sum(1 for item in self.items if item["tool"] == name) + 1
            self.items.append({"tool": name, "run": number, **info})
        return number


def with_config(config: Config | None, **extra: Any) -> Config:
    configurable = {**(config or {}).get("configurable", {}), **extra.pop("configurable", {})}
    return {**(config or {}), **extra, "configurable": configurable}


def on_thread(config: Config | None, thread_id: str | None = None) -> Config:
    return with_config(config, configurable={"thread_id": thread_id or f"t-{uuid.uuid4().hex[:6]}"})
