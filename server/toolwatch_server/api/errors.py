"""/api/v1/errors: failures of one kind together."""

from typing import Annotated, Final

from fastapi import APIRouter, Depends

from toolwatch_server.api.answers import JsonAnswer
from toolwatch_server.api.ask import FILTERS, ask, described
from toolwatch_server.api.context import Db
from toolwatch_server.api.times import rfc3339
from toolwatch_server.domain.filters import CallFilter
from toolwatch_server.storage.queries.error_groups import error_groups

router = APIRouter(tags=["errors"])
DOCUMENTED: Final = described(FILTERS)


@router.get("/errors", openapi_extra=DOCUMENTED)
def errors(asked: Annotated[CallFilter, Depends(ask)], db: Db) -> JsonAnswer:
    """Failed calls by type and message, without numbers and ids; the group that failed last first."""
    groups = [
        {
            "error_type": group.error_type,
            "message": group.message,
            "tools": list(group.tools),
            "count": group.count,
            "first_at": rfc3339(group.first_ns),
            "last_at": rfc3339(group.last_ns),
            "last_key": group.last_key,
        }
        for group in error_groups(db, asked)
    ]
    return JsonAnswer({"errors": groups})
