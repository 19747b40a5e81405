"""Runs of graphs and nodes: where they begin, and how the outermost one ended."""

import time
from typing import Any

from toolwatch import _render_several as render
from toolwatch._capture import plain, window
from toolwatch._failures import failure_of
from toolwatch._guard import guarded
from toolwatch._messages import asked_for, is_assistant, is_command, is_tool_answer, last_turn
from toolwatch._records import CallInfo, Root, Run
from toolwatch._registry import messages_in
from toolwatch._roots import new_root, text_or_none
from toolwatch._session import ATTEMPT, ROOT, Session
from toolwatch._signals import is_cancellation, is_interrupt, is_pass_through, is_step_limit
from toolwatch._steps import end_node, shown_answer, take_orphan, throw_away

NO_ANSWER_DUE = frozenset({"provider", "direct"})
Attributes = dict[str, Any]


@guarded
def start(
    session: Session, *, run_id: Any, parent_id: Any, name: Any, inputs: Any, metadata: dict[str, Any]
) -> None:
    up = session.registry.runs.get(parent_id)
    ns = text_or_none(metadata.get("langgraph_checkpoint_ns"))
    if up is None:
        _start_root(session, run_id=run_id, name=name, inputs=inputs, metadata=metadata, ns=ns)
        return
    run = Run(run_id, up.root, up.node_run, up.graph, ns, None, None, time.time_ns())
    if ns is not None and up.ns != ns:
        run.node_run, run.graph = run, parent_id
        run.node, run.step = text_or_none(metadata.get("langgraph_node")), metadata.get("langgraph_step")
        run.inputs = inputs
        _enter_node(up.root, run)
    session.registry.add_run(run)


def _start_root(
    session: Session, *, run_id: Any, name: Any, inputs: Any, metadata: dict[str, Any], ns: str | None
) -> None:
    root = new_root(
        session, run_id, text_or_none(name), text_or_none(metadata.get("thread_id")), ATTEMPT.get()
    )
    root.graph = run_id
    ROOT.set(root)
    root.resumes = is_command(inputs) and inputs.resume is not None
    messages = messages_in(inputs)
    if messages and is_assistant(messages[-1]) and asked_for(messages[-1]):
        root.input_message = messages[-1]
        session.foresee(item["arguments"] for item in asked_for(messages[-1]))
    for forgotten in session.registry.add_root(run_id, root):
        _close_root(session, forgotten, "cancelled", None, None)
    session.registry.add_run(Run(run_id, root, None, run_id, ns, None, None, root.started_ns))
    session.sink.warm()


def _enter_node(root: Root, run: Run) -> None:
    root.is_graph = True
    root.open_nodes[run.id] = run
    if isinstance(run.step, int):
        root.first_step = run.step if root.first_step is None else root.first_step
        root.last_step = max(root.last_step, run.step)
        if run.step > root.steps.get(run.graph, -1):  # what failed in an earlier step was got over
            root.steps[run.graph] = run.step
            root.broken = {place for place in root.broken if place[0] != run.graph}


@guarded
def end(session: Session, run_id: Any, outputs: Any = None, error: BaseException | None = None) -> None:
    run = session.registry.end_run(run_id)
    if run is None:
        return
    if run.node_run is run:
        end_node(session, run, outputs, error)
    if error is not None and run.id in run.root.steps and _loses_its_step(error):
        throw_away(run.root, run.id)
    if run.id == run.graph and run.root.id == str(run_id):
        _end_root(session, run, outputs, error)


def _loses_its_step(error: BaseException) -> bool:
    """A pause keeps what was written; the step limit strikes between steps."""
    return not is_interrupt(error) and not is_step_limit(error)


def _end_root(session: Session, run: Run, outputs: Any, error: BaseException | None) -> None:
    root = run.root
    _close_root(session, root, _run_outcome(root, error), outputs, error)
    session.registry.end_root(run.id, root)


