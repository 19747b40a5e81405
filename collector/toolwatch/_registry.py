"""Finds the call that an event is about. A run is forgotten when its root ends; little is kept for pauses."""

import threading
import time
import uuid
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from typing import Any, Final

from toolwatch._keys import call_key
from toolwatch._messages import asked_for, is_assistant, is_tool_answer
from toolwatch._recent import Recent
from toolwatch._records import CallInfo, Past, Root, Run

ROOTS: Final = 2_000
CALLS: Final = 4_000  # of one root
PASTS: Final = 4_000
LOOSE: Final = 200  # calls outside any graph that are looked through for one with the same arguments


class Registry:
    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.runs: dict[object, Run] = {}
        self.past: Recent[Past] = Recent(PASTS)  # by key
        self._by_thread: Recent[CallInfo] = Recent(PASTS)  # by thread and id
        self._loose: Recent[tuple[Root, CallInfo]] = Recent(PASTS)  # by id, outside any run
        self._turns: Recent[tuple[int, int]] = Recent(
            PASTS
        )  # by scope and message: how often before, and when
        self._roots: OrderedDict[object, Root] = OrderedDict()

    # --- runs

    def add_root(self, run_id: object, root: Root) -> list[Root]:
        """Answers with roots that have to make room: their end was never seen."""
        with self.lock:
            self._roots[run_id] = root
            forgotten = [self._roots.pop(next(iter(self._roots))) for _ in range(len(self._roots) - ROOTS)]
        for old in forgotten:
            self._drop_runs(old)
        return forgotten

    def add_run(self, run: Run) -> None:
        self.runs[run.id] = run
        run.root.run_ids.add(run.id)

    def end_run(self, run_id: object) -> Run | None:
        run = self.runs.pop(run_id, None)
        if run is not None:
            run.root.run_ids.discard(run_id)
        return run

    def end_root(self, run_id: object, root: Root) -> None:
        """Forgets the root, but for what a later run of the same thread needs."""
        with self.lock:
            self._roots.pop(run_id, None)
            self._drop_runs(root)
            for call in root.calls.values():
                if call.answer is None and (call.kind in ("model", "input")):
                    if not root.is_graph:
                        self._loose[call.id, call.name] = (root, call)
                        continue
                    call.result = call.graph = call.taken_by = None
                    if call.announced:  # else the record of its dispatch, not written out yet, tells them
                        call.arguments = None
                    if call.dispatches:
                        self.past[call.key] = Past(call, call.last_end == "interrupted")
                    if root.thread_id is not None:
                        self._by_thread[root.thread_id, call.id] = call

    def _drop_runs(self, root: Root) -> None:
        for run_id in tuple(root.run_ids):
            self.runs.pop(run_id, None)
        root.run_ids.clear()

    # --- calls

    def register(self, root: Root, call: CallInfo) -> CallInfo:
        with self.lock:
            known = root.calls.get(call.key)
            if known is not None:
                return known
            root.calls[call.key] = call
            root.by_id.setdefault((call.graph, call.id), []).append(call)
            root.by_message.setdefault((call.message_id, call.id), []).append(call)
            if len(root.calls) > CALLS:
                self._forget(root, next(iter(root.calls.values())))
            if root.loose:
                self._loose[call.id, call.name] = (root, call)
            return call

    def _forget(self, root: Root, call: CallInfo) -> None:
        del root.calls[call.key]
        root.by_id[call.graph, call.id] = [c for c in root.by_id[call.graph, call.id] if c is not call]
        place = (call.message_id, call.id)
        root.by_message[place] = [c for c in root.by_message[place] if c is not call]

    def from_message(self, root: Root, message: Any, graph: object, kind: str = "model") -> list[CallInfo]:
        """All calls of an assistant message, known or new, in its order."""
        asked = asked_for(message)
        message_id = message.id if isinstance(message.id, str) else None
        before, _ = self._turns.get((root.scope, message_id)) or (0, 0)
        made_of = f"{message_id}#{before + 1}" if before else message_id
        group_id = made_of or f"group-{uuid.uuid4().hex}"
        found = []
        for position, item in enumerate(asked):
            call = CallInfo(
                key=call_key(root.scope, made_of, position, item["id"]),
                id=item["id"],
                name=item["name"],
                position=position,
                message_id=message_id,
                group_id=group_id,
                group_size=len(asked),
                kind=item["kind"] if item["kind"] != "model" else kind,
                arguments=item["arguments"],
                graph=graph,
            )
            found.append(self.register(root, call))
        return found

    def from_turn(self, root: Root, message: Any, graph: object, began_ns: int) -> list[CallInfo]:
        """The same of a message that a model has just written. An id that an earlier turn gave to its own
        message names another one; a model inside this model has told of the same."""
        if isinstance(message.id, str):
            with self.lock:
                before, told_ns = self._turns.get((root.scope, message.id)) or (-1, 0)
                times = before + 1 if told_ns <= began_ns else before
                self._turns[root.scope, message.id] = (times, time.time_ns())
        return self.from_message(root, message, graph)

    def _in_message(
        self, root: Root, message: Any, graph: object, tool_call_id: str | None
    ) -> list[CallInfo]:
        with (
            self.lock
        ):  # parallel siblings come at the same moment: the first one makes the calls of them all
            known = root.by_message.get((message.id, tool_call_id)) if message.id is not None else None
            return known or [
                c for c in self.from_message(root, message, graph, "input") if c.id == tool_call_id
            ]

    def for_dispatch(
        self, root: Root, run: Run | None, asked: Any, messages: Sequence[Any]
    ) -> CallInfo | None:
        """The call that a ToolNode takes up; None when nothing is known of it."""
        node_id = run.id if run is not None else None
        graph = run.graph if run is not None else None
        tool_call_id = asked["id"]
        message = asking(messages, tool_call_id)
        if message is not None:
            pool = self._in_message(root, message, graph, tool_call_id)
        else:
            pool = _last_group(root.by_id.get((graph, tool_call_id), ())) or _last_group(
                c for c in root.calls.values() if c.id == tool_call_id and c.kind in ("model", "input")
            )
        task = run.node_run.ns if run is not None and run.node_run is not None else None
        with self.lock:  # siblings with one id come at the same moment, and each takes up another call
            found = _untaken(pool, node_id, task, asked)
            if found is None and root.thread_id is not None:
                before = self._by_thread.get((root.thread_id, tool_call_id))
                found = self.register(root, before) if before is not None else None
            if found is not None and node_id is not None:
                found.taken_by, found.task = node_id, task
        return found

    def for_direct(
        self, root: Root, run: Run | None, tool_call_id: str | None, name: str, args: Any
    ) -> CallInfo | None:
        """The call that a tool run by hand belongs to."""
        found = self._known_direct(root, run, tool_call_id, name, args)
        node = run.node_run if run is not None else None
        if found is not None or node is None:
            return found
        message = _unanswered(messages_in(node.inputs), tool_call_id)  # asked for in an earlier run
        if message is None:
            return None
        self.from_message(root, message, node.graph, "input")
        return self._known_direct(root, run, tool_call_id, name, args)

    def _known_direct(
        self, root: Root, run: Run | None, tool_call_id: str | None, name: str, args: Any
    ) -> CallInfo | None:
        graph = run.graph if run is not None else None
        here = root.by_id.get((graph, tool_call_id), ()) if tool_call_id is not None else ()
        if tool_call_id is not None:
            pool: Iterable[CallInfo] = here or (c for c in root.calls.values() if c.id == tool_call_id)
            found = _last_group(c for c in pool if c.kind != "direct")
            free = [c for c in found if not c.attempts] or found
            return next((c for c in free if c.name == name), free[0] if free else None)
        return next(
            (
                c
                for c in root.calls.values()
                if c.kind in ("model", "input") and not c.attempts and c.name == name
                and c.graph == graph and c.arguments == args
            ),
            None,
        )  # fmt: skip

    def loose_call(self, tool_call_id: str | None, name: str, args: Any) -> tuple[Root, CallInfo] | None:
        """A call that a model asked for outside any graph."""
        if tool_call_id is not None:
            return self._loose.get((tool_call_id, name))
        return next(
            (
                (root, call)
                for root, call in self._loose.newest(LOOSE)
                if call.name == name and call.kind in ("model", "input") and not call.attempts
                and call.arguments == args
            ),
            None,
        )  # fmt: skip

    def home_of(self, root: Root, message: Any) -> Root:
        """Where the calls of a message are known: outside a graph each turn has a root of its own."""
        if root.is_graph:
            return root
        for item in asked_for(message):
            known = self._loose.get((item["id"], item["name"]))
            if known is not None and known[1].message_id == message.id:
                return known[0]
        return root

    def for_answer(self, root: Root, run: Run | None, tool_call_id: str, own: list[Any]) -> CallInfo | None:
        """The call that a message of some node answers. own: the messages written together with it."""
        graph = run.graph if run is not None else None
        message = asking(own, tool_call_id)
        if message is not None:
            pool = self._in_message(root, message, graph, tool_call_id)
        else:
            pool = _last_group(root.by_id.get((graph, tool_call_id), ())) or [
                c for c in root.calls.values() if c.id == tool_call_id
            ]
        found = next((c for c in pool if c.answer is None), pool[-1] if pool else None)
        if found is not None:
            return found
        earlier = asking(messages_in(run.inputs), tool_call_id) if run is not None else None
        if earlier is not None:
            return next(iter(self._in_message(root, earlier, graph, tool_call_id)), None)
        before = self._by_thread.get((root.thread_id, tool_call_id)) if root.thread_id is not None else None
        return self.register(root, before) if before is not None else None


