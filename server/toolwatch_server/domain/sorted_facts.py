"""The facts about one call, told apart by kind and put in order, so that arrival plays no part."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from toolwatch_server.domain.attempts import merge_reports
from toolwatch_server.domain.facts import (
    Answered,
    Attempted,
    Dispatched,
    Fact,
    Origin,
    Requested,
    RunEnded,
    Shown,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SortedFacts:
    """Every sequence is oldest first."""

    requests: tuple[Requested, ...]
    attempts: tuple[Attempted, ...]
    dispatches: tuple[Dispatched, ...]
    questions: tuple[Dispatched, ...]  # asked of a person before anything took the call up
    answers: tuple[Answered, ...]
    shown: tuple[Shown, ...]
    run_ends: tuple[RunEnded, ...]

    @classmethod
    def of(cls, facts: Collection[Fact]) -> "SortedFacts":
        once = {fact.fact_id: fact for fact in facts}.values()
        ordered = sorted(once, key=lambda fact: (moment(fact), fact.fact_id))
        taken = sorted((f for f in ordered if isinstance(f, Dispatched)), key=_started)
        return cls(
            requests=tuple(f for f in ordered if isinstance(f, Requested)),
            attempts=merge_reports(f for f in ordered if isinstance(f, Attempted)),
            dispatches=tuple(d for d in taken if d.taken_up),
            questions=tuple(d for d in taken if not d.taken_up),
            answers=tuple(f for f in ordered if isinstance(f, Answered)),
            shown=tuple(f for f in ordered if isinstance(f, Shown)),
            run_ends=tuple(f for f in ordered if isinstance(f, RunEnded)),
        )

    def all(self) -> Iterator[Fact]:
        """Every fact, the telling ones first: whoever asks for a detail takes the first that knows it."""
        yield from self.requests
        yield from self.dispatches
        yield from self.attempts
        yield from self.questions
        yield from self.answers
        yield from self.shown
        yield from self.run_ends

    @property
    def request(self) -> Requested | None:
        return self.requests[0] if self.requests else None

    @property
    def tracked(self) -> bool:
        return any(fact.origin.tracked for fact in self.all())

    @property
    def origins(self) -> tuple[Origin, ...]:
        """Oldest first."""
        return tuple(fact.origin for fact in sorted(self.all(), key=lambda f: (moment(f), f.fact_id)))

    @property
    def latest_ns(self) -> int:
        """The last moment that any fact speaks of."""
        return max(moment(fact) for fact in self.all())


def _started(dispatch: Dispatched) -> tuple[int, str]:
    return dispatch.started_ns, dispatch.fact_id


def moment(fact: Fact) -> int:
    if isinstance(fact, Attempted | Dispatched):
        return fact.started_ns if fact.ended_ns is None else fact.ended_ns
    return fact.at_ns
