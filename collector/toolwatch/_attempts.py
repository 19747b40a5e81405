"""One run of a tool: from the call of ``BaseTool.run`` to its end."""

import threading
import time
from typing import Any

from toolwatch import _render as render
from toolwatch._capture import plain, utf8_size
from toolwatch._failures import failure_of
from toolwatch._guard import guarded
from toolwatch._injected import Hidden, hidden_of
from toolwatch._keys import call_key
from toolwatch._messages import is_tool_answer, own_answer
from toolwatch._problems import problems_of
from toolwatch._records import Attempt, CallInfo, Dispatch, Root, Run
from toolwatch._redact import to_json
from toolwatch._results import Shown, shown_message, shown_value
from toolwatch._roots import loose_root
from toolwatch._session import ATTEMPT, DISPATCH, Session
from toolwatch._signals import is_cancellation, is_interrupt, is_pass_through, is_validation, pause_value


@guarded
def begin(session: Session, tool: Any, tool_input: Any, kwargs: dict[str, Any]) -> Attempt:
    tool_call_id = kwargs.get("tool_call_id")
    hidden = hidden_of(tool)
    dispatch = DISPATCH.get()
    if (
        dispatch is not None
        and dispatch.open is None
        and not dispatch.ended
        and tool_call_id == dispatch.call.id
    ):
        attempt = _dispatched(session, dispatch, tool, hidden)
    else:
        attempt = _by_hand(session, tool, hidden, tool_input, kwargs)
    attempt.call.attempts += 1
    if session.full:
        _take_arguments(attempt, tool_input)
    session.alive.enter(attempt.span.context.span_id, attempt.call.key)
    beginning = session.sink.open(f"execute_tool {attempt.tool}", attempt.span.context, attempt.span.start_ns)
    session.sink.announce(beginning, lambda: render.started(attempt, session.full))
    return attempt


def _dispatched(session: Session, dispatch: Dispatch, tool: Any, hidden: Hidden) -> Attempt:
    cause = "wrapper_retry" if dispatch.attempts else dispatch.cause
    attempt = _attempt(session, dispatch.call, dispatch.root, dispatch.run, tool, hidden, cause)
    attempt.dispatch = dispatch
    attempt.resumes_before = _resumes(dispatch)
    dispatch.attempts.append(attempt)
    dispatch.open = attempt
    return attempt


def _by_hand(session: Session, tool: Any, hidden: Hidden, tool_input: Any, kwargs: dict[str, Any]) -> Attempt:
    """In a hand-written loop, or by another tool."""
    outer = ATTEMPT.get()
    run = session.registry.runs.get(_parent_run_id(kwargs))
    root = run.root if run is not None else outer.root if outer is not None else None
    tool_call_id, args = kwargs.get("tool_call_id"), _public(tool_input, hidden)
    call: CallInfo | None = None
    if root is None:
        known = session.registry.loose_call(tool_call_id, tool.name)
        root, call = known if known is not None else (loose_root(session, None), None)
    elif outer is None or tool_call_id is not None:
        call = session.registry.for_direct(root, run, tool_call_id, tool.name, args)
    if call is None:
        attempt = _unasked(session, root, run, outer, tool, hidden, tool_call_id)
    else:
        cause = "wrapper_retry" if call.attempts else "first"
        attempt = _attempt(session, call, root, run, tool, hidden, cause)
    if run is not None and run.node_run is not None:
        run.node_run.attempts.append(attempt)
    return attempt


def _unasked(
    session: Session, root: Root, run: Run | None, outer: Attempt | None, tool: Any, hidden: Hidden,
    tool_call_id: str | None,
) -> Attempt:  # fmt: skip
    """No model asked for it as far as we know: its key comes from its first attempt."""
    call = CallInfo("", tool_call_id, tool.name, 0, None, kind="direct", graph=run.graph if run else None)
    call.parent_key = outer.call.key if outer is not None else None
    attempt = _attempt(session, call, root, run, tool, hidden, "first")
    call.key = call_key(root.scope, f"{attempt.span.context.span_id:016x}", 0, tool_call_id)
    session.registry.register(root, call)
    return attempt


def _attempt(
    session: Session, call: CallInfo, root: Root, run: Run | None, tool: Any, hidden: Hidden, cause: str
) -> Attempt:
    description = tool.description
    return Attempt(
        call=call,
        root=root,
        run=run,
        dispatch=None,
        span=session.sink.open(f"execute_tool {tool.name}", root.context),
        tool=str(tool.name),
        cause=cause,
        thread_name=threading.current_thread().name,
        ledger=session.ledger(),
        hidden=hidden.names,
        injected=hidden.injected,
        description=description[:1024] if isinstance(description, str) else None,
    )