def _untaken(pool: Sequence[CallInfo], node_id: object, task: str | None, asked: Any) -> CallInfo | None:
    """What this task took up before, else what none did; equal ones in their order."""
    free = [c for c in pool if c.taken_by is None or c.taken_by != node_id] or list(pool)
    exact = [c for c in free if c.name == asked["name"] and c.arguments == asked["args"]] or free
    mine = [c for c in exact if c.task is not None and c.task == task]
    return next(iter(mine or [c for c in exact if c.task is None] or exact), None)


def _unanswered(messages: Sequence[Any], tool_call_id: str | None) -> Any:
    """The latest assistant message that asks for the id; without one, for anything not yet answered."""
    if tool_call_id is not None:
        return asking(messages, tool_call_id)
    answered = {m.tool_call_id for m in messages if is_tool_answer(m)}
    for message in reversed(messages):
        if is_assistant(message) and message.tool_calls:
            return None if all(call["id"] in answered for call in message.tool_calls) else message
    return None


def _last_group(calls: Iterable[CallInfo]) -> list[CallInfo]:
    """Those that were asked for in the latest message."""
    found = list(calls)
    return [c for c in found if c.group_id == found[-1].group_id] if found else []


def asking(messages: Sequence[Any], tool_call_id: str | None) -> Any:
    """The latest assistant message that asks for the id."""
    for message in reversed(messages):
        if is_assistant(message) and _asks(message, tool_call_id):
            return message
    return None


def _asks(message: Any, tool_call_id: str | None) -> bool:
    if any(call.get("id") == tool_call_id for call in message.tool_calls):
        return True
    return bool(getattr(message, "invalid_tool_calls", None)) and any(
        call.get("id") == tool_call_id for call in message.invalid_tool_calls
    )


def messages_in(state: Any) -> Sequence[Any]:
    """The messages of a state: a dict, a list, or an object with a field of that name."""
    found = state.get("messages") if isinstance(state, dict) else state
    if not isinstance(found, list | tuple):
        found = getattr(found, "messages", None)
    return found if isinstance(found, list | tuple) else ()
