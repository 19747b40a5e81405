"""One run of a tool: from the call of ``BaseTool.run`` to its end."""

import re
import threading
import time
from dataclasses import dataclass
from typing import Any, Final

from toolwatch import _render_attempts as render
from toolwatch._capture import plain, plain_fields, utf8_size
from toolwatch._failures import failure_of
from toolwatch._guard import guarded
from toolwatch._keys import call_key
from toolwatch._messages import is_tool_answer, own_answer
from toolwatch._problems import problems_of
from toolwatch._records import Attempt, CallInfo, Dispatch, Root, Run
from toolwatch._redact import Ledger
from toolwatch._results import Shown, shown_message, shown_value
from toolwatch._roots import loose_root
from toolwatch._session import ATTEMPT, DISPATCH, Session
from toolwatch._signals import is_cancellation, is_interrupt, is_pass_through, is_validation, pause_value
from toolwatch._spans import OpenSpan
from toolwatch._tools import ToolInfo, info_of

USUAL_THREAD: Final = re.compile(r"MainThread|(?:ThreadPoolExecutor-[0-9]{1,9}|asyncio)_[0-9]{1,9}")


@dataclass(slots=True, eq=False)
class _Begun:
    """What is known of an attempt before it is known which call it belongs to."""

    session: Session
    tool: ToolInfo
    ledger: Ledger
    public: Any  # the arguments without what the framework puts in
    plain: Any = None
    text: str | None = None
    bytes: int = 0

    def take_arguments(self) -> None:
        """Redaction may have to wait for its rules once, so this comes before the clock is read."""
        quick = plain_fields(self.public)
        if quick is not None:
            self.plain = quick
            self.text = self.ledger.safe_json("arguments", quick)
            self.bytes = utf8_size(self.text)
            return
        lost: list[int] = []
        shorten = self.ledger.shortening("arguments")

        def counting(text: str, chars: int) -> str:
            lost.append(len(text) - chars)
            return shorten(text, chars)

        self.plain = plain(self.public, counting)
        self.text = self.ledger.safe_json("arguments", self.plain)
        self.bytes = utf8_size(self.text) + sum(lost)


@guarded
def begin(session: Session, tool: Any, tool_input: Any, kwargs: dict[str, Any]) -> Attempt:
    tool_call_id = kwargs.get("tool_call_id")
    info = info_of(tool, session.redaction)
    begun = _Begun(session, info, session.ledger(), _public(tool_input, info))
    if session.full:
        begun.take_arguments()
    dispatch = DISPATCH.get()
    if dispatch is not None and dispatch.open is None and _is_of(dispatch, tool_call_id, info.name):
        attempt = _dispatched(begun, dispatch)
    else:
        attempt = _by_hand(begun, kwargs)
    attempt.call.attempts += 1
    session.alive.enter(attempt.span.context.span_id, attempt.call.key)
    session.sink.announce(attempt.span, lambda: render.started(attempt, session.full))
    return attempt


def _is_of(dispatch: Dispatch, tool_call_id: str | None, name: str) -> bool:
    """A wrapper may run the tool under another id, or after it has given up waiting for it."""
    if tool_call_id == dispatch.call.id:
        return True
    return name == dispatch.call.name and not dispatch.ended


def _dispatched(begun: _Begun, dispatch: Dispatch) -> Attempt:
    cause = "wrapper_retry" if dispatch.attempts else dispatch.cause
    attempt = _attempt(begun, dispatch.call, dispatch.root, dispatch.run, cause)
    attempt.dispatch = dispatch
    attempt.resumes_before = _resumes(dispatch)
    dispatch.attempts.append(attempt)
    dispatch.open = attempt
    return attempt


