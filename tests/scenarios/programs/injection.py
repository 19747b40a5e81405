"""Arguments that the model does not write."""

from typing import Annotated, Any

from langchain_core.tools import InjectedToolCallId, tool
from langgraph.graph import MessagesState
from langgraph.prebuilt import InjectedState, InjectedStore, ToolRuntime
from langgraph.store.memory import InMemoryStore

from tests.scenarios.programs.kit import HI, Config, ai, call, loop
from tests.scenarios.programs.outcome import Outcome, outcome, scenario


class _UserState(MessagesState):
    user: str


@tool
def leave_left(
    year: int,
    runtime: ToolRuntime,
    user: Annotated[str, InjectedState("user")],
    store: Annotated[Any, InjectedStore()],
    tool_call_id: Annotated[str, InjectedToolCallId],
) -> str:
    """Leave left."""
    assert runtime.tool_call_id == tool_call_id
    return f"{user} has 3 days left in {year}"


@scenario
def s21a(config: Config | None = None) -> Outcome:
    """Injected args: the model sends {'year': 2026} only."""
    g, m = loop(
        [leave_left],
        ai(call("leave_left", {"year": 2026}, "call_1")),
        state=_UserState,
        store=InMemoryStore(),
    )
    return outcome(lambda: g.invoke({**HI, "user": "chen"}, config), model=m)


@scenario
def s21b(config: Config | None = None) -> Outcome:
    """The model forges an injected argument: ToolNode drops it."""
    turn = ai(call("leave_left", {"year": 2026, "user": "boss"}, "call_1"))
    g, m = loop([leave_left], turn, state=_UserState, store=InMemoryStore())
    return outcome(lambda: g.invoke({**HI, "user": "chen"}, config), model=m)


@scenario
def s21c(config: Config | None = None) -> Outcome:
    """Compiled without a store: injection fails outside ToolNode's try, where no handler helps."""
    g, m = loop(
        [leave_left],
        ai(call("leave_left", {"year": 2026}, "call_1")),
        state=_UserState,
        handle_tool_errors=True,
    )
    return outcome(lambda: g.invoke({**HI, "user": "chen"}, config), model=m)
