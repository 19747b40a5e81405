"""What a run of a node came to: its calls are settled, the messages that it wrote are matched with calls."""

import time
from typing import Any, NamedTuple

from toolwatch import _render_several as render
from toolwatch._capture import plain
from toolwatch._failures import Failure, failure_of
from toolwatch._messages import is_assistant, is_tool_answer, last_turn, written
from toolwatch._records import CallInfo, Delivery, Dispatch, Root, Run
from toolwatch._registry import messages_in
from toolwatch._results import Shown, shown_message
from toolwatch._session import Session
from toolwatch._signals import is_cancellation, is_hand_off, is_interrupt, is_pass_through, pause_value

Attributes = dict[str, Any]


def end_node(session: Session, run: Run, outputs: Any, error: BaseException | None) -> None:
    run.ended = True
    run.root.open_nodes.pop(run.id, None)
    if error is not None and is_hand_off(error):
        outputs, error = (error.args[0] if error.args else None), None
        outcome = "handed_off"
    else:
        outcome = _step_outcome(error)
    if outcome == "interrupted":
        run.root.paused = True
    _note_fate(run, outcome)
    answers: list[Attributes] = []
    orphans: list[Attributes] = []
    for dispatch in run.dispatches:
        _settle(session, dispatch, outcome, answers)
    if error is None:
        _take_answers(session, run, outcome, outputs, answers, orphans)
    if outcome == "interrupted" and error is not None and not (run.dispatches or run.attempts):
        run.dispatches += _asked_about(session, run, error)
    run.inputs = None
    if run.dispatches or answers or orphans:
        failure = failure_of(error) if outcome == "error" and error else None
        _send_step(session, _Ended(run, outcome, answers, orphans, failure))


def _asked_about(session: Session, run: Run, error: BaseException) -> list[Dispatch]:
    """A node before the tools, such as an approval middleware, asks a person about the calls that are due."""
    turn = last_turn(list(messages_in(run.inputs)))
    if not turn or not is_assistant(turn[0]):
        return []
    answered = {message.tool_call_id for message in turn[1:] if is_tool_answer(message)}
    asked = (plain(pause_value(error), session.ledger().shortening("interrupt")),)
    return [
        Dispatch(
            call=call,
            root=run.root,
            run=run,
            started_ns=run.started_ns,
            cause="first",
            node_attempt=None,
            unknown=False,
            interrupt=asked,
            taken_up=False,
            ended_ns=time.time_ns(),
        )
        for call in session.registry.from_message(run.root, turn[0], run.graph, "input")
        if call.kind in ("model", "input") and call.id not in answered
    ]


def _note_fate(run: Run, outcome: str) -> None:
    """A node that failed, and is not run again with success, throws its whole step away."""
    place = (run.graph, run.ns)
    if outcome in ("error", "cancelled", "handed_off"):
        run.root.broken.add(place)
    else:
        run.root.broken.discard(place)


def throw_away(root: Root, graph: object) -> None:
    """The graph has failed in its last step: nothing that was written in that step reached its state."""
    if not any(place[0] == graph for place in root.broken):
        return
    last = root.steps.get(graph)
    for call in root.calls.values():
        found = call.delivered
        if call.answer is not None and found is not None and (found.graph, found.step) == (graph, last):
            root.revoked.append(render.answer(call, call.answer, found.by, False, time.time_ns()))
            call.answer = call.delivered = None


def _step_outcome(error: BaseException | None) -> str:
    if error is None:
        return "ok"
    if is_interrupt(error):
        return "interrupted"
    return "cancelled" if is_cancellation(error) else "ok" if is_pass_through(error) else "error"


def _settle(session: Session, dispatch: Dispatch, outcome: str, answers: list[Attributes]) -> None:
    """The node has ended: what its call came to is final now, or thrown away."""
    if outcome in ("ok", "handed_off"):
        dispatch.state = "returned"
        return
    dispatch.state = "discarded"
    dispatch.call.last_end = "interrupted" if outcome == "interrupted" else "failed"
    if dispatch.message is not None:
        shown = shown_answer(session, dispatch.message, dispatch.call)
        answers.append(
            render.answer(dispatch.call, shown, _by(dispatch), False, dispatch.ended_ns or time.time_ns())
        )


