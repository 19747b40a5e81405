"""The composition root: the only module that knows everyone."""

import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

import structlog
from fastapi import FastAPI, Request, Response
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException

from toolwatch.redaction import InvalidRule, Redactor
from toolwatch_server import __version__, pages
from toolwatch_server.access import login
from toolwatch_server.access.gate import Gate, Rules
from toolwatch_server.access.keys import Keys
from toolwatch_server.access.mishaps import Mishaps
from toolwatch_server.api import docs, health, metrics, routes
from toolwatch_server.api.answers import failure as api_failure
from toolwatch_server.api.context import Context
from toolwatch_server.background import Every, Job
from toolwatch_server.errors import CannotStart, NotFound, ToolwatchError
from toolwatch_server.export.routes import router as exports
from toolwatch_server.forward.destinations import destinations
from toolwatch_server.forward.forwarder import Forwarder, routes_to
from toolwatch_server.ingest.budget import Budget
from toolwatch_server.ingest.counts import Counts
from toolwatch_server.ingest.fingerprints import load_or_make
from toolwatch_server.ingest.otlp.bare import bare_span
from toolwatch_server.ingest.otlp.export import span_of_raw
from toolwatch_server.ingest.otlp.scrub import Scrubber
from toolwatch_server.ingest.pipeline import Pipeline
from toolwatch_server.ingest.receiver import Receiver, answer_type
from toolwatch_server.ingest.receiver import failure as otlp_failure
from toolwatch_server.ingest.redact import TextRedactor
from toolwatch_server.ingest.rules import Chosen, Rulebook, build
from toolwatch_server.ingest.writer import Writer
from toolwatch_server.keeper import Keeper
from toolwatch_server.settings import CODES, Settings, comma_separated, user_folder
from toolwatch_server.storage.engine import Database, folder_of, open_database
from toolwatch_server.storage.migrate import migrate
from toolwatch_server.storage.outbox import Outbox
from toolwatch_server.storage.retention import Retention
from toolwatch_server.storage.store import Store
from toolwatch_web import outside

if TYPE_CHECKING:
    from toolwatch_server.ingest.grpc_server import GrpcServer

log = structlog.get_logger(__name__)

NO_FINGERPRINT_KEY: Final = "S037"
LOOK_EVERY_S: Final = 1.0
OTLP_PATHS: Final = ("/v1/", "/api/public/otel/")


def create_app(settings: Settings) -> FastAPI:
    """The whole server. Opens and migrates the database at once; raises CannotStart when that fails."""
    targets = destinations(settings.forward.get_secret_value())
    database = open_database(settings.database_url)
    migrate(database)
    rules, name_key = redaction(settings)
    store, counts = Store(database, routes=routes_to(targets)), Counts()
    retention = Retention(database, settings.rules, time.time_ns, bare_span)
    keeper = Keeper(retention)
    forwarder = Forwarder(targets, Outbox(database, time.time_ns), counts.registry)
    writer, budget, keys = Writer(store.save), Budget(settings.queue_bytes), Keys(settings.api_keys)
    counts.queue_bytes.set_function(lambda: budget.taken_bytes)
    counts.queue_requests.set_function(writer.waiting)
    pipeline = Pipeline(scrubber(rules, name_key, settings.max_value_bytes), writer, counts, time.time_ns)
    jobs: list[Job] = [
        Every(LOOK_EVERY_S, lambda: store.sweep(time.time_ns()), "look for abandoned calls"),
        Every(LOOK_EVERY_S, lambda: store.tally(time.time_ns()), "count calls for /metrics"),
        forwarder,
        keeper,
    ]
    app = FastAPI(
        title="Toolwatch",
        version=__version__,
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
        lifespan=_lifespan(database, writer, jobs, _grpc_server(settings, pipeline, budget, counts, keys)),
    )
    app.state.open_reader = database.read
    app.state.location = database.location
    app.state.decode = span_of_raw
    app.state.link_templates = outside.read(settings.link_templates)
    app.state.redaction = rules
    app.state.shown_settings = settings.shown()
    app.state.api = _api_context(
        database=database,
        store=store,
        counts=counts,
        budget=budget,
        forwarder=forwarder,
        keeper=keeper,
        retention=retention,
    )
    app.include_router(Receiver(pipeline, budget, counts, settings.max_body_bytes).routes())
    app.include_router(exports)  # before the others: /calls/export is no key of a call
    app.include_router(routes.router)
    app.include_router(docs.router)
    app.include_router(health.routes(database.read))
    app.include_router(metrics.routes(counts.registry, database.read))
    if keys:
        app.include_router(login.routes(keys))
    app.include_router(pages.router)
    app.add_middleware(Mishaps, refuse=refuse)
    app.add_middleware(Gate, rules=_rules(settings, keys), refuse=refuse)
    app.add_exception_handler(ToolwatchError, _refuse)
    app.add_exception_handler(HTTPException, _refuse_http)
    return app


