"""How the server itself is doing."""

from collections.abc import Sequence
from typing import Final

from fastapi import APIRouter, Request
from fastapi.responses import Response

from toolwatch_server.domain.forwarding import Forwarding
from toolwatch_server.domain.keeping import Kept
from toolwatch_server.domain.rows import StoreStatus
from toolwatch_server.pages import respond
from toolwatch_server.pages.reading import Database, Now
from toolwatch_server.storage.queries.status import status as ask_status
from toolwatch_web.format import count, size
from toolwatch_web.models.lists import DestinationRow, InstanceRow, StatusPage
from toolwatch_web.models.parts import Fact

router: Final = APIRouter(include_in_schema=False)


@router.get("/status")
def status(request: Request, db: Database, now_ns: Now) -> Response:
    api = request.app.state.api
    model = _model(ask_status(db), api.counts(), api.kept(), api.forwarding())
    return respond.page(request, "status", model, title="Status", section="Status", now_ns=now_ns)


def _model(
    found: StoreStatus, totals: dict[str, int], kept: Kept, forwarding: Sequence[Forwarding]
) -> StatusPage:
    return StatusPage(
        store=_store(found),
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
        kept=_kept(kept),
        destinations=tuple(_destination(to) for to in forwarding),
    )


def _store(found: StoreStatus) -> tuple[Fact, ...]:
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
    return tuple(store)


def _kept(kept: Kept) -> tuple[Fact, ...]:
    """The rules that are set, and what they have deleted since the start."""
    rules = {
        "Traces": _days(kept.rules.days),
        "Traces with a failure": _days(kept.rules.failures_days),
        "Texts": _days(kept.rules.bodies_days),
        "Calls at most": None if kept.rules.calls is None else count(kept.rules.calls),
        "Size at most": None if kept.rules.size_bytes is None else size(kept.rules.size_bytes),
    }
    facts = [Fact(label=label, text=text) for label, text in rules.items() if text is not None]
    if kept.last_run_ns is None:
        return tuple(facts)
    return (
        *facts,
        Fact(label="Traces deleted", text=count(kept.pruned.traces)),
        Fact(label="Texts deleted", text=count(kept.pruned.bodies)),
        Fact(label="Last look", text="", at_ns=kept.last_run_ns),
        *((Fact(label="Trouble", text=kept.error),) if kept.error else ()),
    )


def _days(days: float | None) -> str | None:
    return None if days is None else f"{days:g} days"


def _destination(to: Forwarding) -> DestinationRow:
    return DestinationRow(
        name=to.name,
        endpoint=to.endpoint,
        only=to.only,
        sent=to.sent,
        waiting=to.waiting,
        waiting_since_ns=to.oldest_ns,
        refused=to.refused,
        given_up=to.given_up,
        last_sent_ns=to.last_sent_ns,
        error=to.error,
    )


def _words(name: str) -> str:
    words = name.replace("_", " ")
    return words[:1].upper() + words[1:]


def _number(name: str, number: int) -> str:
    return size(number) if name.endswith("bytes") else count(number)
