"""/api/v1/status: how the server itself is doing."""

from collections.abc import Mapping

from fastapi import APIRouter, Depends

from toolwatch_server.api.answers import JsonAnswer
from toolwatch_server.api.ask import nothing_asked
from toolwatch_server.api.context import Ctx, Db
from toolwatch_server.api.times import rfc3339
from toolwatch_server.api.to_json import store_json
from toolwatch_server.storage.queries.status import status as store_status

router = APIRouter(tags=["status"])


@router.get("/status", dependencies=[Depends(nothing_asked)])
def status(ctx: Ctx, db: Db) -> JsonAnswer:
    """What came in since the start and what became of it; what is stored; who sends."""
    stored = store_status(db)
    return JsonAnswer(
        {
            "version": ctx.version,
            "started_at": rfc3339(ctx.started_ns),
            **_ingest_json(ctx.counts()),
            "dropped": sum(instance.dropped for instance in stored.instances),
            "queue_bytes": ctx.queue_bytes(),
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
