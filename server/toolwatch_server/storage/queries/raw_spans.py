"""The spans of a trace as they are kept, for exports."""

from collections.abc import Iterator

from sqlalchemy import select

from toolwatch_server.storage.codec import unpack
from toolwatch_server.storage.engine import Reader
from toolwatch_server.storage.tables import spans
from toolwatch_server.storage.text import indexable


def raw_spans(db: Reader, trace_id: str) -> Iterator[bytes]:
    """Each an OTLP protobuf ResourceSpans with one redacted span, oldest first; read a few at a time."""
    statement = select(spans.c.raw).where(spans.c.trace_id == indexable(trace_id))
    ordered = statement.order_by(spans.c.start_ns, spans.c.span_id).execution_options(yield_per=100)
    for body in db.execute(ordered).scalars():
        yield unpack(body)
