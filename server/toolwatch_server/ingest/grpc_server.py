"""OTLP over gRPC: the services Trace, Logs and Metrics, on the event loop of the HTTP server.

Messages are taken as bytes and unpacked here, so that the same decoder mends them as over HTTP, and the same
bounds hold against compressed bombs. Each method is declared to take a stream, of which it reads one message:
so a key is checked, and room is found, before anything large is read.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Final, TypeAlias

import grpc
from grpc import aio
from starlette.concurrency import run_in_threadpool

from toolwatch_server.access.keys import Keys, presented
from toolwatch_server.errors import BadRequest, Busy, CannotStart, KeyMissing, KeyWrong, Later, ToolwatchError
from toolwatch_server.ingest.budget import Budget, Lease
from toolwatch_server.ingest.commit import committed
from toolwatch_server.ingest.counts import Counts
from toolwatch_server.ingest.otlp import answers
from toolwatch_server.ingest.otlp.media import PROTOBUF, packed_with, unpack
from toolwatch_server.ingest.pipeline import Pipeline, Taken

PORT_TAKEN: Final = "S012"
STOP_PATIENCE_S: Final = 10.0
INSIDE_MAX: Final = 512  # calls; those that wait to be read hold no more than a window of bytes each
READ_AT_ONCE: Final = 16
READ_PATIENCE_S: Final = 30.0

Context: TypeAlias = aio.ServicerContext
_CODES: Final = {code.value[0]: code for code in grpc.StatusCode}


class GrpcServer:
    """host and port are where to listen; start() must be called on the loop that serves."""

    def __init__(
        self,
        host: str,
        port: int,
        *,
        pipeline: Pipeline,
        budget: Budget,
        counts: Counts,
        keys: Keys,
        max_bytes: int,
    ) -> None:
        self._address = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        self._pipeline = pipeline
        self._budget = budget
        self._counts = counts
        self._keys = keys
        self._max_bytes = max_bytes
        self._inside = 0

    async def start(self) -> None:
        """Raises CannotStart when the address is taken."""
        self._reading = asyncio.Semaphore(READ_AT_ONCE)
        self._server = aio.server(
            options=[
                ("grpc.max_receive_message_length", self._max_bytes),
                ("grpc.per_message_decompression", 0),
                ("grpc.so_reuseport", 0),  # else two servers would share one port, and the spans with it
            ]
        )
        self._server.add_generic_rpc_handlers(self._services())
        try:
            self._server.add_insecure_port(self._address)
        except RuntimeError:
            raise CannotStart(f"Cannot listen on {self._address} for OTLP/gRPC.", code=PORT_TAKEN) from None
        await self._server.start()

    async def close(self) -> None:
        """Takes nothing more, and lets what is inside be answered."""
        await self._server.stop(STOP_PATIENCE_S)

    def _services(self) -> tuple[grpc.GenericRpcHandler, ...]:
        ignored = self._pipeline.ignore
        return (
            self._service("trace.v1.Trace", "traces", self._pipeline.take_traces, answers.traces),
            self._service("logs.v1.Logs", "logs", self._pipeline.take_logs, answers.logs),
            self._service("metrics.v1.Metrics", "metrics", ignored, answers.metrics),
        )

    def _service(
        self,
        name: str,
        signal: str,
        take: Callable[[bytes, str], Taken],
        answer: Callable[[str, int, str], bytes],
    ) -> grpc.GenericRpcHandler:
        async def export(_messages: AsyncIterator[bytes], context: Context) -> bytes:
            try:
                taken = await self._take(signal, take, context)
            except ToolwatchError as error:
                code = _CODES[answers.rpc_code(error.status)]
                self._counts.requests.labels(signal, code.name).inc()
                self._counts.busy.inc(isinstance(error, Later))
                details = (("grpc-status-details-bin", answers.details(error)),)
                await context.abort(code, error.message, trailing_metadata=details)
            self._counts.requests.labels(signal, "OK").inc()
            return answer(PROTOBUF, taken.refused, taken.message)

        handler = grpc.stream_unary_rpc_method_handler(export)
        return grpc.method_handlers_generic_handler(
            f"opentelemetry.proto.collector.{name}Service", {"Export": handler}
        )

    async def _take(self, signal: str, take: Callable[[bytes, str], Taken], context: Context) -> Taken:
        self._check_key(context)
        if self._inside >= INSIDE_MAX:
            raise Busy("Too many requests are being read already. Try again in a moment.")
        self._inside += 1
        try:
            with self._budget.lease() as lease:
                body = await self._message(context, lease)
                self._counts.bytes.labels(signal).inc(len(body))
                taken = await run_in_threadpool(take, body, PROTOBUF)
                del body
                lease.keep_until(taken.saved)
                await committed(taken, self._counts)
                return taken
        finally:
            self._inside -= 1

    def _check_key(self, context: Context) -> None:
        """Raises KeyMissing, KeyWrong."""
        if not self._keys:
            return
        metadata = {
            name: value for name, value in context.invocation_metadata() or () if isinstance(value, str)
        }
        found = presented(metadata)
        if not found:
            raise KeyMissing(
                "This server wants an API key: send it as the metadata 'authorization: Bearer KEY' or "
                "'x-api-key: KEY'."
            )
        if not any(self._keys.accept(key) for key in found):
            raise KeyWrong("The API key is not one of this server's.")

    async def _message(self, context: Context, lease: Lease) -> bytes:
        """Raises Busy, BadRequest, TooLarge, Undecodable."""
        async with self._reading:
            try:
                body = await asyncio.wait_for(context.read(), READ_PATIENCE_S)
            except TimeoutError:
                raise BadRequest(f"The message did not arrive within {READ_PATIENCE_S:.0f} s.") from None
        if not isinstance(body, bytes):
            raise BadRequest("The sender hung up before the message was complete.")
        lease.grow(len(body))
        encoding = packed_with(body)
        if not encoding:
            return body
        plain = await run_in_threadpool(unpack, body, encoding, self._max_bytes)
        lease.grow(len(plain))
        return plain
