"""Which of the answers to a call stand: what was thrown away does not, and what a model was shown does."""

from collections.abc import Sequence
from dataclasses import replace

from toolwatch_server.domain.facts import Answered, Shown
from toolwatch_server.domain.sorted_facts import SortedFacts

FROM_STATE = "graph"  # found in a final state: nobody saw who wrote it, nor when


def standing(known: SortedFacts) -> tuple[Answered, ...]:
    """Oldest first; the last word counts. Empty when it was that the answer has been thrown away."""
    answers, thrown_away = known.answers, is_thrown_away(known)
    kept = () if thrown_away else tuple(a for a in answers if a.delivered is not False)
    if not kept and known.tracked:
        last = answers[-1] if answers else None
        later = [s for s in known.shown if last is None or s.at_ns > last.at_ns]
        return (_as_shown(later[0], last),) if later else ()
    seen_written = [a for a in kept if a.by != FROM_STATE]
    return tuple(
        _dated(a, known.shown) for a in kept if a.by != FROM_STATE or not _stands_for(a, seen_written)
    )


def is_thrown_away(known: SortedFacts) -> bool:
    """Whether the last thing heard of an answer is that it never reached the state."""
    return bool(known.answers) and known.answers[-1].delivered is False


def _as_shown(shown: Shown, lost: Answered | None) -> Answered:
    """A model was shown an answer that nobody was seen to deliver."""
    if lost is not None and shown.content is None:
        return replace(lost, at_ns=shown.at_ns, delivered=True)
    return Answered(
        fact_id=shown.fact_id,
        origin=shown.origin,
        at_ns=shown.at_ns,
        status=shown.status,
        content=shown.content,
        delivered=True,
    )


def _stands_for(found: Answered, written: Sequence[Answered]) -> bool:
    return any((a.status, a.bytes) == (found.status, found.bytes) for a in written)


def _dated(answer: Answered, shown: Sequence[Shown]) -> Answered:
    """An answer found at the end of a run was there when the model was shown it."""
    if answer.by != FROM_STATE or not shown:
        return answer
    return replace(answer, at_ns=min(answer.at_ns, shown[0].at_ns))
