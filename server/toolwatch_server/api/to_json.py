"""Calls, spans and figures as the API's JSON. Every key is always there; null means "not known"."""

import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, TypeAlias

from toolwatch_server.api.times import rfc3339
from toolwatch_server.domain.call import Arguments, Attempt, Call, Error
from toolwatch_server.domain.facts import Orphan, Run
from toolwatch_server.domain.rows import CallRow, StoreStatus, ToolHealth, TraceView
from toolwatch_server.domain.span import Span
from toolwatch_server.domain.verdict import verdict

Json: TypeAlias = dict[str, Any]


def call_json(call: Call) -> Json:
    return {
        "key": call.key,
        "tool_call_id": call.tool_call_id,
        "tool": call.tool,
        "framework": call.framework,
        "sdk": call.sdk,
        "service": call.service,
        "environment": call.environment,
        "agent": call.agent,
        "node": call.node,
        "thread_id": call.thread_id,
        "run_id": call.run_id,
        "trace_id": call.trace_id,
        "trace_ids": list(call.trace_ids),
        "span_id": call.span_id,
        "message_id": call.message_id,
        "parent_key": call.parent_key,
        "position": call.position,
        "group": None if call.group is None else {"id": call.group.id, "size": call.group.size},
        **_verdict(call),
        **_times(call),
        "executions": call.executions,
        "attempts": [_attempt(attempt) for attempt in call.attempts],
        "arguments": _arguments(call.arguments),
        "result": call.result,
        "error": _error(call.error),
        "answer": _answer(call),
        "told": call.told,
        "redactions": [asdict(redaction) for redaction in call.redactions],
        "warnings": [{"code": w.code, "text": w.text, "keys": list(w.keys)} for w in call.warnings],
        "sizes": {"arguments": call.arguments_bytes, "result": call.result_bytes},
        "finish_reason": call.finish_reason,
        "run_outcome": call.run_outcome,
        "linked_by": call.linked_by,
    }


def trace_json(view: TraceView) -> Json:
    """What a trace and a thread have in common."""
    found = {(w.code, w.text): w for call in view.calls for w in call.warnings}
    return {
        "calls": [call_json(call) for call in view.calls],
        "spans": [span_json(span) for span in view.spans],
        "spans_total": view.spans_total,
        "orphans": [_orphan(orphan) for orphan in view.orphans],
        "runs": [_run(run) for run in view.runs],
        "warnings": [
            {"code": w.code, "text": w.text, "keys": [c.key for c in view.calls if w in c.warnings]}
            for w in found.values()
        ],
    }


def span_json(span: Span) -> Json:
    return {
        "trace_id": span.trace_id,
        "span_id": span.span_id,
        "parent_span_id": span.parent_span_id or None,
        "name": span.name,
        "kind": span.kind,
        "started_at": _moment(span.start_ns or None),
        "ended_at": _moment(span.end_ns or None),
        "duration_ms": (span.end_ns - span.start_ns) / 1e6 if span.start_ns and span.end_ns else None,
        "status": {"code": span.status_code, "message": span.status_message},
        "service": plain(span.resource.get("service.name")),
        "scope": span.scope_name,
        "attributes": plain(span.attributes),
        "resource": plain(span.resource),
        "events": [
            {"name": e.name, "at": _moment(e.time_ns), "attributes": plain(e.attributes)} for e in span.events
        ],
    }


def tool_json(health: ToolHealth) -> Json:
    return {
        "tool": health.tool,
        "calls": health.calls,
        "failed": health.failed,
        "failure_share": health.failed / health.calls if health.calls else None,
        "executions": health.executions,
        "running": health.running,
        "p50_ms": health.p50_ms,
        "p95_ms": health.p95_ms,
        "p99_ms": health.p99_ms,
        "last_at": _moment(health.last_ns),
        "outcomes": dict(health.outcomes),
        "problem_fields": [
            {"field": field, "reason": reason, "count": count}
            for field, reason, count in health.problem_fields
        ],
    }


def row_ref(row: CallRow) -> Json:
    """Enough of a neighbouring call to say what it was and to follow it."""
    return {
        "key": row.key,
        "tool_call_id": row.tool_call_id,
        "tool": row.tool,
        "position": row.position,
        "outcome": row.outcome,
        "failed": row.failed,
        "executions": row.executions,
        "started_at": _moment(row.started_ns),
        "duration_ms": row.duration_ms,
    }


