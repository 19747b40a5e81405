"""Put requests, executions and answers together to calls, and give each call its key.

Keys are made of what does not change while a trace arrives: the trace, the id, and how often the id was asked
for before; without an id, the place of the request, else the span of the execution.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from toolwatch_server.domain.clues import Asked, Told
from toolwatch_server.domain.link_match import Requests, asked_before, match
from toolwatch_server.domain.link_model import (
    Elsewhere,
    Execution,
    LinkedCall,
    ModelCall,
    Path,
    Request,
    digest_of,
    key_of,
    named_alike,
)
from toolwatch_server.domain.link_names import scope_of
from toolwatch_server.domain.link_tree import Tree
from toolwatch_server.domain.link_turns import Answer, answers


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    tree: Tree
    executions: tuple[Execution, ...]
    turns: tuple[ModelCall, ...]
    requests: tuple[Request, ...]
    index: Requests
    elsewhere: tuple[Elsewhere, ...]  # oldest first


def calls_of(found: Found) -> list[LinkedCall]:
    calls = {place: _requested(request, found) for place, request in enumerate(found.requests)}
    homeless: dict[str, LinkedCall] = {}
    matched = match(found.executions, found.index)
    for place, execution in enumerate(found.executions):
        if place in matched:
            request, how = matched[place]
            calls[request].executions.append((execution, how))
        else:
            call = _homeless_run(execution, found)
            known = homeless.setdefault(call.key, call)
            known.executions.append((execution, "id" if execution.said.tool_call_id else None))
    for turn in found.turns:
        for answer in answers(turn):
            owner = _told_call(turn, answer, found, calls, homeless)
            if owner is not None:
                owner.told.append((turn, answer[0]))
    _add_listed_answers(found, calls)
    _add_refusals(found, list(calls.values()))
    everything = [*_without_repetitions(calls), *homeless.values()]
    _find_parents(everything)
    return everything


def _trace(found: Found) -> str:
    return found.tree.clues[0].origin.trace_id if found.tree.clues else ""


def _requested(request: Request, found: Found) -> LinkedCall:
    known, trace = request.asked.tool_call_id, _trace(found)
    if known is not None:
        key = key_of("id", trace, known, str(request.number))
    else:
        span = request.turn.clue.span_id if request.turn is not None else ""
        key = key_of("place", trace, span, str(request.position))
    return LinkedCall(key=key, tool_call_id=known, request=request)


def _homeless_run(execution: Execution, found: Found) -> LinkedCall:
    """A run whose request this trace does not show: it may be in an earlier one of the conversation."""
    said, trace = execution.said, _trace(found)
    before = _earlier(execution, found.elsewhere)
    if before is not None:
        return LinkedCall(key=before.call_key, tool_call_id=said.tool_call_id or before.tool_call_id)
    if said.tool_call_id is None:
        return LinkedCall(key=key_of("span", trace, execution.span_id), tool_call_id=None)
    number = _number_without_request(execution, found.executions)
    return LinkedCall(key=key_of("id", trace, said.tool_call_id, number), tool_call_id=said.tool_call_id)


def _number_without_request(execution: Execution, executions: Sequence[Execution]) -> str:
    """An id that comes with other arguments, or for another tool, was given to another call."""
    said = execution.said
    kinds = dict.fromkeys(
        (e.said.tool, digest_of(e.said.arguments))
        for e in executions
        if e.said.tool_call_id == said.tool_call_id
    )
    return str(list(kinds).index((said.tool, digest_of(said.arguments))))


def _earlier(execution: Execution, elsewhere: Sequence[Elsewhere]) -> Elsewhere | None:
    said, scope = execution.said, scope_of(execution.clues[0].origin)
    if scope is None or not scope.startswith("thread"):
        return None
    arguments = digest_of(said.arguments)
    fits = [
        call
        for call in elsewhere
        if call.scope == scope
        and call.open
        and call.at_ns <= execution.start_ns
        and named_alike(call.tool, said.tool)
        and (
            call.tool_call_id == said.tool_call_id
            if said.tool_call_id is not None
            else call.tool is not None and arguments is not None and call.arguments == arguments
        )
    ]
    return fits[-1] if fits else None


def _told_call(
    turn: ModelCall, answer: Answer, found: Found,
    calls: dict[int, LinkedCall], homeless: dict[str, LinkedCall],
) -> LinkedCall | None:  # fmt: skip
    """The call that an answer in a prompt is about."""
    told, asked = answer
    place = asked_before(turn, told, found.index)
    if place is not None:
        return calls[place]
    if told.tool_call_id is None or told.tool_call_id in found.index.by_id:
        return None
    run = next((call for call in homeless.values() if call.tool_call_id == told.tool_call_id), None)
    call = run or _homeless_answer(turn, told, asked, found)
    known = homeless.setdefault(call.key, call)
    known.recalled = known.recalled or asked
    return known


def _homeless_answer(turn: ModelCall, told: Told, asked: Asked | None, found: Found) -> LinkedCall:
    """An answer whose request is in another trace: some programs give each request to a model its own."""
    scope, arguments = scope_of(turn.clue.origin), digest_of(asked.arguments) if asked else None
    fits = [
        call
        for call in found.elsewhere
        if call.scope == scope
        and call.tool_call_id == told.tool_call_id
        and call.at_ns <= turn.start_ns
        and (asked is None or (named_alike(call.tool, asked.tool) and arguments in (None, call.arguments)))
    ]
    key = fits[-1].call_key if fits else key_of("id", _trace(found), str(told.tool_call_id), "0")
    return LinkedCall(key=key, tool_call_id=told.tool_call_id)


def _add_listed_answers(found: Found, calls: dict[int, LinkedCall]) -> None:
    by_id = {
        call.tool_call_id: call
        for call in calls.values()
        if call.request is not None and call.request.turn is None and call.tool_call_id is not None
    }
    for clue in found.tree.clues:
        if clue.ledger is None:
            continue
        answered = {told.tool_call_id: told for told in clue.ledger.told}
        for asked in clue.ledger.asked:
            call = by_id.get(asked.tool_call_id) if asked.tool_call_id is not None else None
            if call is not None and call.listed is None:
                call.listed = (clue, answered.get(asked.tool_call_id))


def _add_refusals(found: Found, calls: Sequence[LinkedCall]) -> None:
    """The innermost span that failed says which call was refused: the last that was asked for inside it."""
    refusals = [clue for clue in found.tree.clues if clue.refusal is not None]
    paths = {clue.span_id: found.tree.path(clue.span_id) for clue in refusals}
    for clue in sorted(refusals, key=lambda c: -len(paths[c.span_id])):
        message = clue.refusal.error.message if clue.refusal is not None else ""
        around = len(paths[clue.span_id]) - 1
        inside = [
            call
            for call in calls
            if call.request is not None
            and (turn := call.request.turn) is not None
            and turn.path[around : around + 1] == (clue.span_id,)
            and not call.executions
            and not call.told
        ]
        named = [
            call for call in inside if call.request is not None and (call.request.asked.tool or "") in message
        ]
        if inside and not any(call.refusals for call in inside):
            (named or inside)[-1].refusals.append(clue)


def _without_repetitions(calls: dict[int, LinkedCall]) -> list[LinkedCall]:
    """A model that is stuck asks for the same again, id and all: what comes of none of it is one call."""
    kept: list[LinkedCall] = []
    last: dict[Asked, LinkedCall] = {}
    for call in calls.values():
        request = call.request
        if request is None or request.asked.tool_call_id is None:
            kept.append(call)
            continue
        before = last.get(request.asked)
        if before is not None and not call.executions and not call.told:
            before.repeated.append(request)
            before.refusals += call.refusals
        else:
            kept.append(call)
            last[request.asked] = call
    return kept


def _find_parents(calls: Sequence[LinkedCall]) -> None:
    """A call that was made while another one's tool ran, inside its span, belongs to it."""
    owners = {
        clue.span_id: call for call in calls for execution, _ in call.executions for clue in execution.clues
    }
    for call in calls:
        own = {clue.span_id for execution, _ in call.executions for clue in execution.clues}
        owner = next(
            (owners[s] for path in _paths(call) for s in reversed(path[:-1]) if s in owners and s not in own),
            None,
        )
        call.parent_key = owner.key if owner is not None and owner is not call else None


def _spans(call: LinkedCall) -> set[str]:
    return {clue.span_id for execution, _ in call.executions for clue in execution.clues}


def _paths(call: LinkedCall) -> Iterator[Path]:
    if call.request is not None and call.request.turn is not None:
        yield call.request.turn.path
    yield from (execution.path for execution, _ in call.executions)


__all__ = ["Found", "calls_of"]
