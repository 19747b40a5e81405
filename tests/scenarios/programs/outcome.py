"""What the caller of a graph saw: its last messages, or its exception."""

import asyncio
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from langchain_core.messages import AIMessage, BaseMessage, ToolMessage

from tests.scenarios.programs.kit import Config, Runs, ScriptedModel

VARYING: Final = {"run", "where"}  # of parallel executions: which was first, and in which thread


@dataclass
class Outcome:
    messages: list[BaseMessage] = field(default_factory=list)
    error: BaseException | None = None
    ran: list[dict[str, Any]] = field(default_factory=list)
    seen: list[list[BaseMessage]] = field(default_factory=list)  # by the model, turn by turn
    interrupts: list[Any] = field(default_factory=list)
    modes: list[str] = field(default_factory=list)  # of the streamed chunks, in order

    def as_data(self) -> dict[str, Any]:
        """Plain data without ids, addresses and names of threads: equal for two equal runs."""
        return {
            "messages": [brief(m) for m in self.messages],
            "error": None if self.error is None else f"{type(self.error).__name__}: {plain(self.error)}",
            "ran": sorted(({k: v for k, v in r.items() if k not in VARYING} for r in self.ran), key=str),
            "seen": [[brief(m) for m in turn] for turn in self.seen],
            "interrupts": [plain(i) for i in self.interrupts],
            "modes": self.modes,
        }


def plain(value: object) -> str:
    """Text without memory addresses and random ids, cut at 200 characters."""
    text = re.sub(r"0x[0-9a-f]+|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "*", str(value))
    return text if len(text) <= 200 else f"{text[:200]}... ({len(text)})"


def brief(message: BaseMessage) -> dict[str, Any]:
    said: dict[str, Any] = {
        "type": message.type,
        "content": plain(message.content),
        "has_id": message.id is not None,
    }
    if isinstance(message, AIMessage):
        said["tool_calls"] = [[c["name"], c["args"], c["id"]] for c in message.tool_calls]
        said["invalid"] = [[c["name"], c["args"], c["id"]] for c in message.invalid_tool_calls]
    if isinstance(message, ToolMessage):
        said |= {"tool_call_id": message.tool_call_id, "name": message.name, "status": message.status}
        said["artifact"] = plain(message.artifact)
    return said


def outcome(run: Callable[[], Any], ran: Runs | None = None, model: ScriptedModel | None = None) -> Outcome:
    """Call run (which may return a coroutine) and keep what its caller sees, whatever it is."""
    seen = Outcome(ran=ran.items if ran else [], seen=model.seen if model else [])
    try:
        result = run()
        if asyncio.iscoroutine(result):
            result = asyncio.run(result)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # cancellation and bubbling interrupts are outcomes here
        seen.error = error
        return seen
    if isinstance(result, dict):
        seen.messages = list(result.get("messages", []))
        seen.interrupts = [i.value for i in result.get("__interrupt__", ())]
    else:
        seen.messages = list(result or [])
    return seen


Scenario: TypeAlias = Callable[[Config | None], Outcome]
SCENARIOS: Final[dict[str, Scenario]] = {}


def scenario(program: Scenario) -> Scenario:
    """Register a program under its name: s12a is S12a. Its docstring says what happens."""
    SCENARIOS[program.__name__.capitalize()] = program
    return program
