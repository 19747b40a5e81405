"""LangChain's callbacks: turns of models, runs of nodes and graphs. Inline, so that they come in order."""

from contextvars import ContextVar
from typing import Any

from langchain_core.callbacks.base import BaseCallbackHandler

from toolwatch import _runs as runs
from toolwatch import _turns as turns
from toolwatch._guard import say_once
from toolwatch._session import current, recording


class Watcher(BaseCallbackHandler):
    """Tools are not watched here: BaseTool.run tells more. Retrievers are none of our business."""

    run_inline = True
    ignore_agent = True
    ignore_retriever = True
    ignore_retry = True
    ignore_custom_event = True

    def on_chain_start(
        self,
        serialized: Any,
        inputs: Any,
        *,
        run_id: Any,
        parent_run_id: Any = None,
        metadata: Any = None,
        **kwargs: Any,
    ) -> None:
        session = recording()
        if session is not None:
            runs.start(
                session,
                run_id=run_id,
                parent_id=parent_run_id,
                name=kwargs.get("name"),
                inputs=inputs,
                metadata=metadata or {},
            )

    def on_chain_end(self, outputs: Any, *, run_id: Any, **kwargs: Any) -> None:
        session = current()
        if session is not None:
            runs.end(session, run_id, outputs)

    def on_chain_error(self, error: BaseException, *, run_id: Any, **kwargs: Any) -> None:
        session = current()
        if session is not None:
            runs.end(session, run_id, error=error)

    def on_chat_model_start(
        self,
        serialized: Any,
        messages: Any,
        *,
        run_id: Any,
        parent_run_id: Any = None,
        metadata: Any = None,
        **kwargs: Any,
    ) -> None:
        session = recording()
        if session is not None:
            turns.start(
                session,
                run_id=run_id,
                parent_id=parent_run_id,
                messages=messages,
                metadata=metadata or {},
                params=kwargs.get("invocation_params"),
                options=kwargs.get("options"),
            )

    def on_llm_start(self, serialized: Any, prompts: Any, **kwargs: Any) -> None:
        """A model of texts asks for no tools."""

    def on_llm_new_token(self, token: Any, *, run_id: Any, chunk: Any = None, **kwargs: Any) -> None:
        session = current()
        if session is not None and chunk is not None:
            turns.token(session, run_id, chunk)

    def on_llm_end(self, response: Any, *, run_id: Any, **kwargs: Any) -> None:
        session = current()
        if session is not None:
            turns.end(session, run_id, response)

    def on_llm_error(self, error: BaseException, *, run_id: Any, **kwargs: Any) -> None:
        session = current()
        if session is not None:
            turns.end(session, run_id, error=error)


# The default is what every thread and every context sees. Registered once for the life of the process:
# callback managers that were made while we were on keep the handler, and it does nothing while we are off.
_watcher: ContextVar[Watcher | None] = ContextVar("toolwatch_watcher", default=Watcher())  # noqa: B039 it has no state
_registered = False


def install() -> None:
    global _registered  # noqa: PLW0603 registering is for the life of the process
    if _registered:
        return
    try:
        from langchain_core.tracers.context import register_configure_hook
    except ImportError:
        say_once("toolwatch: langchain_core has no register_configure_hook; models and nodes are not seen")
        return
    register_configure_hook(_watcher, inheritable=True)
    _registered = True