def redaction(settings: Settings) -> tuple[Rulebook, bytes]:
    """The rules, and the key by which names are told apart. Raises CannotStart."""
    try:
        given = settings.redact_fingerprint_key.get_secret_value().encode()
        key = given or load_or_make(folder_of(settings.database_url) or user_folder())
    except OSError as error:
        raise CannotStart(f"No key for fingerprints: {error}.", code=NO_FINGERPRINT_KEY) from None
    chosen = Chosen(
        tiers=comma_separated(settings.redact_tiers),
        credentials=settings.redact_credentials,
        keys=comma_separated(settings.redact_keys),
        allow=comma_separated(settings.redact_allow),
        fingerprint_key=key if settings.redact_fingerprints else None,
    )
    if not chosen.credentials:
        log.error("TOOLWATCH_REDACT_CREDENTIALS is false: passwords and tokens are stored as they are")
    try:
        return build(chosen, Path(settings.redact_rules) if settings.redact_rules else None), key
    except InvalidRule as error:
        raise CannotStart(f"TOOLWATCH_REDACT_RULES: {error}.", code=CODES["redact_rules"]) from None


def scrubber(rules: Rulebook, name_key: bytes, max_value_bytes: int) -> Scrubber:
    """What every text from outside goes through."""

    def of(redactor: Redactor, services: Mapping[str, Scrubber] | None = None) -> Scrubber:
        return Scrubber(TextRedactor(redactor, redactor.for_names(name_key)), max_value_bytes, services)

    return of(rules.redactor, {name: of(own) for name, (_, own) in rules.services.items()})


def refuse(request: Request, error: ToolwatchError) -> Response:
    """The answer to an error, in the language of whoever asked."""
    path = request.url.path
    if path.startswith(OTLP_PATHS):
        return otlp_failure(error, answer_type(request))
    if path.startswith("/api/") or "text/html" not in request.headers.get("accept", ""):
        return api_failure(error)
    return pages.refuse(request, error)


def _refuse(request: Request, error: Exception) -> Response:
    assert isinstance(error, ToolwatchError)  # noqa: S101  # registered for nothing else
    return refuse(request, error)


def _refuse_http(request: Request, error: Exception) -> Response:
    """What the framework itself refuses: unknown addresses and wrong methods."""
    assert isinstance(error, HTTPException)  # noqa: S101  # registered for nothing else
    path = request.url.path
    message = (
        f"There is nothing at {path}."
        if error.status_code == 404
        else f"{request.method} {path}: {error.detail}."
    )
    answer = refuse(request, NotFound(message))
    answer.status_code = error.status_code
    answer.headers.update(error.headers or {})
    return answer


def _rules(settings: Settings, keys: Keys) -> Rules:
    open_to_the_machine = not keys and settings.on_loopback
    return Rules(keys=keys, check_host=open_to_the_machine, allowed_hosts=frozenset(settings.host_names))


def _api_context(
    *,
    database: Database,
    store: Store,
    counts: Counts,
    budget: Budget,
    forwarder: Forwarder,
    keeper: Keeper,
    retention: Retention,
) -> Context:
    return Context(
        open_reader=database.read,
        delete_trace=store.delete_trace,
        decode=span_of_raw,
        counts=counts.totals,
        queue_bytes=lambda: budget.taken_bytes,
        forwarding=forwarder.status,
        kept=keeper.status,
        pin=retention.pin,
        unpin=retention.unpin,
        version=__version__,
        started_ns=time.time_ns(),
    )


def _grpc_server(
    settings: Settings, pipeline: Pipeline, budget: Budget, counts: Counts, keys: Keys
) -> "GrpcServer | None":
    if not settings.grpc_port:
        return None
    from toolwatch_server.ingest.grpc_server import GrpcServer  # megabytes of memory that not everyone needs

    return GrpcServer(
        settings.host,
        settings.grpc_port,
        pipeline=pipeline,
        budget=budget,
        counts=counts,
        keys=keys,
        max_bytes=settings.max_body_bytes,
    )


def _lifespan(
    database: Database, writer: Writer, jobs: Sequence[Job], grpc_server: "GrpcServer | None"
) -> Callable[[FastAPI], AbstractAsyncContextManager[None]]:
    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        writer.start()
        for job in jobs:
            job.start()
        try:
            if grpc_server is not None:
                await grpc_server.start()
            yield
        finally:
            if grpc_server is not None:
                await grpc_server.close()
            if not await run_in_threadpool(writer.close):
                log.error("shut down before everything that was waiting could be written")
            for job in jobs:
                await run_in_threadpool(job.close)
            database.close()

    return lifespan
