"""How the server itself is doing."""

from typing import Final

from fastapi import APIRouter, Request
from fastapi.responses import Response

from toolwatch_server.domain.rows import StoreStatus
from toolwatch_server.pages import respond
from toolwatch_server.pages.reading import Database, Now
from toolwatch_server.storage.queries.status import status as ask_status
from toolwatch_web.format import count, size
from toolwatch_web.models.lists import InstanceRow, StatusPage
from toolwatch_web.models.parts import Fact

router: Final = APIRouter(include_in_schema=False)


@router.get("/status")
def status(request: Request, db: Database, now_ns: Now) -> Response:
    totals: dict[str, int] = request.app.state.api.counts()
    model = _model(ask_status(db), totals)
    return respond.page(request, "status", model, title="Status", section="Status", now_ns=now_ns)


def _model(found: StoreStatus, totals: dict[str, int]) -> StatusPage:
    store = [
        Fact(label="Database", text=found.database),
        Fact(label="Location", text=found.location, mono=True),
        Fact(label="Schema", text=found.schema_revision, mono=True),
        Fact(label="Size", text=size(found.size_bytes)),
        Fact(label="Calls", text=count(found.calls)),
        Fact(label="Spans", text=count(found.spans)),
    ]
    if found.oldest_ns is not None:
        store.append(Fact(label="Oldest call", text="", at_ns=found.oldest_ns))
    if found.newest_ns is not None:
        store.append(Fact(label="Newest call", text="", at_ns=found.newest_ns))
    return StatusPage(
        store=tuple(store),
        received=tuple(
            Fact(label=_words(name), text=_number(name, number)) for name, number in totals.items()
        ),
        instances=tuple(
            InstanceRow(
                instance_id=it.instance_id,
                service=it.service,
                last_seen_ns=it.last_seen_ns,
                dropped=it.dropped,
                missing_hooks=it.missing_hooks,
            )
            for it in found.instances
        ),
    )


def _words(name: str) -> str:
    words = name.replace("_", " ")
    return words[:1].upper() + words[1:]


def _number(name: str, number: int) -> str:
    return size(number) if name.endswith("bytes") else count(number)
