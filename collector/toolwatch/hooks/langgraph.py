"""LangGraph's ToolNode: ``_run_one`` and ``_arun_one`` bracket all that happens to one call."""

import contextlib
import functools
import sys
from collections.abc import Callable
from typing import Any

from toolwatch import _dispatches as dispatches
from toolwatch._guard import guarded
from toolwatch._session import DISPATCH, current, recording
from toolwatch.hooks.patches import patch

Function = Callable[..., Any]


def install(module_name: str, class_name: str) -> None:
    module = sys.modules[module_name]
    node = getattr(module, class_name)
    patch(node, "_run_one", _run_one)
    patch(node, "_arun_one", _arun_one)
    patch(module, "_handle_tool_error", _handler)


def install_copy() -> None:
    """langchain 1.0.0 to 1.0.2 have a ToolNode of their own; later ones pass on LangGraph's."""
    module = sys.modules["langchain.tools.tool_node"]
    own = getattr(module, "_ToolNode", None)
    if own is not None and own.__module__ == module.__name__:
        install(module.__name__, own.__name__)


def install_pauses() -> None:
    """interrupt_before and interrupt_after pause a run without any event of a node."""
    patch(sys.modules["langgraph.pregel._loop"], "should_interrupt", _should_interrupt)


def _run_one(original: Function) -> Function:
    @functools.wraps(original)
    def run_one(self: Any, call: Any, input_type: Any, place: Any) -> Any:
        session = recording()
        dispatch = dispatches.begin(session, self, call, place) if session is not None else None
        if session is None or dispatch is None:
            return original(self, call, input_type, place)
        token = DISPATCH.set(dispatch)
        try:
            result = original(self, call, input_type, place)
        except BaseException as error:
            dispatches.end(session, dispatch, self, error=error)
            raise
        finally:
            _leave(token)
        dispatches.end(session, dispatch, self, result)
        return result

    return run_one


def _arun_one(original: Function) -> Function:
    @functools.wraps(original)
    async def arun_one(self: Any, call: Any, input_type: Any, place: Any) -> Any:
        session = recording()
        dispatch = dispatches.begin(session, self, call, place) if session is not None else None
        if session is None or dispatch is None:
            return await original(self, call, input_type, place)
        token = DISPATCH.set(dispatch)
        try:
            result = await original(self, call, input_type, place)
        except BaseException as error:
            dispatches.end(session, dispatch, self, error=error)
            raise
        finally:
            _leave(token)
        dispatches.end(session, dispatch, self, result)
        return result

    return arun_one


@guarded
def _leave(token: Any) -> None:
    with contextlib.suppress(ValueError):  # a coroutine that was closed from another context
        DISPATCH.reset(token)


def _handler(original: Function) -> Function:
    @functools.wraps(original)
    def handle(e: BaseException, *args: Any, **kwargs: Any) -> Any:
        content = original(e, *args, **kwargs)
        if current() is not None:
            _note(e)
        return content

    return handle


@guarded
def _note(error: BaseException) -> None:
    dispatches.note_handled(error)


def _should_interrupt(original: Function) -> Function:
    @functools.wraps(original)
    def should_interrupt(*args: Any, **kwargs: Any) -> Any:
        tasks = original(*args, **kwargs)
        if tasks and current() is not None:
            dispatches.note_pause()
        return tasks

    return should_interrupt
