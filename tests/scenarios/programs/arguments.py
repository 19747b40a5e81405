"""Arguments that are wrong, unreadable or cut off, and tools that do not exist."""

from collections.abc import Iterator
from typing import Any

from langchain.agents import create_agent
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, ToolCallChunk
from langchain_core.outputs import ChatGenerationChunk
from langchain_core.tools import tool
from langgraph.prebuilt import ToolNode
from pydantic import BaseModel, Field

from tests.scenarios.programs.kit import (
    HI,
    Config,
    Runs,
    ScriptedModel,
    agent_and_tools,
    ai,
    broken_call,
    call,
    loop,
)
from tests.scenarios.programs.outcome import Outcome, outcome, scenario
from tests.scenarios.programs.tools import weather


@scenario
def s05(config: Config | None = None) -> Outcome:
    """Required argument missing; the model corrects itself under a new tool_call_id."""
    g, m = loop(
        [weather],
        ai(call("weather", {"town": "Paris"}, "call_bad")),
        ai(call("weather", {"city": "Paris"}, "call_good")),
    )
    return outcome(lambda: g.invoke(HI, config), model=m)


class _SearchArgs(BaseModel):
    query: str = Field(min_length=1, max_length=20)
    limit: int = Field(default=10, ge=1, le=100)
    score: float = Field(default=0.5, ge=0, le=1)


@scenario
def s06(config: Config | None = None) -> Outcome:
    """Wrong type and out of range, several fields at once."""

    @tool(args_schema=_SearchArgs)
    def search(query: str, limit: int = 10, score: float = 0.5) -> str:
        """Search."""
        return "results"

    g, m = loop([search], ai(call("search", {"query": "", "limit": 5000, "score": "high"}, "call_1")))
    return outcome(lambda: g.invoke(HI, config), model=m)


@scenario
def s07(config: Config | None = None) -> Outcome:
    """Unknown tool name."""
    g, m = loop([weather], ai(call("wether_api", {"city": "Paris"}, "call_1")))
    return outcome(lambda: g.invoke(HI, config), model=m)


def _malformed() -> AIMessage:
    return AIMessage(content="", invalid_tool_calls=[broken_call("weather", '{"city": "Par', "call_1")])


@scenario
def s08a(config: Config | None = None) -> Outcome:
    """Malformed JSON -> invalid_tool_calls: tools_condition ends the graph, the call is unanswered."""
    g, m = loop([weather], _malformed())
    return outcome(lambda: g.invoke(HI, config), model=m)


@scenario
def s08b(config: Config | None = None) -> Outcome:
    """A valid and a malformed call in one AIMessage: only the valid one is answered."""
    msg = _malformed()
    msg.tool_calls = [call("weather", {"city": "Oslo"}, "call_2")]
    g, m = loop([weather], msg)
    return outcome(lambda: g.invoke(HI, config), model=m)


@scenario
def s08c(config: Config | None = None) -> Outcome:
    """The same in create_agent (newer versions show the model a synthetic error ToolMessage)."""
    msg = _malformed()
    msg.tool_calls = [call("weather", {"city": "Oslo"}, "call_2")]
    m = ScriptedModel(script=[msg])
    return outcome(lambda: create_agent(m, [weather]).invoke(HI, config), model=m)


class StreamingModel(ScriptedModel):
    """Streams its first answer: tool call arguments cut off in the middle (finish_reason 'length')."""

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: Any = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        if self.turn:
            self.turn += 1
            yield ChatGenerationChunk(message=AIMessageChunk(content="done"))
            return
        self.turn += 1
        for name, args, id in (("weather", '{"city": "San', "call_1"), (None, " Fra", None)):
            part = ToolCallChunk(name=name, args=args, id=id, index=0, type="tool_call_chunk")
            yield ChatGenerationChunk(message=AIMessageChunk(content="", id="ai-s", tool_call_chunks=[part]))
        cut = {"finish_reason": "length"}
        last = AIMessageChunk(content="", id="ai-s", response_metadata=cut, chunk_position="last")
        yield ChatGenerationChunk(message=last)


@scenario
def s08d(config: Config | None = None) -> Outcome:
    """Streamed arguments cut off by max_tokens: LangChain repairs them, the tool runs with half a value."""
    ran = Runs()

    @tool("weather")
    def half_weather(city: str) -> str:
        """Weather."""
        ran("weather", city=city)
        return f"{city}: sunny"

    model = StreamingModel(script=[])
    b = agent_and_tools(model, ToolNode([half_weather]))

    def go() -> Any:
        last = None
        for mode, chunk in b.compile().stream(HI, config, stream_mode=["messages", "values"]):
            if mode == "values":
                last = chunk
        return last

    return outcome(go, ran, model)