def _take_arguments(attempt: Attempt, tool_input: Any) -> None:
    lost: list[int] = []
    shorten = attempt.ledger.shortening("arguments")

    def counting(text: str, chars: int) -> str:
        lost.append(len(text) - chars)
        return shorten(text, chars)

    attempt.arguments_plain = plain(_public(tool_input, attempt), counting)
    attempt.arguments = to_json(attempt.ledger.plain_value("arguments", attempt.arguments_plain))
    attempt.arguments_bytes = utf8_size(attempt.arguments) + sum(lost)


def _public(tool_input: Any, hidden: Any) -> Any:
    """Without what the framework puts in: state, store, runtime, callbacks."""
    if not isinstance(tool_input, dict):
        return tool_input
    names = hidden.names if isinstance(hidden, Hidden) else hidden.hidden
    return {name: value for name, value in tool_input.items() if name not in names}


def _parent_run_id(kwargs: dict[str, Any]) -> object:
    config = kwargs.get("config")
    callbacks = kwargs.get("callbacks")
    if callbacks is None and isinstance(config, dict):
        callbacks = config.get("callbacks")
    return getattr(callbacks, "parent_run_id", None)


@guarded
def validated(session: Session, tool: Any, arguments: Any) -> None:
    """The arguments have passed validation: the body is about to run with them."""
    attempt = ATTEMPT.get()
    if attempt is None or attempt.tool != tool.name or attempt.body_ran:
        return
    attempt.body_ran = True
    if session.full:
        positional, named = arguments
        given = positional[0] if positional and not named else _public(named, attempt)
        attempt.validated = plain(given, attempt.ledger.shortening("arguments"))


@guarded
def end(session: Session, attempt: Attempt, result: Any = None, error: BaseException | None = None) -> None:
    session.alive.leave(attempt.span.context.span_id)
    attempt.ended_ns = time.time_ns()
    dispatch = attempt.dispatch
    if dispatch is not None:
        attempt.late = dispatch.ended
        if dispatch.open is attempt:
            dispatch.open = None
    else:
        attempt.late = attempt.root.ended and not attempt.root.loose
    if attempt.body_ran is None and session.knows_bodies:
        attempt.body_ran = False
    _judge(session, attempt, result, error)
    if dispatch is not None and attempt.handled is not None:
        dispatch.handled_by = "tool"
    session.sink.close(attempt.span, lambda: render.attempt(attempt, session.full))


def _judge(session: Session, attempt: Attempt, result: Any, error: BaseException | None) -> None:
    real = error if error is not None else attempt.handled
    if error is None:
        attempt.result = attempt.call.result = _shown(attempt, result)
    if real is None:
        told_error = attempt.result is not None and attempt.result.status == "error"
        attempt.outcome = "tool_error" if told_error else "ok"
        if told_error and attempt.dispatch is not None:
            attempt.dispatch.handled_by = "tool"
    elif is_interrupt(real):
        attempt.outcome = "interrupted"
        attempt.interrupt = (plain(pause_value(real), attempt.ledger.shortening("interrupt")),)
    elif is_pass_through(real):
        attempt.outcome = "ok"
    elif is_cancellation(real):
        attempt.outcome = "cancelled"
    else:
        attempt.outcome = "invalid_args" if is_validation(real) and not attempt.body_ran else "tool_error"
        if attempt.outcome == "invalid_args":
            attempt.problems = problems_of(real, session.full)
    if real is not None and attempt.outcome not in ("ok", "interrupted"):
        attempt.failure = failure_of(real)
    _take_resume(attempt)


def _shown(attempt: Attempt, result: Any) -> Shown:
    shorten = attempt.ledger.shortening("result")
    message = own_answer(result, attempt.call.id) or (result if is_tool_answer(result) else None)
    return shown_message(message, shorten) if message is not None else shown_value(result, shorten)


def _resumes(dispatch: Dispatch) -> int | None:
    found = getattr(dispatch.scratchpad, "resume", None)
    return len(found) if isinstance(found, list) else None


def _take_resume(attempt: Attempt) -> None:
    """What a person answered, when the body asked for it in this attempt."""
    dispatch = attempt.dispatch
    if dispatch is None or attempt.resumes_before is None:
        return
    answers = getattr(dispatch.scratchpad, "resume", None)
    if isinstance(answers, list) and len(answers) > attempt.resumes_before:
        attempt.resume = (plain(answers[-1], attempt.ledger.shortening("resume")),)


def note_handled(error: BaseException) -> None:
    """The tool turns an error of its own into an answer."""
    attempt = ATTEMPT.get()
    if attempt is not None:
        attempt.handled = error
