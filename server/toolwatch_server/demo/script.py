"""A chat model that follows a script, and tells on standard output which calls it asks for."""

import json
import random
import string
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, InvalidToolCall, ToolCall
from langchain_core.outputs import ChatGeneration, ChatResult
from pydantic import Field

from toolwatch_server.demo.casting import ASKED_FOR

THINKING_S: Final = 0.08


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """A call that the model asks for. look tells a newcomer why to open it."""

    tool: str
    arguments: dict[str, Any] = field(default_factory=dict)
    unreadable: str | None = None  # text that is no JSON, instead of the arguments
    answered_by_provider: str | None = None  # the model's own server ran it, with this result
    look: str | None = None


Turn: TypeAlias = "str | Ask | tuple[Ask, ...]"


class ScriptedModel(BaseChatModel):
    """Answers with its turns one by one, then says that it is done. Every call gets a fresh id."""

    turns: Sequence[Any] = Field(default_factory=tuple)
    spoken: int = 0

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> "ScriptedModel":
        """The script knows its tools already."""
        return self

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        time.sleep(THINKING_S)
        turn: Turn = self.turns[self.spoken] if self.spoken < len(self.turns) else "Done."
        self.spoken += 1
        return ChatResult(generations=[ChatGeneration(message=message_of(turn))])


def message_of(turn: Turn) -> AIMessage:
    """The assistant message of one turn of the script."""
    identity = f"chatcmpl-{random_text(24)}"
    if isinstance(turn, str):
        return AIMessage(turn, id=identity, response_metadata={"finish_reason": "stop"})
    message = AIMessage("", id=identity, response_metadata={"finish_reason": "tool_calls"})
    for ask in turn if isinstance(turn, tuple) else (turn,):
        add(message, ask)
    return message


def add(message: AIMessage, ask: Ask) -> None:
    if ask.answered_by_provider is not None:
        add_provider_call(message, ask, ask.answered_by_provider)
        return
    call_id = f"call_{random_text(24)}"
    announce(call_id, ask)
    if ask.unreadable is not None:
        message.invalid_tool_calls.append(
            InvalidToolCall(
                type="invalid_tool_call",
                id=call_id,
                name=ask.tool,
                args=ask.unreadable,
                error="the arguments are not valid JSON",
            )
        )
    else:
        message.tool_calls.append(ToolCall(type="tool_call", id=call_id, name=ask.tool, args=ask.arguments))


def add_provider_call(message: AIMessage, ask: Ask, result: str) -> None:
    call_id = f"srvtoolu_{random_text(24)}"
    announce(call_id, ask)
    message.response_metadata["output_version"] = "v1"
    message.content = [
        {"type": "server_tool_call", "id": call_id, "name": ask.tool, "args": ask.arguments},
        {"type": "server_tool_result", "tool_call_id": call_id, "status": "success", "output": result},
        {"type": "text", "text": result},
    ]


def announce(call_id: str, ask: Ask) -> None:
    said = {"tool_call_id": call_id, "tool": ask.tool, "look": ask.look}
    sys.stdout.write(f"{ASKED_FOR}{json.dumps(said)}\n")
    sys.stdout.flush()  # the process may be killed by the very call


def random_text(length: int) -> str:
    return "".join(random.choices(string.ascii_letters + string.digits, k=length))
