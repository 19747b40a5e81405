"""Delete the texts of old traces, and keep the calls: what happened stays, what was said goes."""

from collections.abc import Callable, Sequence
from typing import Final

from sqlalchemy import Connection, Table, bindparam, delete, select, update

from toolwatch_server.domain.bare import bare
from toolwatch_server.storage.codec import Packer, unpack, unpack_clue, unpack_fact, unpack_orphan
from toolwatch_server.storage.dialect import insert_new, unindex
from toolwatch_server.storage.service_tables import stripped
from toolwatch_server.storage.tables import call_traces, calls, clues, facts, logs, orphans, spans

_AT_ONCE: Final = 200
_NO_WORDS: Final = {"arguments_preview": None, "answer_preview": None, "words_digest": None}

Shrink = Callable[[bytes], bytes]


def strip(db: Connection, trace_ids: Sequence[str], shrink: Shrink) -> None:
    """shrink: a raw span without its texts."""
    pack = Packer()
    _rewrite(db, spans, "raw", trace_ids, lambda _, body: pack.raw(shrink(unpack(body))))
    _rewrite(db, facts, "body", trace_ids, lambda kind, body: pack.value(bare(unpack_fact(kind, body))))
    _rewrite(db, orphans, "body", trace_ids, lambda _, body: pack.value(bare(unpack_orphan(body))))
    _rewrite(db, clues, "body", trace_ids, lambda _, body: pack.value(bare(unpack_clue(body))))
    db.execute(delete(logs).where(logs.c.trace_id.in_(trace_ids)))
    _forget_words(db, trace_ids)
    insert_new(db, stripped, [{"trace_id": id_} for id_ in sorted(trace_ids)], stripped.c.trace_id)


def _rewrite(
    db: Connection, table: Table, column: str, trace_ids: Sequence[str], change: Callable[[str, bytes], bytes]
) -> None:
    key = list(table.primary_key)
    kind = [table.c.kind] if "kind" in table.c else []
    found = select(*key, table.c[column].label("content"), *kind).where(table.c.trace_id.in_(trace_ids))
    mine = (name == bindparam(f"key_{name.name}") for name in key)
    statement = update(table).where(*mine).values({column: bindparam("changed")})
    rows = db.execute(found).all()
    for start in range(0, len(rows), _AT_ONCE):
        changes = [
            {f"key_{name.name}": getattr(row, name.name) for name in key}
            | {"changed": change(row.kind if kind else "", row.content)}
            for row in rows[start : start + _AT_ONCE]
        ]
        db.execute(statement, changes)


def _forget_words(db: Connection, trace_ids: Sequence[str]) -> None:
    of_them = select(call_traces.c.call_key).where(call_traces.c.trace_id.in_(trace_ids))
    ids = db.execute(select(calls.c.id).where(calls.c.key.in_(of_them))).scalars().all()
    for start in range(0, len(ids), _AT_ONCE):
        some = ids[start : start + _AT_ONCE]
        unindex(db, some)
        db.execute(update(calls).where(calls.c.id.in_(some)).values(_NO_WORDS))
