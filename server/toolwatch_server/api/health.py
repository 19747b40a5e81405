"""/healthz and /readyz: for those who keep the server running."""

from collections.abc import Callable
from contextlib import AbstractContextManager

import structlog
from fastapi import APIRouter
from starlette.responses import PlainTextResponse, Response

from toolwatch_server.storage.engine import Reader
from toolwatch_server.storage.migrate import current_revision

log = structlog.get_logger(__name__)


def routes(open_reader: Callable[[], AbstractContextManager[Reader]]) -> APIRouter:
    router = APIRouter(include_in_schema=False)

    @router.get("/healthz")
    async def alive() -> Response:
        """The process answers."""
        return PlainTextResponse("ok\n")

    @router.get("/readyz")
    def ready() -> Response:
        """The database answers as well."""
        try:
            with open_reader() as db:
                current_revision(db)
        except Exception as error:
            log.warning("not ready", error=str(error))
            return PlainTextResponse("the database does not answer\n", status_code=503)
        return PlainTextResponse("ready\n")

    return router
