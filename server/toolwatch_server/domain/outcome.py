"""What became of a call: exactly one word of the closed list, and who handled a failure."""

from dataclasses import dataclass

from toolwatch_server.domain.answers import FROM_STATE
from toolwatch_server.domain.call import Attempt
from toolwatch_server.domain.facts import Answered, Dispatched, Requested, RunEnded, Shown
from toolwatch_server.domain.failures import failure_told

UNHANDLED = frozenset({"ok", "interrupted", "discarded", "unknown_tool", "running", "abandoned"})
NEVER_TAKEN_UP = {"provider": "external", "malformed": "malformed"}
REFUSED = frozenset({"tool_error", "invalid_args", "cancelled"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """All that bears on the outcome. Tuples are oldest first; answers are those that stand (answers.py)."""

    request: Requested | None
    attempts: tuple[Attempt, ...]
    dispatches: tuple[Dispatched, ...]
    answers: tuple[Answered, ...]
    run_ends: tuple[RunEnded, ...]
    tracked: bool
    alive: bool
    outside_graph: bool = False  # what is known of it last comes from code in no node of a graph
    shown: tuple[Shown, ...] = ()
    tool: str | None = None
    result: str | None = None

    @property
    def last(self) -> Attempt | None:
        return self.attempts[-1] if self.attempts else None

    @property
    def dispatch(self) -> Dispatched | None:
        """The last dispatch, unless a later attempt shows that another one is under way."""
        if not self.dispatches:
            return None
        dispatch = self.dispatches[-1]
        last = self.last
        superseded = (
            last is not None
            and last.span_id not in dispatch.attempts
            and last.started_ns > dispatch.started_ns
        )
        return None if superseded else dispatch

    @property
    def answer(self) -> Answered | None:
        return self.answers[-1] if self.answers else None

    @property
    def run_end(self) -> RunEnded | None:
        """How the run ended in which the call was last active; None while that run goes on."""
        if not self.run_ends:
            return None
        end = self.run_ends[-1]
        last = self.last
        return None if last is not None and last.started_ns > end.at_ns else end


def decide(e: Evidence) -> str:
    if e.request is not None and e.request.kind in NEVER_TAKEN_UP:
        return NEVER_TAKEN_UP[e.request.kind]
    last, dispatch = e.last, e.dispatch
    in_flight = dispatch is None or dispatch.ended_ns is None
    if last is not None and last.outcome in {"running", "abandoned"} and in_flight:
        return last.outcome
    if dispatch is not None and not _answered_since(e, dispatch):
        if dispatch.error is not None or dispatch.interrupt is not None:
            return _left_by_exception(dispatch, last)
        if dispatch.state == "discarded" and (last is None or last.outcome == "ok"):
            return "interrupted" if dispatch.step_outcome == "interrupted" else "discarded"
    if e.answer is None:
        return _without_answer(e) if e.tracked else _of_a_stranger(e)
    return _with_answer(e, e.answer)


def _answered_since(e: Evidence, dispatch: Dispatched) -> bool:
    """A pause, or a result thrown away, is not the end when an answer came later, by whatever way."""
    if dispatch.error is not None or e.answer is None:
        return False
    return e.answer.at_ns > (dispatch.ended_ns or dispatch.started_ns)


def _left_by_exception(dispatch: Dispatched, last: Attempt | None) -> str:
    if dispatch.interrupt is not None:
        return "interrupted"
    if last is None and (dispatch.unknown_tool or dispatch.refused):
        return "unknown_tool" if dispatch.unknown_tool else "invalid_args"
    if dispatch.error is not None and dispatch.error.type.rpartition(".")[2] == "CancelledError":
        return "cancelled"
    if last is None or last.span_id not in dispatch.attempts:
        return "unanswered" if dispatch.raised_by_wrapper else "inject_error"
    return "invalid_result" if last.outcome == "ok" else last.outcome


def _without_answer(e: Evidence) -> str:
    last = e.last
    if last is not None and last.outcome != "ok":
        return last.outcome
    if last is not None and not e.dispatches and (e.request is None or e.outside_graph):
        return "ok"  # called by hand: nobody waits for a message, or none can be seen outside a graph
    if e.run_end is None:
        return (
            "running" if e.alive else ("unanswered" if last is not None or e.outside_graph else "abandoned")
        )
    if last is not None:
        return "interrupted" if e.run_end.outcome == "interrupted" else "unanswered"
    return {"interrupted": "interrupted", "crashed": "not_started", "cancelled": "cancelled"}.get(
        e.run_end.outcome, "unanswered"
    )


def _of_a_stranger(e: Evidence) -> str:
    """Of a sender who reports neither answers nor ends of runs: its silence accuses nobody."""
    last = e.last
    if last is not None and last.outcome not in {"ok", "interrupted"}:
        return last.outcome
    told = next((s for s in e.shown if s.content is not None or s.status is not None), None)
    if told is None or (last is not None and last.outcome == "ok" and e.result is not None):
        return "unknown" if last is None else last.outcome
    failure = failure_told(told.content, told.status == "error", e.tool)
    if last is not None and last.outcome == "ok":
        return failure if failure in REFUSED else "ok"
    return failure or "answered"


def _with_answer(e: Evidence, answer: Answered) -> str:
    last, dispatch = e.last, e.dispatch
    if dispatch is not None and dispatch.unknown_tool and last is None:
        return "unknown_tool"
    if last is None or last.outcome == "interrupted":
        return "rejected" if answer.status == "error" else "answered"
    if last.outcome in REFUSED or last.outcome in {"running", "abandoned"}:
        return last.outcome
    if last.late and e.dispatches:
        return "cancelled"  # whoever called it had given up waiting, and answered without it
    if answer.status == "error":
        return "invalid_result" if e.tracked else "tool_error"
    return "ok"


def handler(e: Evidence, outcome: str) -> str | None:
    """Who turned a failure into an answer: tool, toolnode, wrapper, a node's name, or nobody."""
    if outcome in UNHANDLED or e.answer is None:
        return None
    last, dispatch = e.last, e.dispatch
    failed = last is not None and (last.outcome in REFUSED or outcome in {"cancelled", "invalid_result"})
    by = None if e.answer.by == FROM_STATE else e.answer.by
    if dispatch is not None and dispatch.error is not None:
        return by if failed else None
    if dispatch is not None and dispatch.handled_by is not None:
        return dispatch.handled_by
    if failed:
        return "wrapper" if dispatch is not None else by
    return "tool" if outcome == "tool_error" else None
