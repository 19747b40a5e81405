"""Whole calls, assembled from their facts just as the store last saw them."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from sqlalchemy import Row, func, literal, select, union_all

from toolwatch_server.domain.assemble import assemble
from toolwatch_server.domain.call import Call, Warning_
from toolwatch_server.domain.facts import Fact
from toolwatch_server.storage.codec import unpack_fact
from toolwatch_server.storage.engine import Reader
from toolwatch_server.storage.queries._where import CROSS
from toolwatch_server.storage.tables import call_traces, calls, facts, orphans

_KEYS_MAX: Final = 20  # that one warning names

_TEXTS: Final = {
    "repeated_call": "Called {count} times with the same arguments: the model may be going in circles.",
    "id_reused": "The id was given to {count} calls of this service, so it alone does not tell them apart.",
    "orphan_answer": "An answer in its trace carries an id nobody asked for ({ids}): perhaps this one's.",
}


def assembled(db: Reader, keys: Sequence[str]) -> dict[str, Call]:
    """The calls with these keys, in their order; others are left out. Two to four statements."""
    if not keys:
        return {}
    rows = {row.key: row for row in db.execute(_rows(keys))}
    said: dict[str, list[Fact]] = defaultdict(list)
    found = select(facts.c.call_key, facts.c.kind, facts.c.body).where(facts.c.call_key.in_(rows))
    for key, kind, body in db.execute(found):
        said[key].append(unpack_fact(kind, body))
    across = _cross_warnings(db, rows)
    return {
        key: _with_warnings(_assembled(rows[key], said[key]), across.get(key, []))
        for key in dict.fromkeys(keys)
        if key in rows and said[key]
    }


def _rows(keys: Sequence[str]) -> Any:
    names = ("key", "tool_call_id", "service", "fingerprint", "last_seen_ns", "assembled_ns")
    flags = (condition.label(code) for code, condition in CROSS.items())
    return select(*(calls.c[name] for name in names), *flags).where(calls.c.key.in_(keys))


def _assembled(row: Row[Any], known: list[Fact]) -> Call:
    # With the moment and the sign of life that the store judged by, so that lists and pages agree.
    return assemble(row.key, known, now_ns=row.assembled_ns, last_seen_ns=row.last_seen_ns)


def _with_warnings(call: Call, across: list[Warning_]) -> Call:
    return replace(call, warnings=(*call.warnings, *across)) if across else call


def _cross_warnings(db: Reader, rows: dict[str, Row[Any]]) -> dict[str, list[Warning_]]:
    found: dict[str, list[Warning_]] = defaultdict(list)
    flagged = {code: [row for row in rows.values() if row._mapping[code]] for code in CROSS}
    groups = _groups(db, flagged["repeated_call"], flagged["id_reused"])
    for code, subject in (("repeated_call", _repetition), ("id_reused", _identity)):
        for row in flagged[code]:
            count, others = groups.get(subject(row), (1, []))
            others = [key for key in others if key != row.key]
            found[row.key].append(
                Warning_(code=code, text=_TEXTS[code].format(count=count), keys=tuple(others))
            )
    for key, ids in _orphans(db, [row.key for row in flagged["orphan_answer"]]).items():
        text = _TEXTS["orphan_answer"].format(ids=", ".join(sorted(ids)))
        found[key].append(Warning_(code="orphan_answer", text=text))
    return found


def _repetition(row: Row[Any]) -> tuple[str, str]:
    return "", row.fingerprint


def _identity(row: Row[Any]) -> tuple[str, str]:
    return row.service, row.tool_call_id


Groups = dict[tuple[str, str], tuple[int, list[str]]]


def _groups(db: Reader, again: Sequence[Row[Any]], reused: Sequence[Row[Any]]) -> Groups:
    """For each fingerprint, and each id of a service: how many calls, and the keys of the newest."""
    if not again and not reused:
        return {}
    by_fingerprint = _newest(
        literal("").label("scope"), calls.c.fingerprint, {row.fingerprint for row in again}
    )
    by_id = _newest(
        calls.c.service.label("scope"), calls.c.tool_call_id, {row.tool_call_id for row in reused}
    )
    groups: Groups = {}
    for scope, subject, key, count in db.execute(union_all(by_fingerprint, by_id)):
        groups.setdefault((scope, subject), (count, []))[1].append(key)
    return groups


def _newest(scope: Any, subject: Any, wanted: set[str]) -> Any:
    together = (scope.element, subject)
    numbered = (
        select(
            scope,
            subject.label("subject"),
            calls.c.key,
            func.count().over(partition_by=together).label("count"),
            func.row_number().over(partition_by=together, order_by=calls.c.sort_ns.desc()).label("place"),
        )
        .where(subject.in_(wanted), scope.element.is_not(None))
        .subquery()
    )
    columns = (numbered.c.scope, numbered.c.subject, numbered.c.key, numbered.c.count)
    return select(*columns).where(numbered.c.place <= _KEYS_MAX + 1)


def _orphans(db: Reader, keys: Sequence[str]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = defaultdict(set)
    if keys:
        joined = select(call_traces.c.call_key, orphans.c.tool_call_id).join(
            orphans, orphans.c.trace_id == call_traces.c.trace_id
        )
        for key, tool_call_id in db.execute(joined.where(call_traces.c.call_key.in_(keys))):
            found[key].add(tool_call_id)
    return found
