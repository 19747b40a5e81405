"""Rows of the store as rows of pages."""

from collections.abc import Iterable, Sequence

from toolwatch_server.domain.call import OUTCOMES
from toolwatch_server.domain.rows import CallRow, ErrorGroup, Leak, ToolHealth
from toolwatch_server.pages.windows import Window, spark_of
from toolwatch_web import links
from toolwatch_web.models.lists import LeakRow, ToolRow
from toolwatch_web.models.parts import Count, ErrorRow, Row
from toolwatch_web.outcomes import warning


def row_of(call: CallRow, *, new_since_ns: int | None = None, current: str | None = None) -> Row:
    """Calls later than new_since_ns are marked as new; current is the key of the call whose page this is."""
    return Row(
        key=call.key,
        tool=call.tool,
        tool_call_id=call.tool_call_id,
        outcome=call.outcome,
        failed=call.failed,
        executions=call.executions,
        attempts=call.attempts,
        at_ns=call.sort_ns,
        duration_ms=call.duration_ms,
        waited_ms=call.waited_ms,
        service=call.service,
        environment=call.environment,
        thread_id=call.thread_id,
        trace_id=call.trace_id,
        error_type=call.error_type,
        error_message=call.error_message,
        arguments=call.arguments_preview,
        answer=call.answer_preview,
        warnings=call.warnings,
        redactions=call.redactions,
        is_new=new_since_ns is not None and call.sort_ns > new_since_ns,
        is_current=call.key == current,
    )


def rows_of(
    calls: Iterable[CallRow], *, new_since_ns: int | None = None, current: str | None = None
) -> tuple[Row, ...]:
    return tuple(row_of(call, new_since_ns=new_since_ns, current=current) for call in calls)


def tool_of(health: ToolHealth, window: Window) -> ToolRow:
    return ToolRow(
        tool=health.tool,
        calls=health.calls,
        failed=health.failed,
        executions=health.executions,
        running=health.running,
        p50_ms=health.p50_ms,
        p95_ms=health.p95_ms,
        p99_ms=health.p99_ms,
        last_ns=health.last_ns,
        outcomes=outcome_counts(health.outcomes, tool=health.tool, since=f"-{window.name}"),
        problems=health.problem_fields,
        spark=spark_of(health.trend, window),
    )


def error_of(group: ErrorGroup, window: Window) -> ErrorRow:
    return ErrorRow(
        error_type=group.error_type,
        message=group.message,
        tools=group.tools,
        count=group.count,
        first_ns=group.first_ns,
        last_ns=group.last_ns,
        last_key=group.last_key,
        list_href=_failures_like(group),
        outcome=group.error_type if group.error_type in OUTCOMES else None,
        is_new=group.is_new,
        spark=spark_of(tuple((slice_, number, number) for slice_, number in group.trend), window),
    )


def leak_of(leak: Leak) -> LeakRow:
    """The link keeps to the calls whose model was told something."""
    href = links.calls(tool=leak.tool, warning="secret_reached_model", redaction=leak.rule)
    return LeakRow(tool=leak.tool, rule=leak.rule, calls=leak.calls, href=href, last_ns=leak.last_ns)


def _failures_like(group: ErrorGroup) -> str:
    """A failure without an exception is grouped by its outcome."""
    name = group.error_type
    return links.calls(outcome=name) if name in OUTCOMES else links.calls(error_type=name)


def outcome_counts(counts: Sequence[tuple[str, int]], **filters: object) -> tuple[Count, ...]:
    highest = max((number for _, number in counts), default=1)
    return tuple(
        Count(
            label=name,
            number=number,
            outcome=name,
            percent=_percent(number, highest),
            href=links.calls(outcome=name, **filters),
        )
        for name, number in counts
    )


def warning_counts(counts: Sequence[tuple[str, int]], **filters: object) -> tuple[Count, ...]:
    highest = max((number for _, number in counts), default=1)
    return tuple(
        Count(
            label=warning(code),
            number=number,
            percent=_percent(number, highest),
            href=links.calls(warning=code, **filters),
        )
        for code, number in counts
    )


def _percent(number: int, highest: int) -> float:
    return round(100 * number / max(highest, 1), 2)
