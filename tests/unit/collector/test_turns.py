"""What a model's turn asks for: calls of the conversation, each turn's own."""

import json
import operator
from typing import Annotated, Any

import pytest
from langchain_core.callbacks import CallbackManager
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import BaseTool, tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition
from pydantic import BaseModel
from typing_extensions import TypedDict

import toolwatch
from tests.unit.collector.conftest import Receiver
from tests.unit.collector.graphs import call


class Repeating(BaseChatModel):
    """Answers with the messages of its script as they are, ids included."""

    script: list[Any]

    @property
    def _llm_type(self) -> str:
        return "repeating"

    def bind_tools(self, tools: Any, **kwargs: Any) -> Any:
        return self.bind(**{name: kwargs[name] for name in kwargs if name.startswith("ls_")})

    def _generate(
        self, messages: Any, stop: Any = None, run_manager: Any = None, **kwargs: Any
    ) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=self.script.pop(0))])


class Listed(TypedDict):
    messages: Annotated[list[Any], operator.add]


class Grade(BaseModel):
    """How good it is."""

    score: int


@tool
def echo(x: str) -> str:
    """Says it again."""
    return x


def said(*calls: Any) -> AIMessage:
    return AIMessage("", id="ai-1", tool_calls=list(calls))


def looping(model: BaseChatModel, tools: list[BaseTool], **compiled: Any) -> Any:
    graph: Any = StateGraph(Listed)
    graph.add_node("agent", lambda s: {"messages": [model.invoke(s["messages"])]})
    graph.add_node("tools", ToolNode(tools))
    graph.add_edge(START, "agent")
    graph.add_conditional_edges("agent", tools_condition)
    graph.add_edge("tools", "agent")
    return graph.compile(**compiled)


def requests(receiver: Receiver) -> list[Any]:
    return [
        item for turn in receiver.records("turn") for item in json.loads(turn.get("toolwatch.requests", "[]"))
    ]


def told_of(receiver: Receiver) -> list[tuple[str, str]]:
    """For each call asked for, its text and the answer that the same key got."""
    answers = [a for s in receiver.records("step") for a in json.loads(s.get("toolwatch.answers", "[]"))]
    attempts = {a["toolwatch.call.key"]: a["gen_ai.tool.call.result"] for a in receiver.records("attempt")}
    assert {a["key"] for a in answers} == set(attempts)
    return [(json.loads(r["arguments"])["x"], attempts[r["key"]]) for r in requests(receiver)]


@pytest.mark.parametrize("again", ["2", "1"])
def test_a_second_turn_under_the_same_message_id_asks_for_another_call(watched: Receiver, again: str) -> None:
    script = [said(call("echo", {"x": "1"})), said(call("echo", {"x": again})), AIMessage("done", id="ai-2")]

    looping(Repeating(script=script), [echo]).invoke({"messages": [("user", "hi")]})
    assert toolwatch.flush()

    assert told_of(watched) == [("1", "1"), (again, again)]
    assert len({r["key"] for r in requests(watched)}) == 2


def test_so_does_one_in_a_later_run_of_the_thread(watched: Receiver) -> None:
    script = [said(call("echo", {"x": "1"})), said(), said(call("echo", {"x": "2"})), said()]
    graph = looping(Repeating(script=script), [echo], checkpointer=InMemorySaver())

    for _ in range(2):
        graph.invoke({"messages": [("user", "hi")]}, {"configurable": {"thread_id": "t"}})
    assert toolwatch.flush()

    assert told_of(watched) == [("1", "1"), ("2", "2")]


def test_a_call_that_no_model_was_seen_to_ask_for_keeps_its_arguments_when_its_run_crashes(
    watched: Receiver,
) -> None:
    @tool
    def fail(x: str) -> str:
        """Fails."""
        raise ValueError(x)

    graph: Any = StateGraph(Listed)
    graph.add_node("agent", lambda _: {"messages": [said(call("fail", {"x": "7"}))]})
    graph.add_node("tools", ToolNode([fail]))
    graph.add_edge(START, "agent")
    graph.add_edge("agent", "tools")
    with pytest.raises(ValueError, match="7"):
        graph.compile().invoke({"messages": [("user", "hi")]})
    assert toolwatch.flush()

    (step,) = (s for s in watched.records("step") if "toolwatch.dispatches" in s)
    (taken_up,) = json.loads(step["toolwatch.dispatches"])
    assert json.loads(taken_up["arguments"]) == {"x": "7"}


class Around(Repeating):
    """Hands a turn on to another model and gives its message back."""

    inner: Any

    def _generate(
        self, messages: Any, stop: Any = None, run_manager: Any = None, **kwargs: Any
    ) -> ChatResult:
        message = self.inner.invoke(
            messages, {"callbacks": CallbackManager(run_manager.handlers, parent_run_id=run_manager.run_id)}
        )
        return ChatResult(generations=[ChatGeneration(message=message)])


def test_a_model_that_hands_a_turn_on_to_another_asks_once(watched: Receiver) -> None:
    inner = Repeating(script=[said(call("echo", {"x": "1"})), said()])

    looping(Around(script=[], inner=inner), [echo]).invoke({"messages": [("user", "hi")]})
    assert toolwatch.flush()

    assert len({r["key"] for r in requests(watched)}) == 1


def test_the_format_of_an_output_is_no_call(watched: Receiver) -> None:
    model = Repeating(script=[said(call("Grade", {"score": 3}))]).with_structured_output(Grade)
    graph: Any = StateGraph(Listed)
    graph.add_node("grade", lambda s: {"messages": [AIMessage(str(model.invoke(s["messages"])))]})
    graph.add_edge(START, "grade")

    graph.compile().invoke({"messages": [("user", "hi")]})
    assert toolwatch.flush()

    assert len(watched.records("turn")) == 1
    assert requests(watched) == []
    assert all("toolwatch.calls" not in run for run in watched.records("run"))


def test_another_tool_asked_for_beside_a_format_is_a_call(watched: Receiver) -> None:
    model = Repeating(script=[said(call("echo", {"x": "1"}))]).with_structured_output(Grade, include_raw=True)

    model.invoke("hi")
    assert toolwatch.flush()

    assert [r["name"] for r in requests(watched)] == ["echo"]


def test_an_answer_that_nobody_asked_for_is_told_when_only_a_model_was_shown_it(watched: Receiver) -> None:
    again = AIMessage("", id="ai-2", tool_calls=[call("echo", {"x": "2"}, "call_2")])
    model = Repeating(script=[said(call("echo", {"x": "1"})), again])
    graph = looping(model, [echo], checkpointer=InMemorySaver(), interrupt_before=["tools"])
    config: Any = {"configurable": {"thread_id": "t"}}
    graph.invoke({"messages": [("user", "hi")]}, config)
    stray = [ToolMessage("1", tool_call_id="call_1"), ToolMessage("?", tool_call_id="call_9")]

    graph.update_state(config, {"messages": stray}, as_node="tools")
    graph.invoke(None, config)
    assert toolwatch.flush()

    runs = watched.records("run")
    assert [o["id"] for run in runs for o in json.loads(run.get("toolwatch.orphans", "[]"))] == ["call_9"]
