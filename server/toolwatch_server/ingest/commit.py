"""Wait until what was taken is in the database; the same over HTTP and gRPC."""

import asyncio
from typing import Final

import structlog

from toolwatch_server.domain.record import Saved
from toolwatch_server.errors import StorageDown, ToolwatchError
from toolwatch_server.ingest.counts import Counts
from toolwatch_server.ingest.pipeline import Taken

log = structlog.get_logger(__name__)

COMMIT_TIMEOUT_S: Final = 9.0  # senders give up after ten seconds, and would not hear our answer


async def committed(taken: Taken, counts: Counts) -> Saved:
    """What became of the records, once they are safe. Raises StorageDown, or what saving raised."""
    if taken.saved is None:
        return Saved(stored=0, duplicates=0, touched=())
    saved = await _in_time(asyncio.wrap_future(taken.saved))
    counts.stored.inc(saved.stored)
    counts.duplicates.inc(saved.duplicates)
    return saved


async def _in_time(promise: "asyncio.Future[Saved]") -> Saved:
    try:
        # The records stay queued: shielded, so that they are still written for whoever sends them again.
        return await asyncio.wait_for(asyncio.shield(promise), COMMIT_TIMEOUT_S)
    except TimeoutError:
        raise StorageDown("The database did not answer in time. Try again.", after_s=5) from None
    except ToolwatchError:
        raise
    except Exception as error:
        log.error("a request could not be saved", error=type(error).__name__)
        raise ToolwatchError("The records could not be saved; the server's log says why.") from error
