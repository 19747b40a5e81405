"""From records to rows of what never changes: raw spans and logs, facts, orphans, runs, and signs of life."""

from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from typing import Any, Final

from sqlalchemy import Column, Connection, Table

from toolwatch.conventions import RECORD
from toolwatch_server.domain.facts import Origin, Reading
from toolwatch_server.domain.record import Record
from toolwatch_server.domain.span import Span
from toolwatch_server.storage.codec import KINDS, Packer
from toolwatch_server.storage.dialect import greater, insert_new, upsert
from toolwatch_server.storage.tables import call_traces, clues, facts, instances, logs, orphans, runs, spans
from toolwatch_server.storage.text import indexable, storable, storable_int

Row = dict[str, Any]
SPAN_NAME_MAX: Final = 500


def take_in(db: Connection, records: Sequence[Record], pack: Packer) -> list[Record]:
    """Store what is new. Returns the records that were not there before."""
    new = put_in(db, records, pack)
    _note_signs_of_life(db, new)
    return new


def put_in(db: Connection, records: Sequence[Record], pack: Packer) -> list[Record]:
    """The same for records that are no sign of life, because they came long ago."""
    new = _take_raw(db, records, pack)
    for table, key, rows in _derived(new, pack):
        insert_new(db, table, _ordered(rows, *(column.name for column in key)), *key)
    return new


def derived_keys(records: Sequence[Record]) -> Iterator[tuple[Table, tuple[Column[Any], ...], set[Any]]]:
    """Where the rows of these records stand, beside the records themselves."""
    for table, key, rows in _derived(records, Packer()):
        yield table, key, {tuple(row[column.name] for column in key) for row in rows}


def _derived(
    records: Sequence[Record], pack: Packer
) -> Iterator[tuple[Table, tuple[Column[Any], ...], Iterable[Row]]]:
    readings = [record.reading for record in records]
    yield facts, (facts.c.call_key, facts.c.fact_id), _fact_rows(records, pack)
    yield clues, (clues.c.trace_id, clues.c.span_id, clues.c.source), _clue_rows(records, pack)
    traced = (call_traces.c.call_key, call_traces.c.trace_id, call_traces.c.run_id)
    yield call_traces, traced, _trace_rows(readings)
    yield orphans, (orphans.c.orphan_id,), _orphan_rows(readings, pack)
    yield runs, (runs.c.trace_id, runs.c.span_id), _run_rows(readings, pack)


def _take_raw(db: Connection, records: Sequence[Record], pack: Packer) -> list[Record]:
    """A record that comes twice in one batch is new once."""
    by_span: dict[tuple[Any, ...], Record] = {}
    by_digest: dict[tuple[Any, ...], Record] = {}
    for record in records:
        if record.span is not None:
            by_span.setdefault((indexable(record.span.trace_id), indexable(record.span.span_id)), record)
        else:
            by_digest.setdefault((sha256(record.raw).hexdigest(),), record)
    span_rows = [
        _span_row(key, record, pack) for key, record in sorted(by_span.items(), key=lambda kv: kv[0])
    ]
    log_rows = [
        _log_row(key, record, pack) for key, record in sorted(by_digest.items(), key=lambda kv: kv[0])
    ]
    new_spans = insert_new(db, spans, span_rows, spans.c.trace_id, spans.c.span_id)
    new_logs = insert_new(db, logs, log_rows, logs.c.digest)
    return [
        *(record for key, record in by_span.items() if key in new_spans),
        *(record for key, record in by_digest.items() if key in new_logs),
    ]


def _span_row(key: tuple[Any, ...], record: Record, pack: Packer) -> Row:
    span = record.span
    assert span is not None  # noqa: S101  # by_span holds no log records
    return {
        "trace_id": key[0],
        "span_id": key[1],
        "parent_span_id": indexable(span.parent_span_id),
        "name": storable(span.name[:SPAN_NAME_MAX]),
        "service": _text(span.resource.get("service.name")),
        "record": _text(span.attributes.get(RECORD)),
        "start_ns": storable_int(span.start_ns),
        "end_ns": storable_int(span.end_ns),
        "received_ns": record.received_ns,
        "raw": pack.raw(record.raw),
    }


def _log_row(key: tuple[Any, ...], record: Record, pack: Packer) -> Row:
    origin = next(_origins(record.reading), None)
    return {
        "digest": key[0],
        "trace_id": indexable(origin.trace_id) if origin else None,
        "received_ns": record.received_ns,
        "raw": pack.raw(record.raw),
    }


