"""OTLP over HTTP: POST /v1/traces, /v1/logs, /v1/metrics, and the path to which Langfuse's SDK sends.

200 means committed to the database.
"""

from collections.abc import Callable

from fastapi import APIRouter, Request, Response
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect

from toolwatch_server.domain.record import Saved
from toolwatch_server.errors import BadRequest, Later, TooLarge, ToolwatchError, WrongMediaType
from toolwatch_server.ingest.budget import Budget, Lease
from toolwatch_server.ingest.commit import committed
from toolwatch_server.ingest.counts import Counts
from toolwatch_server.ingest.otlp import answers
from toolwatch_server.ingest.otlp.media import JSON, PROTOBUF, check_encoding, media_type, unpack
from toolwatch_server.ingest.pipeline import Pipeline, Taken


class Receiver:
    def __init__(self, pipeline: Pipeline, budget: Budget, counts: Counts, max_body_bytes: int) -> None:
        self._pipeline = pipeline
        self._budget = budget
        self._counts = counts
        self._max_body_bytes = max_body_bytes

    def routes(self) -> APIRouter:
        router = APIRouter(include_in_schema=False)
        router.add_api_route("/v1/traces", self.traces, methods=["POST"])
        router.add_api_route("/api/public/otel/v1/traces", self.traces, methods=["POST"])
        router.add_api_route("/v1/logs", self.logs, methods=["POST"])
        router.add_api_route("/v1/metrics", self.metrics, methods=["POST"])
        return router

    async def traces(self, request: Request) -> Response:
        return await self._receive(request, "traces", self._pipeline.take_traces, answers.traces)

    async def logs(self, request: Request) -> Response:
        return await self._receive(request, "logs", self._pipeline.take_logs, answers.logs)

    async def metrics(self, request: Request) -> Response:
        """Nothing here needs metrics; senders that send all signals to one address must not see errors."""
        return await self._receive(request, "metrics", self._pipeline.ignore, answers.metrics)

    async def _receive(
        self,
        request: Request,
        signal: str,
        take: Callable[[bytes, str], Taken],
        answer: Callable[[str, int, str], bytes],
    ) -> Response:
        media = answer_type(request)
        try:
            media_type(request.headers.get("content-type", ""))
            with self._budget.lease() as lease:
                body = await self._body(request, lease)
                self._counts.bytes.labels(signal).inc(len(body))
                taken = await run_in_threadpool(take, body, media)
                del body
                lease.keep_until(taken.saved)
                saved = await committed(taken, self._counts)
            response = Response(
                answer(media, taken.refused, taken.message), media_type=media, headers=_told(saved)
            )
        except ToolwatchError as error:
            response = failure(error, media)
        except ClientDisconnect:
            response = failure(BadRequest("The sender hung up before the request was complete."), media)
        self._counts.requests.labels(signal, str(response.status_code)).inc()
        self._counts.busy.inc(response.status_code in (429, 503))
        return response

    async def _body(self, request: Request, lease: Lease) -> bytes:
        """Raises TooLarge while still reading, Busy, WrongMediaType, Undecodable."""
        encoding = check_encoding(request.headers.get("content-encoding", ""))
        announced = request.headers.get("content-length", "")
        if announced.isdecimal() and int(announced) > self._max_body_bytes:
            raise self._too_large()
        body = bytearray()
        async for chunk in request.stream():
            lease.grow(len(chunk))
            body += chunk
            if len(body) > self._max_body_bytes:
                raise self._too_large()
        if not encoding:
            return bytes(body)
        plain = await run_in_threadpool(unpack, bytes(body), encoding, self._max_body_bytes)
        lease.grow(len(plain))
        return plain

    def _too_large(self) -> TooLarge:
        return TooLarge(f"The request is larger than {self._max_body_bytes} bytes.")


def _told(saved: Saved) -> dict[str, str]:
    """What OTLP has no word for, and whoever imports a file wants to know."""
    return {"toolwatch-stored": str(saved.stored), "toolwatch-known": str(saved.duplicates)}


def answer_type(request: Request) -> str:
    """Answers have the type of the request; where that is none of ours, JSON, which people can read."""
    return PROTOBUF if "protobuf" in request.headers.get("content-type", "").lower() else JSON


def failure(error: ToolwatchError, media: str) -> Response:
    """A google.rpc.Status, with Retry-After where trying again can help."""
    headers = {}
    if isinstance(error, WrongMediaType):
        headers["accept-encoding"] = "gzip, deflate"
    if isinstance(error, Later):
        headers["retry-after"] = str(error.after_s)
    body = answers.failure(media, error.status, error.message)
    return Response(body, status_code=error.status, media_type=media, headers=headers)
