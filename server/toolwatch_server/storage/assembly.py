"""Compute calls anew from all their facts, under a lock on each call."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from sqlalchemy import Connection, Row, bindparam, delete, insert, select, update

from toolwatch_server.domain.assemble import assemble
from toolwatch_server.domain.call import Call
from toolwatch_server.domain.facts import Fact
from toolwatch_server.storage import cross
from toolwatch_server.storage.codec import unpack_fact
from toolwatch_server.storage.derived import columns, words
from toolwatch_server.storage.dialect import index_words, insert_new, locked, unindex
from toolwatch_server.storage.service_tables import untallied
from toolwatch_server.storage.tables import call_problems, call_redactions, calls, facts, instances
from toolwatch_server.storage.text import indexable, storable_int

T = TypeVar("T")
CHUNK: Final = 500  # keys in one statement
OPEN: Final = frozenset({"running", "abandoned"})
# What a row says between its insertion and its first assembly, a moment later in the same transaction.
_BLANK: Final = {
    "outcome": "unknown", "failed": False, "executions": 0, "attempts": 0, "sort_ns": 0, "last_ns": 0,
    "warnings": "", "redactions": 0, "assembled_ns": 0,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Known:
    """All that is stored about one call, and when the last of it came in."""

    facts: Sequence[Fact]
    received_ns: int


def chunks(items: Sequence[T], size: int = CHUNK) -> Iterator[Sequence[T]]:
    return (items[start : start + size] for start in range(0, len(items), size))


def reassemble(db: Connection, keys: Collection[str], *, now_ns: int) -> None:
    """Bring the rows of these calls up to date. Every key must have a fact."""
    for some in chunks(sorted(keys)):
        _reassemble(db, some, now_ns)


def _reassemble(db: Connection, keys: Sequence[str], now_ns: int) -> None:
    created = insert_new(db, calls, [{"key": key, **_BLANK} for key in keys], calls.c.key)
    insert_new(db, untallied, [{"call_key": key} for (key,) in sorted(created)], untallied.c.call_key)
    # In the order of keys, so that two servers never wait for each other.
    rows = db.execute(locked(select(calls).where(calls.c.key.in_(keys)).order_by(calls.c.key))).all()
    known = _known(db, keys)
    assembled = {row.key: (row, _assembled(row.key, known[row.key], now_ns)) for row in rows}
    _look_for_life(db, assembled, known, now_ns)
    _write(db, list(assembled.values()), now_ns)


def _known(db: Connection, keys: Collection[str]) -> dict[str, Known]:
    statement = select(facts.c.call_key, facts.c.kind, facts.c.body, facts.c.received_ns).where(
        facts.c.call_key.in_(keys)
    )
    said: dict[str, list[Fact]] = defaultdict(list)
    received: dict[str, int] = defaultdict(int)
    for key, kind, body, received_ns in db.execute(statement):
        said[key].append(unpack_fact(kind, body))
        received[key] = max(received[key], received_ns)
    return {key: Known(found, received[key]) for key, found in said.items()}


def _assembled(key: str, known: Known, now_ns: int, seen_ns: int = 0) -> Call:
    return assemble(key, known.facts, now_ns=now_ns, last_seen_ns=max(known.received_ns, seen_ns))


def _look_for_life(
    db: Connection, assembled: dict[str, tuple[Row[Any], Call]], known: Mapping[str, Known], now_ns: int
) -> None:
    """Calls that have not ended are judged again by the last sign of life of their process."""
    undecided = {key: indexable(call.instance_id) for key, (_, call) in assembled.items() if is_open(call)}
    wanted = {instance for instance in undecided.values() if instance is not None}
    if not wanted:
        return
    seen = select(instances.c.instance_id, instances.c.last_seen_ns).where(
        instances.c.instance_id.in_(wanted)
    )
    last_seen = {row.instance_id: row.last_seen_ns for row in db.execute(seen)}
    for key, instance in undecided.items():
        if instance in last_seen:
            assembled[key] = (assembled[key][0], _assembled(key, known[key], now_ns, last_seen[instance]))


def is_open(call: Call) -> bool:
    return call.outcome in OPEN or any(attempt.outcome in OPEN for attempt in call.attempts)


def _write(db: Connection, assembled: Sequence[tuple[Row[Any], Call]], now_ns: int) -> None:
    changes, texts, stale, left = [], [], [], set()
    for row, call in assembled:
        found, digest = words(call)
        if digest != row.words_digest:
            texts.append((row.id, found))
            stale += [row.id] if row.words_digest is not None else []
        derived = {**columns(call, now_ns=now_ns), "words_digest": digest}
        changes.append({"row_id": row.id, **derived})
        if row.fingerprint is not None and row.fingerprint != derived["fingerprint"]:
            left.add(row.fingerprint)
    names = changes[0].keys() - {"row_id"}
    statement = update(calls).where(calls.c.id == bindparam("row_id"))
    db.execute(statement.values({name: bindparam(name) for name in names}), changes)
    unindex(db, stale)
    index_words(db, texts)
    _write_problems(db, assembled)
    _write_redactions(db, assembled)
    cross.mark(db, [row.key for row, _ in assembled], left)


def _write_problems(db: Connection, assembled: Sequence[tuple[Row[Any], Call]]) -> None:
    db.execute(delete(call_problems).where(call_problems.c.call_key.in_([row.key for row, _ in assembled])))
    found = {
        (row.key, indexable(problem.field), indexable(problem.reason))
        for row, call in assembled
        for problem in call.arguments.problems
    }
    if found:
        names = ("call_key", "field", "reason")
        db.execute(insert(call_problems), [dict(zip(names, values, strict=True)) for values in found])


def _write_redactions(db: Connection, assembled: Sequence[tuple[Row[Any], Call]]) -> None:
    marked = [row.key for row, _ in assembled if row.redactions]
    if marked:
        db.execute(delete(call_redactions).where(call_redactions.c.call_key.in_(marked)))
    found = [
        {
            "call_key": row.key,
            "place": indexable(hidden.where),
            "rule": indexable(hidden.rule),
            "number": storable_int(hidden.count),
        }
        for row, call in assembled
        for hidden in call.redactions
    ]
    if found:
        db.execute(insert(call_redactions), found)
