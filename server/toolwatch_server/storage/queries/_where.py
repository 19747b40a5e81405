"""The conditions of a CallFilter, shared by every question that takes one."""

from typing import Final

from sqlalchemy import ColumnElement, and_, exists, false, literal_column, select, tuple_

from toolwatch_server.domain.filters import CallFilter
from toolwatch_server.storage.dialect import having_words
from toolwatch_server.storage.engine import Reader
from toolwatch_server.storage.tables import call_redactions, call_traces, calls, orphans, repeated, reused
from toolwatch_server.storage.text import indexable

Condition = ColumnElement[bool]

# Warnings that only a look at other calls can give.
CROSS: Final[dict[str, Condition]] = {
    "repeated_call": calls.c.fingerprint.in_(select(repeated.c.fingerprint)),
    "id_reused": tuple_(calls.c.tool_call_id, calls.c.service).in_(
        select(reused.c.tool_call_id, reused.c.service)
    ),
    "orphan_answer": and_(
        calls.c.outcome == "unanswered",
        exists()
        .where(call_traces.c.call_key == calls.c.key, orphans.c.trace_id == call_traces.c.trace_id)
        .correlate(calls),
    ),
}


def conditions(db: Reader, asked: CallFilter) -> list[Condition]:
    """What a call must be to be in the answer."""
    return [*_equal(asked), *_ranges(asked), *_through_others(asked), *_words(db, asked.q)]


def _equal(asked: CallFilter) -> list[Condition]:
    names = ("tool_call_id", "tool", "service", "environment", "thread_id", "error_type")
    found = [
        calls.c[name] == indexable(value) for name in names if (value := getattr(asked, name)) is not None
    ]
    if asked.outcomes:
        found.append(calls.c.outcome.in_(asked.outcomes))
    if asked.failed is not None:
        found.append(calls.c.failed.is_(asked.failed))
    return found


def _ranges(asked: CallFilter) -> list[Condition]:
    found: list[Condition] = []
    if asked.min_attempts is not None:
        found.append(calls.c.attempts >= asked.min_attempts)
        if asked.min_attempts > 1:
            found.append(calls.c.attempts > literal_column("1"))  # so that the partial index is seen to fit
    if asked.min_duration_ms is not None:
        found.append(calls.c.duration_ms >= asked.min_duration_ms)
    if asked.since_ns is not None:
        found.append(calls.c.sort_ns >= asked.since_ns)
    if asked.until_ns is not None:
        found.append(calls.c.sort_ns < asked.until_ns)
    return found


def _through_others(asked: CallFilter) -> list[Condition]:
    found: list[Condition] = []
    for column, value in ((call_traces.c.trace_id, asked.trace_id), (call_traces.c.run_id, asked.run_id)):
        if value is not None:
            found.append(calls.c.key.in_(select(call_traces.c.call_key).where(column == indexable(value))))
    if asked.redaction is not None:
        by_rule = call_redactions.c.rule == indexable(asked.redaction)
        found.append(calls.c.key.in_(select(call_redactions.c.call_key).where(by_rule)))
    if asked.warning is not None:
        found.append(having_warning(asked.warning))
    return found


def having_warning(code: str) -> Condition:
    if code in CROSS:
        return CROSS[code]
    return and_(
        calls.c.warnings != literal_column("''"), calls.c.warnings.contains(f" {code} ", autoescape=True)
    )


def _words(db: Reader, text: str | None) -> list[Condition]:
    if text is None or not text.strip():
        return []
    ids = having_words(db, text)
    return [false() if ids is None else calls.c.id.in_(ids)]
