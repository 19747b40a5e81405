"""Link the clues of each trace that has changed, and put what follows in the place of what followed before.

The cost of a trace that arrives span by span is bounded: of more clues than LINKED_MAX, those around what is
new are linked, and only what follows for the spans from there on is replaced.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Final

from sqlalchemy import Connection, delete, func, insert, select, tuple_

from toolwatch_server.domain.clues import Clue
from toolwatch_server.domain.link import link, without
from toolwatch_server.domain.link_model import Elsewhere, Linked, Name
from toolwatch_server.storage.assembly import chunks
from toolwatch_server.storage.codec import KINDS, Packer, unpack_clue
from toolwatch_server.storage.dialect import insert_new, lock_traces
from toolwatch_server.storage.tables import call_traces, calls, clues, facts, link_names, spans
from toolwatch_server.storage.text import indexable, storable_int

LINKED_MAX: Final = 3_000  # clues of one trace
_ELSEWHERE_MAX: Final = 200  # calls of other traces that are looked at, the newest
_TRACES_MAX: Final = 200  # that one batch may link again because they go on with a call of its traces

Row = dict[str, Any]


def relink(
    db: Connection, trace_ids: Collection[str], pack: Packer, since: Mapping[str, int] | None = None
) -> set[str]:
    """Returns the keys of the calls whose facts changed; some may have none left.

    since: the earliest start of what is new in each trace.
    """
    known = _with_clues(db, trace_ids)
    waiting, done = sorted(known), 0
    lock_traces(db, waiting)
    changed: set[str] = set()
    while waiting and done < len(known) + _TRACES_MAX:
        trace_id = waiting.pop(0)
        done += 1
        keys, moved = _relink(db, trace_id, pack, (since or {}).get(trace_id))
        changed |= keys
        if moved:
            followers = _followers(db, trace_id, moved)
            waiting += [other for other in followers if other not in waiting]
    return changed


def _with_clues(db: Connection, trace_ids: Collection[str]) -> set[str]:
    found: set[str] = set()
    for some in chunks(sorted(trace_ids)):
        found.update(
            db.execute(select(clues.c.trace_id).where(clues.c.trace_id.in_(some)).distinct()).scalars()
        )
    return found


def _relink(db: Connection, trace_id: str, pack: Packer, since_ns: int | None) -> tuple[set[str], list[Name]]:
    context, rows = _loaded(db, trace_id, since_ns)
    found = [unpack_clue(row.body) for row in (*context, *rows)]
    received = {row.span_id: row.received_ns for row in rows}
    linked = _linked(db, trace_id, found)
    only = set(received) if context else None
    changed = _replace_facts(db, trace_id, linked, received, pack, only=only)
    return changed, _replace_names(db, trace_id, linked.names, whole=not context)


def _loaded(db: Connection, trace_id: str, since_ns: int | None) -> tuple[Sequence[Any], Sequence[Any]]:
    """What comes before, of a trace too large to link as a whole, and what is to be linked."""
    c = clues.c
    of_it = select(c.body, c.span_id, c.received_ns).where(c.trace_id == trace_id)
    number = db.execute(select(func.count()).where(c.trace_id == trace_id)).scalar_one()
    if number <= LINKED_MAX:
        return (), db.execute(of_it).all()
    half, newest_first = LINKED_MAX // 2, (c.start_ns.desc(), c.span_id.desc())
    if since_ns is None:
        newest = select(c.start_ns).where(c.trace_id == trace_id).order_by(*newest_first)
        since_ns = db.execute(newest.offset(half).limit(1)).scalar_one()
    before = of_it.where(c.start_ns < since_ns).order_by(*newest_first).limit(half)
    after = of_it.where(c.start_ns >= since_ns).order_by(c.start_ns, c.span_id).limit(half)
    return db.execute(before).all(), db.execute(after).all()


def _linked(db: Connection, trace_id: str, found: Sequence[Clue]) -> Linked:
    statement = select(spans.c.span_id, spans.c.parent_span_id).where(spans.c.trace_id == trace_id)
    parents = {row.span_id: row.parent_span_id for row in db.execute(statement)}
    linked = link(found, parents)
    homeless = [name for name in linked.names if name.homeless]
    elsewhere = _elsewhere(db, trace_id, homeless) if homeless else []
    if elsewhere:
        linked = link(found, parents, elsewhere)
    return without(linked, _told_by_us(db, trace_id))


def _told_by_us(db: Connection, trace_id: str) -> set[tuple[str, str | None]]:
    """Id and tool of the calls of this trace that our own collector reports."""
    ours = (
        select(calls.c.tool_call_id, calls.c.tool)
        .join(call_traces, call_traces.c.call_key == calls.c.key)
        .join(facts, facts.c.call_key == calls.c.key)
        .where(call_traces.c.trace_id == trace_id, facts.c.linked.is_(False), calls.c.tool_call_id != "")
    )
    return {(row.tool_call_id, row.tool) for row in db.execute(ours.distinct())}


def _elsewhere(db: Connection, trace_id: str, homeless: Iterable[Name]) -> list[Elsewhere]:
    """Calls of other traces that the homeless ones may go on with."""
    c = link_names.c
    wanted = {(name.scope, name.tool_call_id, name.tool) for name in homeless}
    found: dict[tuple[str, str], Elsewhere] = {}
    for scope, tool_call_id, tool in sorted(wanted, key=repr):
        like = (
            c.tool_call_id == indexable(tool_call_id)
            if tool_call_id is not None
            else c.tool == indexable(tool)
        )
        rows = db.execute(
            select(link_names)
            .where(c.scope == indexable(scope), like, c.trace_id != trace_id)
            .order_by(c.at_ns.desc(), c.call_key)
            .limit(_ELSEWHERE_MAX)
        )
        for row in rows:
            found[row.trace_id, row.call_key] = Elsewhere(
                call_key=row.call_key, scope=scope, at_ns=row.at_ns, tool=row.tool,
                tool_call_id=row.tool_call_id, arguments=row.arguments, open=row.open,
            )  # fmt: skip
    return list(found.values())


def _followers(db: Connection, trace_id: str, moved: Iterable[Name]) -> list[str]:
    """Other traces whose homeless calls may go on with one of these."""
    c, found = link_names.c, set[str]()
    for name in moved:
        like = [c.tool == indexable(name.tool), c.tool_call_id.is_(None)]
        same = select(c.trace_id).where(
            c.scope == indexable(name.scope), c.homeless.is_(True), c.trace_id != trace_id,
            c.at_ns >= storable_int(name.at_ns),
        )  # fmt: skip
        found.update(db.execute(same.where(*like).limit(_TRACES_MAX)).scalars())
        if name.tool_call_id is not None:
            by_id = same.where(c.tool_call_id == indexable(name.tool_call_id))
            found.update(db.execute(by_id.limit(_TRACES_MAX)).scalars())
    return sorted(found)


def _replace_names(db: Connection, trace_id: str, names: Sequence[Name], *, whole: bool) -> list[Name]:
    """Returns those that are new or different, and those that are gone."""
    c = link_names.c
    stored = {
        row.call_key: _name(row) for row in db.execute(select(link_names).where(c.trace_id == trace_id))
    }
    wanted = {name.call_key: name for name in names}
    moved = [name for key, name in stored.items() if wanted.get(key) != name and (whole or key in wanted)]
    fresh = [name for key, name in wanted.items() if stored.get(key) != name]
    for some in chunks([name.call_key for name in moved]):
        db.execute(delete(link_names).where(c.trace_id == trace_id, c.call_key.in_(some)))
    if fresh:
        db.execute(insert(link_names), [_name_row(trace_id, name) for name in fresh])
    return [*moved, *fresh]


def _name(row: Any) -> Name:
    return Name(
        call_key=row.call_key, scope=row.scope, at_ns=row.at_ns, tool=row.tool, tool_call_id=row.tool_call_id,
        arguments=row.arguments, open=row.open, homeless=row.homeless,
    )  # fmt: skip


def _name_row(trace_id: str, name: Name) -> Row:
    return {
        "trace_id": trace_id,
        "call_key": name.call_key,
        "scope": indexable(name.scope),
        "at_ns": storable_int(name.at_ns),
        "tool": indexable(name.tool),
        "tool_call_id": indexable(name.tool_call_id),
        "arguments": name.arguments,
        "open": name.open,
        "homeless": name.homeless,
    }


def _replace_facts(
    db: Connection, trace_id: str, linked: Linked, received: dict[str, int], pack: Packer,
    *, only: set[str] | None,
) -> set[str]:  # fmt: skip
    """only: the spans that were linked, when not all were; facts from others stay."""
    rows = _rows(trace_id, linked, received, pack)
    wanted = {
        (row["call_key"], row["fact_id"]): row for row in rows if only is None or row["span_id"] in only
    }
    columns = (facts.c.call_key, facts.c.fact_id, facts.c.span_id, facts.c.body)
    stored = {
        (row.call_key, row.fact_id): row.body
        for row in db.execute(select(*columns).where(facts.c.trace_id == trace_id, facts.c.linked.is_(True)))
        if only is None or row.span_id in only
    }
    gone = [name for name, body in stored.items() if name not in wanted or wanted[name]["body"] != body]
    new = [row for name, row in sorted(wanted.items()) if stored.get(name) != row["body"]]
    for some in chunks(gone):
        db.execute(delete(facts).where(tuple_(facts.c.call_key, facts.c.fact_id).in_(some)))
    insert_new(db, facts, new, facts.c.fact_id)
    changed = {key for key, _ in gone} | {row["call_key"] for row in new}
    _replace_traces(db, trace_id, changed, linked)
    return changed


def _rows(trace_id: str, linked: Linked, received: dict[str, int], pack: Packer) -> Iterable[Row]:
    for about in linked.facts:
        fact = about.fact
        yield {
            "call_key": about.call_key,
            "fact_id": indexable(fact.fact_id),
            "kind": KINDS[type(fact)],
            "trace_id": trace_id,
            "span_id": indexable(fact.origin.span_id),
            "received_ns": received.get(fact.origin.span_id, 0),
            "body": pack.value(fact),
            "linked": True,
        }


def _replace_traces(db: Connection, trace_id: str, changed: set[str], linked: Linked) -> None:
    for some in chunks(sorted(changed)):
        of_them = call_traces.c.trace_id == trace_id, call_traces.c.call_key.in_(some)
        db.execute(delete(call_traces).where(*of_them))
    runs = {
        (about.call_key, indexable(about.fact.origin.run_id or ""))
        for about in linked.facts
        if about.call_key in changed
    }
    rows = [{"call_key": key, "trace_id": trace_id, "run_id": run} for key, run in sorted(runs)]
    insert_new(db, call_traces, rows, call_traces.c.call_key)
