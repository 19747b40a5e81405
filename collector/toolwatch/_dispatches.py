"""A ToolNode takes up a call: from ``_run_one`` to what came out of it."""

import time
from typing import Any

from toolwatch._capture import plain
from toolwatch._failures import failure_of
from toolwatch._guard import guarded
from toolwatch._keys import call_key
from toolwatch._messages import own_answer
from toolwatch._records import CallInfo, Dispatch, Root, Run
from toolwatch._registry import messages_in
from toolwatch._roots import loose_root, text_or_none
from toolwatch._session import ATTEMPT, DISPATCH, ROOT, Session
from toolwatch._signals import is_cancellation, is_interrupt, is_pass_through, pause_value
from toolwatch._steps import close_loose_dispatch

DEFAULT_HANDLER = "_default_handle_tool_errors"


@guarded
def begin(session: Session, node: Any, asked: Any, place: Any) -> Dispatch:
    """place: a ToolRuntime, or in older versions the RunnableConfig."""
    config = place if isinstance(place, dict) else place.config
    inside = config.get("configurable") or {}
    run = session.registry.runs.get(getattr(config.get("callbacks"), "parent_run_id", None))
    root = run.root if run is not None else _root_without_run(session, inside)
    call = _call(session, root, run, asked, place)
    dispatch = Dispatch(
        call=call,
        root=root,
        run=run.node_run if run is not None else None,
        started_ns=time.time_ns(),
        cause=_cause(session, root, run, call, inside),
        node_attempt=_node_attempt(inside),
        unknown=asked["name"] not in node.tools_by_name,
        scratchpad=inside.get("__pregel_scratchpad"),
    )
    call.taken_by = run.id if run is not None else dispatch
    call.dispatches += 1
    call.last_end = None
    if dispatch.run is not None:
        dispatch.run.dispatches.append(dispatch)
    return dispatch


def _root_without_run(session: Session, inside: dict[str, Any]) -> Root:
    outer = ATTEMPT.get()
    return outer.root if outer is not None else loose_root(session, text_or_none(inside.get("thread_id")))


def _call(session: Session, root: Root, run: Run | None, asked: Any, place: Any) -> CallInfo:
    state = getattr(place, "state", None)
    messages = messages_in(state) or (messages_in(run.node_run.inputs) if run and run.node_run else ())
    found = session.registry.for_dispatch(root, run, asked, messages)
    if found is not None:
        return found
    graph, outer = (run.graph if run is not None else None), ATTEMPT.get()
    task = run.node_run.ns if run is not None and run.node_run is not None else None
    call = CallInfo(
        key=call_key(root.scope, task, 0, asked["id"]),
        id=asked["id"],
        name=asked["name"],
        position=0,
        message_id=None,
        kind="input",
        arguments=asked["args"],
        graph=graph,
        parent_key=outer.call.key if outer is not None else None,
    )
    return session.registry.register(root, call)


def _node_attempt(inside: dict[str, Any]) -> int | None:
    found = getattr(getattr(inside.get("__pregel_runtime"), "execution_info", None), "node_attempt", None)
    return found if isinstance(found, int) else None


def _cause(session: Session, root: Root, run: Run | None, call: CallInfo, inside: dict[str, Any]) -> str:
    """Why the node takes the call up: for the first time, or again."""
    if call.dispatches and call.key in root.started:
        return "node_retry"
    root.started.add(call.key)
    past = session.registry.past.pop(call.key)
    if past is not None:
        return "resume" if past.interrupted else "rerun"
    again = bool(inside.get("__pregel_resuming")) and run is not None and run.step == root.first_step
    return "resume" if again and root.resumes else "first"


@guarded
def end(
    session: Session, dispatch: Dispatch, node: Any, result: Any = None, error: BaseException | None = None
) -> None:
    dispatch.ended_ns = time.time_ns()
    if error is None:
        dispatch.message = own_answer(result, dispatch.call.id)
        if dispatch.handled_by is None and _answered_by_wrapper(dispatch):
            dispatch.handled_by = "wrapper"
    else:
        _note_error(session, dispatch, node, error)
    if dispatch.run is None:
        close_loose_dispatch(session, dispatch)


REFUSED = frozenset({"tool_error", "invalid_args", "cancelled", "interrupted", None})  # None: still running


def _answered_by_wrapper(dispatch: Dispatch) -> bool:
    """The tool failed or was not waited for, or it succeeded and the answer says that it did not."""
    if dispatch.message is None or not dispatch.attempts:
        return False
    outcome = dispatch.attempts[-1].outcome
    return outcome in REFUSED or (outcome == "ok" and getattr(dispatch.message, "status", None) == "error")


def _is_injection(error: BaseException) -> bool:
    trace = error.__traceback__
    while trace is not None:
        if "inject" in trace.tb_frame.f_code.co_name:
            return True
        trace = trace.tb_next
    return False


def _note_error(session: Session, dispatch: Dispatch, node: Any, error: BaseException) -> None:
    if is_interrupt(error):
        shorten = session.ledger().shortening("interrupt")
        dispatch.interrupt = (plain(pause_value(error), shorten),)
        dispatch.call.last_end = "interrupted"
        return
    if is_pass_through(error):
        return
    dispatch.error = failure_of(error)
    dispatch.raised_by_wrapper = not dispatch.attempts and not _is_injection(error)
    if dispatch.attempts and not is_cancellation(error):
        handler = getattr(node, "_handle_tool_errors", None)
        name = getattr(handler, "__name__", None)
        dispatch.handler_did_not_match = bool(handler) and handler is not True and name != DEFAULT_HANDLER


def note_handled(error: BaseException) -> None:
    """The ToolNode turns the error into an answer."""
    dispatch = DISPATCH.get()
    if dispatch is not None:
        dispatch.handled_by = "toolnode"
        cause = error.__cause__
        dispatch.masked = failure_of(
            cause if type(error).__name__ == "ToolInvocationError" and cause else error
        )


@guarded
def note_pause() -> None:
    """The run that goes on in this context has stopped before or after a node, to wait for a person."""
    root = ROOT.get()
    if root is not None and not root.ended:
        root.paused = True
