"""wrap_tool_call and middleware around a tool."""

from typing import Any

from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware, ToolCallLimitMiddleware
from langchain_core.messages import ToolMessage
from langchain_core.tools import tool

from tests.scenarios.programs.kit import HI, Config, Graph, Runs, ScriptedModel, ai, call, loop
from tests.scenarios.programs.outcome import Outcome, outcome, scenario
from tests.scenarios.programs.tools import crash, weather


@scenario
def s31a(config: Config | None = None) -> Outcome:
    """wrap_tool_call short-circuits with a cached result: the tool never runs."""
    ran = Runs()

    @tool
    def costly(q: str) -> str:
        """Costly."""
        ran("costly")
        return "fresh"

    def cached(request: Any, execute: Any) -> ToolMessage:
        asked = request.tool_call
        return ToolMessage("cached answer", tool_call_id=asked["id"], name=asked["name"])

    g, m = loop([costly], ai(call("costly", {"q": "x"}, "call_1")), wrap_tool_call=cached)
    return outcome(lambda: g.invoke(HI, config), ran, m)


@scenario
def s31b(config: Config | None = None) -> Outcome:
    """wrap_tool_call rewrites the args: what ran is not what the model asked for."""
    ran = Runs()

    @tool
    def transfer(amount: int) -> str:
        """Transfer."""
        ran("transfer", amount=amount)
        return f"transferred {amount}"

    def cap(request: Any, execute: Any) -> Any:
        c = request.tool_call
        return execute(request.override(tool_call={**c, "args": {"amount": min(c["args"]["amount"], 100)}}))

    g, m = loop([transfer], ai(call("transfer", {"amount": 9999}, "call_1")), wrap_tool_call=cap)
    return outcome(lambda: g.invoke(HI, config), ran, m)


@scenario
def s31c(config: Config | None = None) -> Outcome:
    """create_agent middleware answers an unknown (dynamic) tool itself."""

    class Dyn(AgentMiddleware):
        def wrap_tool_call(self, request: Any, handler: Any) -> Any:
            if request.tool is None:
                return handler(request.override(tool=weather))
            return handler(request)

    m = ScriptedModel(script=[ai(call("weather", {"city": "Kyiv"}, "call_1"))])
    return outcome(lambda: create_agent(m, [crash], middleware=[Dyn()]).invoke(HI, config), model=m)


@scenario
def s31d(config: Config | None = None) -> Outcome:
    """A wrapper that returns a ToolMessage with another id (a bug): an orphan plus an unanswered call."""
    g, m = loop(
        [weather],
        ai(call("weather", {"city": "Kyiv"}, "call_1")),
        wrap_tool_call=lambda request, execute: ToolMessage(
            "cached", tool_call_id="cache_id", name="weather"
        ),
    )
    return outcome(lambda: g.invoke(HI, config), model=m)


@scenario
def s37(config: Config | None = None) -> Outcome:
    """ToolCallLimitMiddleware: the second of two parallel calls is blocked and answered by the middleware."""
    first, second = call("weather", {"city": "A"}, "call_1"), call("weather", {"city": "B"}, "call_2")
    m = ScriptedModel(script=[ai(first, second)])
    g: Graph = create_agent(m, [weather], middleware=[ToolCallLimitMiddleware(run_limit=1)])
    return outcome(lambda: g.invoke(HI, config), model=m)