def _run_outcome(root: Root, error: BaseException | None) -> str:
    if error is None:
        return "interrupted" if root.paused else "ok"
    if is_step_limit(error):
        return "step_limit"
    if is_interrupt(error):
        return "interrupted"
    return "cancelled" if is_cancellation(error) else "ok" if is_pass_through(error) else "crashed"


def _close_root(
    session: Session, root: Root, outcome: str, outputs: Any, error: BaseException | None
) -> None:
    for node in tuple(root.open_nodes.values()):  # nodes whose end nobody told
        end_node(session, node, None, GeneratorExit())
    if error is not None and _loses_its_step(error):
        throw_away(root, root.graph)
    root.ended = True
    asked = _asked_by_caller(session, root)
    answers, orphans = _unseen_answers(session, root, outputs)
    answers, orphans = [*root.revoked, *answers], [*root.strays, *orphans]
    awaited = root.is_graph or root.input_message is not None  # a chain's caller may still answer
    keys = tuple(
        call.key
        for call in root.calls.values()
        if awaited and call.kind not in NO_ANSWER_DUE and (call.answer is None or call.step == root.last_step)
    )
    if not (root.is_graph or root.calls or orphans):
        return
    told = render.RunContents(asked, answers, orphans, keys)
    closing = session.closing(
        failure_of(error) if error is not None and outcome not in ("ok", "interrupted") else None
    )
    session.sink.close(root.span, lambda: render.run(root, outcome, told, closing))


def _asked_by_caller(session: Session, root: Root) -> list[Attributes]:
    """Calls that came with the run's input: no model's turn tells of them."""
    if root.input_message is None:
        return []
    calls = session.registry.from_message(root, root.input_message, root.graph, "input")
    fresh = [call for call in calls if not call.announced]
    return [
        request(session, call, item)
        | {"message_id": call.message_id, "group_id": call.group_id, "group_size": call.group_size}
        for call, item in zip(calls, asked_for(root.input_message), strict=True)
        if call in fresh
    ]


def request(session: Session, call: CallInfo, item: Attributes, raw: str | None = None) -> Attributes:
    """A request whose texts are not yet redacted (docs/wire.md)."""
    call.announced = True
    arguments = item["arguments"]
    if isinstance(arguments, str):
        kept: Any = window(arguments)
    else:
        kept = plain(arguments, session.ledger().shortening("arguments", call.key))
    return {
        "key": call.key,
        "id": call.id,
        "name": call.name,
        "kind": call.kind,
        "position": call.position,
        "arguments": kept,
        "raw": raw,
        "repaired": False,
        "error": item["error"] if isinstance(item["error"], str) else None,
        "parent_key": call.parent_key,
    }


def _unseen_answers(session: Session, root: Root, outputs: Any) -> tuple[list[Attributes], list[Attributes]]:
    """Answers in the final state that no node is known to have written, such as a node cache's."""
    answers: list[Attributes] = []
    orphans: list[Attributes] = []
    turn = last_turn(list(messages_in(outputs)))
    if not turn or not is_assistant(turn[0]) or not _asked_here(root, turn[0]):
        return answers, orphans
    ids = {item["id"] for item in asked_for(turn[0])} | {told for told, _ in root.orphans}
    for message in turn[1:]:
        if not is_tool_answer(message):
            continue
        call = next((c for c in root.calls.values() if c.id == message.tool_call_id), None)
        if call is None and message.tool_call_id not in ids:
            take_orphan(session, root, message, orphans)
        elif call is not None and call.answer is None:
            call.answer = shown_answer(session, message, call)
            answers.append(render.answer(call, call.answer, "graph", True, time.time_ns()))
    return answers, orphans


def _asked_here(root: Root, message: Any) -> bool:
    ids = [item["id"] for item in asked_for(message)]
    return message is root.input_message or any((message.id, i) in root.by_message for i in ids)
