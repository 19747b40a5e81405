"""Which request an execution answers, and which request an answer belongs to."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import TypeAlias

from toolwatch_server.domain.clues import Told
from toolwatch_server.domain.link_model import (
    Execution,
    ModelCall,
    Path,
    Request,
    named_alike,
    same_arguments,
)
from toolwatch_server.domain.link_tree import common

Taken: TypeAlias = Mapping[int, Sequence[Execution]]  # by place of the request
Fits: TypeAlias = Callable[[Request, Execution], bool]


def match(executions: Sequence[Execution], requests: Sequence[Request]) -> dict[int, tuple[int, str]]:
    """By place of the execution: the place of its request, and how it was found.

    Those with an id first, then by name and arguments, then, where one of both says no arguments, by order.
    """
    found: dict[int, tuple[int, str]] = {}
    taken: dict[int, list[Execution]] = {}

    def take(place: int, request: int | None, how: str) -> None:
        if request is not None:
            found[place] = (request, how)
            taken.setdefault(request, []).append(executions[place])

    for place, execution in enumerate(executions):
        if execution.said.tool_call_id is not None:
            take(place, _by_id(execution, requests), "id")
    for how, fits in (("name_and_arguments", _equal), ("order", _unsaid)):
        for place, execution in enumerate(executions):
            if place not in found and execution.said.tool_call_id is None:
                take(place, _by_likeness(execution, requests, taken, fits), how)
    return found


def _by_id(execution: Execution, requests: Sequence[Request]) -> int | None:
    same = [
        place
        for place, request in enumerate(requests)
        if request.asked.tool_call_id == execution.said.tool_call_id
        and named_alike(request.asked.tool, execution.said.tool)
    ]
    before = [place for place in same if requests[place].start_ns <= execution.start_ns]
    return _closest(execution.path, requests, before or same[:1])


def _by_likeness(execution: Execution, requests: Sequence[Request], taken: Taken, fits: Fits) -> int | None:
    candidates = [
        place
        for place, request in enumerate(requests)
        if request.start_ns <= execution.start_ns
        and request.asked.tool is not None
        and request.asked.tool == execution.said.tool
        and fits(request, execution)
        and _free(execution, taken.get(place, ()))
    ]
    return _closest(execution.path, requests, candidates, taken)


def _closest(
    path: Path, requests: Sequence[Request], places: Iterable[int], taken: Taken | None = None
) -> int | None:
    """The request nearest in the tree, then the latest; of one turn the first that nothing has run for."""

    def rank(place: int) -> tuple[int, int, bool, int]:
        request = requests[place]
        near = common(path, request.turn.path) if request.turn is not None else -1
        return near, request.start_ns, not (taken or {}).get(place), -place

    return max(places, key=rank, default=None)


def _equal(request: Request, execution: Execution) -> bool:
    return same_arguments(request.asked.arguments, execution.said)


def _unsaid(request: Request, execution: Execution) -> bool:
    return request.asked.arguments is None or execution.said.arguments is None


def _free(execution: Execution, others: Sequence[Execution]) -> bool:
    """Whether this execution may be one of several of the same request: only the last may have succeeded."""
    line = sorted([*others, execution], key=lambda e: (e.start_ns, e.span_id))
    return all(earlier.unfinished and earlier.end_ns <= later.start_ns for earlier, later in pairwise(line))


def asked_before(turn: ModelCall, told: Told, requests: Sequence[Request]) -> int | None:
    """The place of the request that an answer in a prompt belongs to: the latest before the prompt."""
    places = [
        place
        for place, request in enumerate(requests)
        if request.turn is not None
        and request.start_ns <= turn.start_ns
        and request.turn is not turn
        and _belongs(request, told)
    ]
    return _closest(turn.path, requests, places)


def _belongs(request: Request, told: Told) -> bool:
    if told.tool_call_id is not None:
        return request.asked.tool_call_id == told.tool_call_id and named_alike(request.asked.tool, told.tool)
    return request.asked.tool_call_id is None and request.asked.tool == told.tool