def _take_answers(  # noqa: PLR0917 its parts are all different
    session: Session,
    run: Run,
    outcome: str,
    outputs: Any,
    answers: list[Attributes],
    orphans: list[Attributes],
) -> None:
    """The messages that the node wrote: answers of its own dispatches, or to calls that nobody took up."""
    found = list(written(outputs))
    for message in last_turn(found):
        if not is_tool_answer(message):
            continue
        dispatch = next((d for d in run.dispatches if d.message is message), None)
        call = (
            dispatch.call
            if dispatch
            else session.registry.for_answer(run.root, run, message.tool_call_id, found)
        )
        if call is None:
            take_orphan(session, run.root, message, orphans)
        elif call.answer is None or dispatch is not None:
            at_ns = dispatch.ended_ns if dispatch is not None else None
            by = _by(dispatch) if dispatch is not None else _writer(session, run, message, call)
            shown = _deliver(session, call, run, message)
            if outcome == "ok":
                call.delivered = Delivery(run.graph, run.step, by)
            answers.append(render.answer(call, shown, by, True, at_ns or time.time_ns()))


def _deliver(session: Session, call: CallInfo, run: Run, message: Any) -> Shown:
    call.answer = shown = shown_answer(session, message, call)
    call.step = run.step
    return shown


def shown_answer(session: Session, message: Any, call: CallInfo) -> Shown:
    return shown_message(message, session.ledger().shortening("answer", call.key))


def take_orphan(session: Session, root: Root, message: Any, orphans: list[Attributes]) -> None:
    place = (message.tool_call_id, getattr(message, "id", None) or id(message))
    if place not in root.orphans:
        root.orphans.add(place)
        shown = shown_message(message, session.ledger().shortening("answer"))
        orphans.append(render.orphan(message.tool_call_id, getattr(message, "name", None), shown))


def _by(dispatch: Dispatch) -> str:
    if dispatch.handled_by is not None:
        return dispatch.handled_by
    if dispatch.attempts:
        return "tool"
    return "toolnode" if dispatch.unknown else "wrapper"


def _writer(session: Session, run: Run, message: Any, call: CallInfo) -> str:
    """Who wrote an answer outside a ToolNode: the tool itself, when the message is what it returned."""
    made_here = any(a.call is call for a in run.attempts)
    if made_here and call.result is not None and shown_answer(session, message, call).same_text(call.result):
        return "tool"
    return run.node or "node"


class _Ended(NamedTuple):
    run: Run
    outcome: str
    answers: list[Attributes]
    orphans: list[Attributes]
    failure: Failure | None


def _send_step(session: Session, ended: _Ended) -> None:
    run, outcome, answers, orphans, failure = ended
    closing = session.closing(failure)
    span = session.sink.open(f"step {run.node or 'tools'}", run.root.context, run.started_ns)
    session.sink.close(span, lambda: render.step(run, outcome, answers, orphans, closing))


def close_loose_dispatch(session: Session, dispatch: Dispatch) -> None:
    """A ToolNode outside any run: its step is over when the dispatch is."""
    run = Run(
        dispatch, dispatch.root, None, None, None, None, None, dispatch.started_ns, dispatches=[dispatch]
    )
    answers: list[Attributes] = []
    if dispatch.error is None and dispatch.interrupt is None:
        dispatch.state = "returned"
        if dispatch.message is not None:
            shown = _deliver(session, dispatch.call, run, dispatch.message)
            answers.append(render.answer(dispatch.call, shown, _by(dispatch), True, time.time_ns()))
    else:
        dispatch.state = "discarded"
    outcome = "ok" if dispatch.state == "returned" else "interrupted" if dispatch.interrupt else "error"
    _send_step(session, _Ended(run, outcome, answers, [], dispatch.error))