def store_json(status: StoreStatus) -> Json:
    return {
        "database": {
            "kind": status.database,
            "location": status.location,
            "schema_revision": status.schema_revision,
            "size_bytes": status.size_bytes,
        },
        "calls": status.calls,
        "spans": status.spans,
        "oldest_at": _moment(status.oldest_ns),
        "newest_at": _moment(status.newest_ns),
        "instances": [
            {
                "instance_id": instance.instance_id,
                "service": instance.service,
                "last_seen_at": _moment(instance.last_seen_ns),
                "dropped": instance.dropped,
                "missing_hooks": list(instance.missing_hooks),
            }
            for instance in status.instances
        ],
    }


def plain(value: Any) -> Any:
    """A value that JSON can hold: no NaN, bytes as hex."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, str | int | float | bool | None):
        return value
    if isinstance(value, Sequence):
        return [plain(item) for item in value]
    return {str(name): plain(item) for name, item in value.items()}


def _verdict(call: Call) -> Json:
    return {
        "outcome": call.outcome,
        "failed": call.failed,
        "verdict": verdict(call),
        "handled_by": call.handled_by,
    }


def _times(call: Call) -> Json:
    return {
        "requested_at": _moment(call.requested_ns),
        "dispatched_at": _moment(call.dispatched_ns),
        "started_at": _moment(call.started_ns),
        "ended_at": _moment(call.ended_ns),
        "answered_at": _moment(call.answered_ns),
        "seen_at": _moment(call.seen_ns),
        "duration_ms": call.duration_ms,
        "waited_ms": call.waited_ms,
    }


def _attempt(attempt: Attempt) -> Json:
    return {
        "number": attempt.number,
        "cause": attempt.cause,
        "outcome": attempt.outcome,
        "discarded": attempt.discarded,
        "late": attempt.late,
        "body_ran": attempt.body_ran,
        "started_at": _moment(attempt.started_ns),
        "ended_at": _moment(attempt.ended_ns),
        "duration_ms": attempt.duration_ms,
        "trace_id": attempt.trace_id,
        "span_id": attempt.span_id,
        "thread_name": attempt.thread_name,
        "error": _error(attempt.error),
        "interrupt": attempt.interrupt,
        "resume": attempt.resume,
        "result": attempt.result,
    }


def _arguments(arguments: Arguments) -> Json:
    return {
        "raw": arguments.raw,
        "value": plain(arguments.value),
        "received": plain(arguments.received),
        "validated": plain(arguments.validated),
        "injected": list(arguments.injected),
        "problems": [asdict(problem) for problem in arguments.problems],
    }


def _error(error: Error | None) -> Json | None:
    return None if error is None else {"type": error.type, "message": error.message, "stack": error.stack}


def _answer(call: Call) -> Json:
    answer = call.answer
    # Some senders never report the answer itself, but a later request of the model shows it.
    seen_only = answer.content is None and answer.status is None and call.told is not None
    content = call.told if seen_only else answer.content
    return {
        "status": answer.status,
        "content": content,
        "parts": [asdict(part) for part in answer.parts],
        "bytes": len((content or "").encode("utf-8", "replace")) if seen_only else answer.bytes,
        "truncated": answer.truncated,
        "delivered": True if seen_only else answer.delivered,
        "by": answer.by,
    }


def _orphan(orphan: Orphan) -> Json:
    return {
        "tool_call_id": orphan.tool_call_id,
        "tool": orphan.tool,
        "status": orphan.status,
        "content": orphan.content,
        "at": _moment(orphan.at_ns),
        "trace_id": orphan.origin.trace_id,
        "span_id": orphan.origin.span_id,
    }


def _run(run: Run) -> Json:
    return {
        "run_id": run.origin.run_id,
        "trace_id": run.origin.trace_id,
        "thread_id": run.origin.thread_id,
        "name": run.name,
        "outcome": run.outcome,
        "started_at": _moment(run.started_ns),
        "ended_at": _moment(run.ended_ns),
        "error": _error(run.error),
    }


def _moment(time_ns: int | None) -> str | None:
    return None if time_ns is None else rfc3339(time_ns)
