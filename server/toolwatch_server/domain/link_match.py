"""Which request an execution answers, and which request an answer belongs to."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, TypeAlias

from toolwatch_server.domain.clues import Told
from toolwatch_server.domain.link_model import (
    Execution,
    ModelCall,
    Path,
    Request,
    digest_of,
    named_alike,
    same_arguments,
)
from toolwatch_server.domain.link_tree import common

Taken: TypeAlias = Mapping[int, Sequence[Execution]]  # by place of the request
_LOOKED_AT: Final = 100  # requests of one tool that are compared in full, the latest before the execution


@dataclass(frozen=True, slots=True)
class Requests:
    """All requests of a trace, oldest first, and their places by what they are looked for."""

    all: Sequence[Request]
    by_id: Mapping[str, Sequence[int]]
    by_tool: Mapping[str, Sequence[int]]
    exact: Mapping[tuple[str, str | None], Sequence[int]]  # by tool and digest of the arguments

    @classmethod
    def of(cls, requests: Sequence[Request]) -> "Requests":
        by_id, by_tool = defaultdict[str, list[int]](list), defaultdict[str, list[int]](list)
        exact = defaultdict[tuple[str, str | None], list[int]](list)
        for place, request in enumerate(requests):
            asked = request.asked
            if asked.tool_call_id is not None:
                by_id[asked.tool_call_id].append(place)
            if asked.tool is not None:
                by_tool[asked.tool].append(place)
                exact[asked.tool, digest_of(asked.arguments)].append(place)
        return cls(requests, by_id, by_tool, exact)

    def before(self, places: Sequence[int], start_ns: int, most: int | None = None) -> list[int]:
        """Those of the places that had started by then; of many, the latest."""
        started = [place for place in places if self.all[place].start_ns <= start_ns]
        return started if most is None else started[-most:]

    def closest(self, path: Path, places: Iterable[int], taken: Taken | None = None) -> int | None:
        """The request nearest in the tree, then the latest; of one turn the first nothing has run for."""

        def rank(place: int) -> tuple[int, int, bool, int]:
            request = self.all[place]
            near = common(path, request.turn.path) if request.turn is not None else -1
            return near, request.start_ns, not (taken or {}).get(place), -place

        return max(places, key=rank, default=None)


def match(executions: Sequence[Execution], requests: Requests) -> dict[int, tuple[int, str]]:
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
    for how, likely in (("name_and_arguments", _exact), ("name_and_arguments", _alike), ("order", _unsaid)):
        for place, execution in enumerate(executions):
            if place not in found and execution.said.tool_call_id is None and execution.said.tool is not None:
                free = [p for p in likely(requests, execution) if _free(execution, taken.get(p, ()))]
                take(place, requests.closest(execution.path, free, taken), how)
    return found


def _by_id(execution: Execution, requests: Requests) -> int | None:
    same = [
        place
        for place in requests.by_id.get(execution.said.tool_call_id or "", ())
        if named_alike(requests.all[place].asked.tool, execution.said.tool)
    ]
    return requests.closest(execution.path, requests.before(same, execution.start_ns) or same[:1])


def _exact(requests: Requests, execution: Execution) -> list[int]:
    said = execution.said
    if said.arguments is None or said.sole_argument:
        return []
    same = requests.exact.get((said.tool or "", digest_of(said.arguments)), ())
    return requests.before(same, execution.start_ns)


def _alike(requests: Requests, execution: Execution) -> list[int]:
    said = execution.said
    near = requests.before(requests.by_tool.get(said.tool or "", ()), execution.start_ns, _LOOKED_AT)
    return [place for place in near if same_arguments(requests.all[place].asked.arguments, said)]


def _unsaid(requests: Requests, execution: Execution) -> list[int]:
    said = execution.said
    near = requests.before(requests.by_tool.get(said.tool or "", ()), execution.start_ns, _LOOKED_AT)
    return [place for place in near if None in (requests.all[place].asked.arguments, said.arguments)]


def _free(execution: Execution, others: Sequence[Execution]) -> bool:
    """Whether this execution may be one of several of the same request: only the last may have succeeded."""
    line = sorted([*others, execution], key=lambda e: (e.start_ns, e.span_id))
    return all(earlier.unfinished and earlier.end_ns <= later.start_ns for earlier, later in pairwise(line))


def asked_before(turn: ModelCall, told: Told, requests: Requests) -> int | None:
    """The place of the request that an answer in a prompt belongs to: the latest before the prompt."""
    if told.tool_call_id is not None:
        same = requests.by_id.get(told.tool_call_id, ())
    else:
        same = requests.by_tool.get(told.tool or "", ())
    places = [
        place
        for place in requests.before(same, turn.start_ns, _LOOKED_AT)
        if (request := requests.all[place]).turn is not None
        and request.turn is not turn
        and request.asked.tool_call_id == told.tool_call_id
        and named_alike(request.asked.tool, told.tool)
    ]
    return requests.closest(turn.path, places)
