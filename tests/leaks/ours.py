"""Each text wherever an agent can say one to our own collector."""

from collections.abc import Sequence
from typing import Any, Final

from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command, interrupt

from tests.scenarios.programs.kit import HI, ai, call, loop

TEXTS_IN_A_RUN: Final = 20


def call_ids(number: int) -> tuple[str, str]:
    return f"call_raises_{number}", f"call_tells_{number}"


def run_all(texts: Sequence[str]) -> None:
    """Several texts a run; the first of them is in the names of the run and of its thread, too."""
    for begin in range(0, len(texts), TEXTS_IN_A_RUN):
        _run(dict(enumerate(texts[begin : begin + TEXTS_IN_A_RUN], begin)))


def _run(texts: dict[int, str]) -> None:
    said = []
    for number, text in texts.items():
        raises_id, tells_id = call_ids(number)
        said += [call("raises", {"note": text}, raises_id), call("tells", {"note": text}, tells_id)]
    notes, number = list(texts.values()), min(texts)
    first = notes[0]
    graph: Any = loop(
        [raises, tells, asks],
        ai(*said, call(first, {"note": first}, f"call_unknown_{number}"), text=first),
        ai(call("asks", {"notes": notes}, f"call_asks_{number}")),
        checkpointer=InMemorySaver(),
        handle_tool_errors=True,
    )[0]
    config = {"configurable": {"thread_id": f"talk {first}"}, "run_name": first, "metadata": {"note": first}}
    graph.invoke(HI, config)
    graph.invoke(Command(resume=notes), config)


@tool
def raises(note: str) -> str:
    """Raise."""
    error = RuntimeError(note)
    error.add_note(f"note: {note}")
    raise error from ValueError(f"cause: {note}")


@tool
def tells(note: str) -> str:
    """Tell."""
    return note


@tool
def asks(notes: list[str]) -> str:
    """Ask."""
    return str(interrupt({"notes": notes}))
