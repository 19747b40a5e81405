"""The order of events as an application's own callback handler sees it."""

import threading
from typing import Any

from langchain_core.callbacks import BaseCallbackHandler


class EventLog(BaseCallbackHandler):
    """`events` holds "what name" or "what ErrorType"; no ids, no times."""

    run_inline = True
    raise_error = True

    def __init__(self) -> None:
        self.events: list[str] = []
        self._lock = threading.Lock()

    def _note(self, *words: object) -> None:
        with self._lock:
            self.events.append(" ".join(str(word) for word in words))

    def on_chain_start(self, serialized: Any, inputs: Any, **kwargs: Any) -> None:
        self._note("chain starts", kwargs.get("name"))

    def on_chain_end(self, outputs: Any, **kwargs: Any) -> None:
        self._note("chain ends", type(outputs).__name__)

    def on_chain_error(self, error: BaseException, **kwargs: Any) -> None:
        self._note("chain fails", type(error).__name__)

    def on_chat_model_start(self, serialized: Any, messages: Any, **kwargs: Any) -> None:
        self._note("model starts", len(messages[0]))

    def on_llm_end(self, response: Any, **kwargs: Any) -> None:
        self._note("model ends")

    def on_tool_start(self, serialized: Any, input_str: str, **kwargs: Any) -> None:
        self._note("tool starts", serialized.get("name"), sorted(kwargs.get("inputs") or ()))

    def on_tool_end(self, output: Any, **kwargs: Any) -> None:
        self._note("tool ends", type(output).__name__)

    def on_tool_error(self, error: BaseException, **kwargs: Any) -> None:
        self._note("tool fails", type(error).__name__)
