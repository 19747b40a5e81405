"""Which traces go, oldest first: those that are too old, or too many."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from sqlalchemy import Connection, Table, and_, exists, func, not_, or_, select

from toolwatch_server.domain.keeping import Rules
from toolwatch_server.storage.service_tables import pins, stripped
from toolwatch_server.storage.tables import call_traces, calls, logs, spans

_READ_AT_ONCE: Final = 500


def aged(db: Connection, rules: Rules, now_ns: int) -> Iterator[str]:
    """Traces that were last heard of too long ago."""
    if rules.days is not None:
        yield from _silent(db, rules, rules.cutoffs_ns(rules.days, now_ns))


def with_old_bodies(db: Connection, rules: Rules, now_ns: int) -> Iterator[str]:
    """Traces whose texts are too old, and still there."""
    if rules.bodies_days is not None:
        yield from _silent(db, rules, rules.cutoffs_ns(rules.bodies_days, now_ns), stripped)


def _silent(db: Connection, rules: Rules, cutoffs_ns: tuple[int, int], *but: Table) -> Iterator[str]:
    before_ns, failed_before_ns = cutoffs_ns
    for table in (spans, logs):  # some senders send log records only
        trace_id = table.c.trace_id
        wanted = [table.c.received_ns < before_ns, trace_id.is_not(None), *_quiet(trace_id, before_ns)]
        wanted += [not_(_listed(other, trace_id)) for other in (pins, *but)]
        if rules.spare_failures:
            wanted.append(or_(not_(_failed(trace_id)), and_(*_quiet(trace_id, failed_before_ns))))
        if table is logs:
            wanted.append(not_(_listed(spans.alias("any_span"), trace_id)))
        statement = select(trace_id).where(*wanted).distinct()
        with db.execute(statement.execution_options(yield_per=_READ_AT_ONCE)) as found:
            yield from found.scalars()


def _quiet(trace_id: Any, since_ns: int) -> list[Any]:
    newer = (table.alias(f"newer_{table.name}") for table in (spans, logs))
    return [not_(exists().where(n.c.trace_id == trace_id, n.c.received_ns >= since_ns)) for n in newer]


def _listed(table: Any, trace_id: Any) -> Any:
    return exists().where(table.c.trace_id == trace_id)


def _failed(trace_id: Any) -> Any:
    speaks = (call_traces.c.trace_id == trace_id, call_traces.c.call_key == calls.c.key)
    return exists().where(*speaks, calls.c.failed.is_(True))


def excess(db: Connection, rules: Rules, too_many: int) -> Iterator[tuple[str, int]]:
    """The oldest traces with their numbers of calls, until too_many calls are together; failures last."""
    trace_id, failed = spans.c.trace_id, _failed(spans.c.trace_id)
    groups = [not_(failed), failed] if rules.spare_failures else [None]
    for group in groups:
        wanted = [not_(_listed(pins, trace_id)), *([] if group is None else [group])]
        order = select(trace_id).where(*wanted).order_by(spans.c.received_ns, trace_id)
        for id_, number in _with_calls(db, order):
            if too_many <= 0:
                return
            too_many -= number
            yield id_, number


def _with_calls(db: Connection, ordered: Any) -> Iterator[tuple[str, int]]:
    seen: set[str] = set()
    with db.execute(ordered.execution_options(yield_per=_READ_AT_ONCE)) as found:
        for some in found.scalars().partitions(_READ_AT_ONCE):
            new = list(dict.fromkeys(id_ for id_ in some if id_ not in seen))
            seen.update(new)
            numbers = _calls_of(db, new)
            yield from ((id_, numbers.get(id_, 0)) for id_ in new)


def _calls_of(db: Connection, trace_ids: Sequence[str]) -> dict[str, int]:
    count = func.count(call_traces.c.call_key.distinct())
    by_trace = select(call_traces.c.trace_id, count).where(call_traces.c.trace_id.in_(trace_ids))
    return {row[0]: row[1] for row in db.execute(by_trace.group_by(call_traces.c.trace_id))}