def _fact_rows(records: Iterable[Record], pack: Packer) -> Iterable[Row]:
    for record in records:
        for about in record.reading.facts:
            fact = about.fact
            yield {
                "call_key": indexable(about.call_key),
                "fact_id": indexable(fact.fact_id),
                "kind": KINDS[type(fact)],
                "trace_id": indexable(fact.origin.trace_id),
                "span_id": indexable(fact.origin.span_id),
                "received_ns": record.received_ns,
                "body": pack.value(fact),
            }


def _clue_rows(records: Iterable[Record], pack: Packer) -> list[Row]:
    rows = (
        {
            "trace_id": indexable(clue.origin.trace_id),
            "span_id": indexable(clue.span_id),
            "source": clue.source,
            "start_ns": storable_int(clue.start_ns),
            "received_ns": record.received_ns,
            "body": pack.value(clue),
        }
        for record in records
        for clue in record.reading.clues
    )
    return _ordered(rows, "trace_id", "span_id", "source")


def _trace_rows(readings: Iterable[Reading]) -> list[Row]:
    found = {
        (indexable(about.call_key), indexable(origin.trace_id), indexable(origin.run_id or ""))
        for reading in readings
        for about in reading.facts
        for origin in (about.fact.origin,)
    }
    return [dict(zip(("call_key", "trace_id", "run_id"), values, strict=True)) for values in sorted(found)]


def _orphan_rows(readings: Iterable[Reading], pack: Packer) -> Iterable[Row]:
    for orphan in (orphan for reading in readings for orphan in reading.orphans):
        yield {
            "orphan_id": indexable(orphan.orphan_id),
            **_place(orphan.origin),
            "tool_call_id": indexable(orphan.tool_call_id),
            "at_ns": storable_int(orphan.at_ns),
            "body": pack.value(orphan),
        }


def _run_rows(readings: Iterable[Reading], pack: Packer) -> Iterable[Row]:
    for run in (reading.run for reading in readings if reading.run is not None):
        yield {
            **_place(run.origin),
            "span_id": indexable(run.origin.span_id),
            "started_ns": storable_int(run.started_ns),
            "body": pack.value(run),
        }


def _place(origin: Origin) -> Row:
    return {"trace_id": indexable(origin.trace_id), "thread_id": indexable(origin.thread_id)}


def _note_signs_of_life(db: Connection, new: Iterable[Record]) -> None:
    found: dict[str, Row] = {}
    for record in new:
        pulse = record.reading.pulse
        origin = next(_origins(record.reading), None)
        instance = pulse.instance_id if pulse else (origin.instance_id if origin else None)
        if not instance:
            continue
        row = found.setdefault(
            indexable(instance),
            {"service": _service(record.span, origin), "last_seen_ns": 0, "dropped": 0, "missing_hooks": ""},
        )
        row["last_seen_ns"] = max(row["last_seen_ns"], record.received_ns)
        if pulse is not None:
            row["dropped"] += pulse.dropped
            row["missing_hooks"] = "\n".join(map(storable, pulse.missing_hooks)) or row["missing_hooks"]
    if found:
        _upsert_instances(db, [{"instance_id": instance, **found[instance]} for instance in sorted(found)])


def _upsert_instances(db: Connection, rows: list[Row]) -> None:
    upsert(
        db,
        instances,
        rows,
        last_seen_ns=lambda old, new: greater(old.last_seen_ns, new.last_seen_ns, db),
        dropped=lambda old, new: old.dropped + new.dropped,
        missing_hooks=lambda old, new: greater(old.missing_hooks, new.missing_hooks, db),
    )


def _origins(reading: Reading) -> Iterator[Origin]:
    yield from (about.fact.origin for about in reading.facts)
    yield from (clue.origin for clue in reading.clues)
    yield from (orphan.origin for orphan in reading.orphans)
    if reading.run is not None:
        yield reading.run.origin


def _service(span: Span | None, origin: Origin | None) -> str | None:
    return _text(span.resource.get("service.name")) if span else indexable(origin.service if origin else None)


def _text(value: object) -> str | None:
    return indexable(value) if isinstance(value, str) else None


def _ordered(rows: Iterable[Row], *key: str) -> list[Row]:
    """One row a key, in the order of keys: two servers that insert the same must not wait for each other."""
    unique = {tuple(row[name] for name in key): row for row in rows}
    return [unique[found] for found in sorted(unique)]
