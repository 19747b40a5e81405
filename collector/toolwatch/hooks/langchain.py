"""Tools of LangChain: ``BaseTool.run`` and ``arun`` bracket one run of a tool, wherever it is called from."""

import functools
from collections.abc import Callable
from typing import Any

import langchain_core.tools.base as core_tools
from opentelemetry import trace
from opentelemetry.context import attach, detach

from toolwatch import _attempts as attempts
from toolwatch._guard import guarded
from toolwatch._records import Attempt
from toolwatch._session import ATTEMPT, current, recording
from toolwatch.hooks.patches import patch

Function = Callable[..., Any]


def install() -> None:
    patch(core_tools.BaseTool, "run", _run)
    patch(core_tools.BaseTool, "arun", _arun)
    knows_bodies = patch(core_tools.BaseTool, "_to_args_and_kwargs", _to_args_and_kwargs)
    session = current()
    if session is not None:
        session.knows_bodies = knows_bodies
    patch(core_tools, "_handle_tool_error", _handler)
    patch(core_tools, "_handle_validation_error", _handler)


class _Inside:
    """The attempt and its span are current while the tool runs."""

    __slots__ = ("_attempt", "_context")

    def __init__(self, attempt: Attempt) -> None:
        self._attempt = ATTEMPT.set(attempt)
        self._context = attach(trace.set_span_in_context(attempt.span.span))

    def leave(self) -> None:
        try:
            ATTEMPT.reset(self._attempt)
        except ValueError:  # a coroutine that was closed from another context: that one never had our values
            return
        detach(self._context)


@guarded
def _enter(attempt: Attempt) -> _Inside:
    return _Inside(attempt)


def _run(original: Function) -> Function:
    @functools.wraps(original)
    def run(self: Any, tool_input: Any, *args: Any, **kwargs: Any) -> Any:
        session = recording()
        attempt = attempts.begin(session, self, tool_input, kwargs) if session is not None else None
        if session is None or attempt is None:
            return original(self, tool_input, *args, **kwargs)
        inside = _enter(attempt)
        try:
            result = original(self, tool_input, *args, **kwargs)
        except BaseException as error:
            attempts.end(session, attempt, error=error)
            raise
        finally:
            if inside is not None:
                inside.leave()
        attempts.end(session, attempt, result)
        return result

    return run


def _arun(original: Function) -> Function:
    @functools.wraps(original)
    async def arun(self: Any, tool_input: Any, *args: Any, **kwargs: Any) -> Any:
        session = recording()
        attempt = attempts.begin(session, self, tool_input, kwargs) if session is not None else None
        if session is None or attempt is None:
            return await original(self, tool_input, *args, **kwargs)
        inside = _enter(attempt)
        try:
            result = await original(self, tool_input, *args, **kwargs)
        except BaseException as error:
            attempts.end(session, attempt, error=error)
            raise
        finally:
            if inside is not None:
                inside.leave()
        attempts.end(session, attempt, result)
        return result

    return arun


def _to_args_and_kwargs(original: Function) -> Function:
    @functools.wraps(original)
    def to_args_and_kwargs(self: Any, *args: Any, **kwargs: Any) -> Any:
        found = original(self, *args, **kwargs)
        session = current()
        if session is not None:
            attempts.validated(session, self, found)
        return found

    return to_args_and_kwargs


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
    attempts.note_handled(error)
