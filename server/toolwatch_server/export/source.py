"""What is to be exported: calls, and the records of their traces, read a few at a time."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Final

from toolwatch_server.domain.call import Call
from toolwatch_server.domain.filters import CallFilter
from toolwatch_server.storage.engine import Reader
from toolwatch_server.storage.queries.export_calls import Place, export_calls
from toolwatch_server.storage.queries.export_records import Kept, some_logs, some_spans, thread_traces
from toolwatch_server.storage.queries.load_calls import load_calls

CALLS_AT_ONCE: Final = 100
RECORDS_AT_ONCE: Final = 200

OpenReader = Callable[[], AbstractContextManager[Reader]]
_Read = Callable[..., list[Kept]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Each read takes a connection of its own, so that a download to a slow reader keeps none from others.

    trace_ids is None where the traces are those that speak of the calls.
    """

    open_reader: OpenReader
    batches: Callable[[], Iterator[Sequence[str]]]  # of keys
    trace_ids: tuple[str, ...] | None

    def calls(self) -> Iterator[Call]:
        for keys in self.batches():
            with self.open_reader() as db:
                found = load_calls(db, keys)
            yield from found

    def traces(self) -> Iterator[str]:
        """Each once."""
        if self.trace_ids is not None:
            yield from self.trace_ids
            return
        told: set[str] = set()
        for call in self.calls():
            for trace_id in call.trace_ids:
                if trace_id not in told:
                    told.add(trace_id)
                    yield trace_id

    def spans(self, trace_id: str) -> Iterator[bytes]:
        """Oldest first."""
        return self._records(some_spans, trace_id)

    def logs(self, trace_id: str) -> Iterator[bytes]:
        return self._records(some_logs, trace_id)

    def _records(self, read: _Read, trace_id: str) -> Iterator[bytes]:
        after = None
        while True:
            with self.open_reader() as db:
                found = read(db, trace_id, after=after, limit=RECORDS_AT_ONCE)
            yield from (kept.raw for kept in found)
            if len(found) < RECORDS_AT_ONCE:
                return
            after = found[-1].place


def of_call(open_reader: OpenReader, key: str) -> Source | None:
    """None when there is no such call; so with traces and threads below."""
    with open_reader() as db:
        found = load_calls(db, [key])
    if not found:
        return None
    return Source(
        open_reader=open_reader, batches=lambda: iter([[found[0].key]]), trace_ids=found[0].trace_ids
    )


def of_trace(open_reader: OpenReader, trace_id: str) -> Source | None:
    source = _walk(open_reader, CallFilter(trace_id=trace_id), oldest_first=True, trace_ids=(trace_id,))
    with open_reader() as db:
        known = some_spans(db, trace_id, after=None, limit=1) or some_logs(db, trace_id, after=None, limit=1)
    return source if known else None


def of_thread(open_reader: OpenReader, thread_id: str) -> Source | None:
    with open_reader() as db:
        traces = thread_traces(db, thread_id)
    if not traces:
        return None
    return _walk(open_reader, CallFilter(thread_id=thread_id), oldest_first=True, trace_ids=traces)


def of_filter(open_reader: OpenReader, asked: CallFilter) -> Source:
    """Newest first, as lists are."""
    return _walk(open_reader, asked, oldest_first=False, trace_ids=None)


def _walk(
    open_reader: OpenReader, asked: CallFilter, *, oldest_first: bool, trace_ids: tuple[str, ...] | None
) -> Source:
    def batches() -> Iterator[Sequence[str]]:
        after: Place | None = None
        while True:
            with open_reader() as db:
                found = export_calls(db, asked, after=after, limit=CALLS_AT_ONCE, oldest_first=oldest_first)
            if not found:
                return
            yield [place.key for place in found]
            after = found[-1]

    return Source(open_reader=open_reader, batches=batches, trace_ids=trace_ids)
