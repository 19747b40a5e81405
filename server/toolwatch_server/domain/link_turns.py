"""What the models of a trace asked for: each request once, however many records tell of it."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TypeAlias

from toolwatch_server.domain.clues import Asked, Clue, Told, Turn
from toolwatch_server.domain.link_model import Execution, ModelCall, Request, named_alike
from toolwatch_server.domain.link_tree import Tree

RECENT = 50  # requests without an id that another record may have told of already
Answer: TypeAlias = tuple[Told, Asked | None]  # and the request that the prompt repeats for it


def turns_of(tree: Tree) -> tuple[ModelCall, ...]:
    """Oldest first. Log records about a span are put together with it, in the order of their messages."""
    spans: dict[str, list[Clue]] = defaultdict(list)
    for clue in tree.clues:
        if clue.turn is not None:
            spans[clue.span_id].append(clue)
    turns = (_turn(clues, tree) for clues in spans.values())
    return tuple(sorted(turns, key=lambda t: (t.start_ns, t.clue.span_id)))


def _turn(clues: list[Clue], tree: Tree) -> ModelCall:
    ordered = sorted(clues, key=lambda c: (c.source != "span", c.turn.place_ns if c.turn else 0, c.source))
    own = ordered[0]
    start_ns = own.start_ns if own.source == "span" else min(c.start_ns for c in ordered)
    end_ns = own.end_ns if own.source == "span" else max(c.end_ns for c in ordered)
    said = [clue.turn for clue in ordered if clue.turn is not None]
    return ModelCall(
        clue=replace(own, start_ns=start_ns, end_ns=end_ns), path=tree.path(own.span_id), said=_whole(said)
    )


def _whole(said: list[Turn]) -> Turn:
    if len(said) == 1:
        return said[0]
    prompt = [turn for turn in said if turn.from_prompt]
    last = max((i for i, turn in enumerate(prompt) if turn.recalled), default=0)
    news = [*(turn for turn in said if not turn.from_prompt), *prompt[last:]]
    return replace(
        said[0],
        asked=_once(call for turn in said for call in turn.asked),
        recalled=_once(call for turn in news for call in turn.recalled),
        told=tuple(dict.fromkeys(answer for turn in news for answer in turn.told)),
        finish_reason=next((turn.finish_reason for turn in said if turn.finish_reason), None),
    )


def _once(asked: Iterable[Asked]) -> tuple[Asked, ...]:
    """A call with an id is listed once, with the first arguments that are known."""
    found: dict[object, Asked] = {}
    for place, call in enumerate(asked):
        name = call.tool_call_id or place
        known = found.get(name)
        found[name] = call if known is None or known.arguments is None else known
    return tuple(found.values())


def requests_of(
    tree: Tree, turns: Sequence[ModelCall], executions: Sequence[Execution]
) -> tuple[Request, ...]:
    """Oldest first, numbered by id."""
    tools = {clue.span_id for execution in executions for clue in execution.clues}
    found: list[Request] = []
    by_id: dict[str, list[Request]] = defaultdict(list)
    for turn in turns:
        for position, asked in enumerate(turn.said.asked):
            if _told_before(asked, turn, found, by_id, tools):
                continue
            size = len(turn.said.asked)
            _add(found, by_id, Request(asked=asked, turn=turn, position=position, group_size=size))
    _add_recalled(turns, found, by_id)
    _add_listed(tree, found, by_id)
    return tuple(found)


def _add(found: list[Request], by_id: dict[str, list[Request]], request: Request) -> None:
    known = by_id[request.asked.tool_call_id] if request.asked.tool_call_id is not None else []
    numbered = replace(request, number=len(known))
    found.append(numbered)
    known.append(numbered)


def _told_before(
    asked: Asked, turn: ModelCall, found: list[Request], by_id: dict[str, list[Request]], tools: set[str]
) -> bool:
    """Whether a span around this one, of the same request to the model, has said so already."""
    same = by_id[asked.tool_call_id] if asked.tool_call_id is not None else found[-RECENT:]
    return any(
        request.turn is not None
        and _around(request.turn, turn, tools)
        and request.asked.tool_call_id == asked.tool_call_id
        and (asked.tool_call_id is not None or request.asked == asked)
        for request in same
    )


def _around(outer: ModelCall, inner: ModelCall, tools: set[str]) -> bool:
    """Whether one span of a model lies inside another, with no tool between that has a model of its own."""
    depth = len(outer.path)
    if len(inner.path) <= depth or inner.path[depth - 1] != outer.path[-1]:
        return False
    return not any(span_id in tools for span_id in inner.path[depth:-1])


def _add_recalled(turns: Sequence[ModelCall], found: list[Request], by_id: dict[str, list[Request]]) -> None:
    """Some senders do not write what a model asked for, but the next prompt repeats it."""
    for place, turn in enumerate(turns):
        before = turns[place - 1] if place else None
        if before is None or before.said.asked:
            continue
        new = [call for call in turn.said.recalled if not by_id.get(call.tool_call_id or "")]
        for position, asked in enumerate(call for call in new if call.tool_call_id is not None):
            _add(found, by_id, Request(asked=asked, turn=before, position=position, group_size=len(new)))


def _add_listed(tree: Tree, found: list[Request], by_id: dict[str, list[Request]]) -> None:
    for clue in tree.clues:
        for position, asked in enumerate(clue.ledger.asked if clue.ledger is not None else ()):
            if asked.tool_call_id is not None and not by_id.get(asked.tool_call_id):
                _add(found, by_id, Request(asked=asked, turn=None, position=position))


def answers(turn: ModelCall) -> Iterable[Answer]:
    """What a prompt tells."""
    by_id = {call.tool_call_id: call for call in turn.said.recalled if call.tool_call_id is not None}
    for told in turn.said.told:
        asked = by_id.get(told.tool_call_id) if told.tool_call_id is not None else None
        if asked is None or named_alike(asked.tool, told.tool):
            yield told, asked