def _by_hand(begun: _Begun, kwargs: dict[str, Any]) -> Attempt:
    """In a hand-written loop, or by another tool."""
    registry, name = begun.session.registry, begun.tool.name
    outer = ATTEMPT.get()
    run = registry.runs.get(_parent_run_id(kwargs))
    root = run.root if run is not None else outer.root if outer is not None else None
    tool_call_id = kwargs.get("tool_call_id")
    call: CallInfo | None = None
    if root is None:
        known = registry.loose_call(tool_call_id, name, begun.public)
        root, call = known if known is not None else (loose_root(begun.session, None), None)
    elif outer is None or tool_call_id is not None:
        call = registry.for_direct(root, run, tool_call_id, name, begun.public)
    if call is None:
        attempt = _unasked(begun, root, run, outer, tool_call_id)
    else:
        attempt = _attempt(begun, call, root, run, _cause_by_hand(call, run))
    if run is not None and run.node_run is not None:
        run.node_run.attempts.append(attempt)
        call = attempt.call
        call.taken_by, call.task = run.node_run.id, run.node_run.ns
    return attempt


def _cause_by_hand(call: CallInfo, run: Run | None) -> str:
    if not call.attempts:
        return "first"
    node = run.node_run if run is not None else None
    again = node is not None and call.task == node.ns and call.taken_by != node.id
    return "node_retry" if again else "wrapper_retry"


def _unasked(
    begun: _Begun, root: Root, run: Run | None, outer: Attempt | None, tool_call_id: str | None
) -> Attempt:
    """No model asked for it as far as we know: its key comes from its first attempt."""
    span = begun.session.sink.open(begun.tool.span_name, root.context)
    key = call_key(root.scope, f"{span.context.span_id:016x}", 0, tool_call_id)
    call = CallInfo(
        key, tool_call_id, begun.tool.name, 0, None, kind="direct", graph=run.graph if run else None
    )
    call.parent_key = outer.call.key if outer is not None else None
    begun.session.registry.register(root, call)
    return _attempt(begun, call, root, run, "first", span)


def _attempt(  # noqa: PLR0917 its parts are all different
    begun: _Begun, call: CallInfo, root: Root, run: Run | None, cause: str, span: OpenSpan | None = None
) -> Attempt:
    thread_name = threading.current_thread().name
    return Attempt(
        call=call,
        root=root,
        run=run,
        dispatch=None,
        span=span or begun.session.sink.open(begun.tool.span_name, root.context),
        tool=begun.tool,
        ledger=begun.ledger,
        arguments_text=begun.text,
        arguments=begun.plain,
        part=render.call_part(call, cause, _told(thread_name, begun.ledger), begun.text, begun.bytes),
    )


def _told(thread_name: str, ledger: Ledger) -> str:
    """Names that Python gives need no look: each run of a graph has new ones."""
    return thread_name if USUAL_THREAD.fullmatch(thread_name) else ledger.name(thread_name)


def _public(tool_input: Any, tool: ToolInfo) -> Any:
    """Without what the framework puts in: state, store, runtime, callbacks."""
    if not isinstance(tool_input, dict):
        return tool_input
    return {name: value for name, value in tool_input.items() if name not in tool.hidden}


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
    if attempt is None or attempt.tool.name != tool.name or attempt.body_ran:
        return
    attempt.body_ran = True
    if session.full:
        positional, named = arguments
        given = positional[0] if positional and not named else _public(named, attempt.tool)
        quick = plain_fields(given)
        attempt.validated = (
            quick if quick is not None else plain(given, attempt.ledger.shortening("arguments"))
        )


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
        attempt.late = attempt.root.ended and attempt.root.is_graph
    if attempt.body_ran is None and session.knows_bodies:
        attempt.body_ran = False
    _judge(session, attempt, result, error)
    if dispatch is not None and attempt.handled is not None:
        dispatch.handled_by = "tool"
    text = attempt.result.text if attempt.result is not None else None
    session.sink.close(attempt.span, lambda: render.attempt(attempt, session.full), text)


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
    else:
        _judge_failure(session, attempt, real)
    _take_resume(attempt)


def _judge_failure(session: Session, attempt: Attempt, error: BaseException) -> None:
    attempt.failure = failure_of(error)
    if is_cancellation(error):
        attempt.outcome = "cancelled"
    elif is_validation(error) and not attempt.body_ran:
        attempt.outcome = "invalid_args"
        attempt.problems = problems_of(error, session.full)
    else:
        attempt.outcome = "tool_error"


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
