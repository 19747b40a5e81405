"""/api/v1/status: how the server itself is doing."""

from collections.abc import Mapping

from fastapi import APIRouter, Depends

from toolwatch_server.api.answers import JsonAnswer
from toolwatch_server.api.ask import nothing_asked
from toolwatch_server.api.context import Ctx, Db
from toolwatch_server.api.times import rfc3339
from toolwatch_server.api.to_json import store_json
from toolwatch_server.domain.forwarding import Forwarding
from toolwatch_server.domain.keeping import Kept
from toolwatch_server.storage.queries.status import status as store_status

router = APIRouter(tags=["status"])


@router.get("/status", dependencies=[Depends(nothing_asked)])
def status(ctx: Ctx, db: Db) -> JsonAnswer:
    """What came in since the start and what became of it; what is stored; who sends."""
    stored, forwarding = store_status(db), ctx.forwarding()
    return JsonAnswer(
        {
            "version": ctx.version,
            "started_at": rfc3339(ctx.started_ns),
            **_ingest_json(ctx.counts()),
            "dropped": sum(instance.dropped for instance in stored.instances),
            "queue_bytes": ctx.queue_bytes(),
            "forwarded": sum(to.sent for to in forwarding),
            "forwarding": [_forwarding_json(to) for to in forwarding],
            "retention": _retention_json(ctx.kept()),
            **store_json(stored),
        }
    )


def _ingest_json(counts: Mapping[str, int]) -> dict[str, int]:
    return {
        "received": counts["records_received"],
        "stored": counts["records_stored"],
        "deduplicated": counts["records_duplicate"],
        "redacted": counts["redactions"],
        "cut": counts["values_cut"],
        "refused": counts["records_refused"],
        "unreadable": counts["records_unreadable"],
        "ignored": counts["requests_ignored"],
        "turned_away": counts["requests_turned_away"],
    }


def _forwarding_json(to: Forwarding) -> dict[str, object]:
    return {
        "name": to.name,
        "endpoint": to.endpoint,
        "only": to.only,
        "sent": to.sent,
        "refused": to.refused,
        "given_up": to.given_up,
        "waiting": to.waiting,
        "waiting_since": None if to.oldest_ns is None else rfc3339(to.oldest_ns),
        "last_sent_at": None if to.last_sent_ns is None else rfc3339(to.last_sent_ns),
        "error": to.error,
    }


def _retention_json(kept: Kept) -> dict[str, object]:
    return {
        "days": kept.rules.days,
        "failures_days": kept.rules.failures_days,
        "bodies_days": kept.rules.bodies_days,
        "calls": kept.rules.calls,
        "bytes": kept.rules.size_bytes,
        "traces_deleted": kept.pruned.traces,
        "bodies_deleted": kept.pruned.bodies,
        "last_run_at": None if kept.last_run_ns is None else rfc3339(kept.last_run_ns),
        "error": kept.error,
    }
