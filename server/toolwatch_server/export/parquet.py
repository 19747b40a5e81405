"""Calls as Parquet, a group of rows at a time. Needs pyarrow, which is an extra."""

import io
from collections.abc import Iterator
from datetime import datetime
from itertools import islice
from typing import Any, Final

from toolwatch_server.api.to_json import call_json
from toolwatch_server.domain.export_columns import COLUMNS, column_values
from toolwatch_server.errors import NotInstalled
from toolwatch_server.export.source import Source

ROWS_AT_ONCE: Final = 1_000


class _Sink(io.RawIOBase):
    """A file that is taken away piece by piece while it is written."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self._written = 0

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        piece = bytes(data)
        self._pieces.append(piece)
        self._written += len(piece)
        return len(piece)

    def tell(self) -> int:
        return self._written

    def taken(self) -> bytes:
        found, self._pieces = b"".join(self._pieces), []
        return found


def as_parquet(source: Source) -> Iterator[bytes]:
    """Raises NotInstalled, at once."""
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError:
        raise NotInstalled(
            "Parquet needs pyarrow on the server: pip install 'toolwatch[server,parquet]'."
        ) from None
    types = {
        "text": pa.string(),
        "bool": pa.bool_(),
        "int": pa.int64(),
        "float": pa.float64(),
        "moment": pa.timestamp("us", tz="UTC"),
    }
    schema = pa.schema([(column.name, types[column.kind]) for column in COLUMNS])
    return _written(source, schema, parquet.ParquetWriter, pa.record_batch)


def _written(source: Source, schema: Any, open_writer: Any, batch_of: Any) -> Iterator[bytes]:
    sink, calls = _Sink(), source.calls()
    with open_writer(sink, schema, compression="zstd") as writer:
        while rows := [_row(call_json(call)) for call in islice(calls, ROWS_AT_ONCE)]:
            columns = [list(values) for values in zip(*rows, strict=True)]
            writer.write_batch(batch_of(columns, schema=schema))
            yield sink.taken()
    yield sink.taken()


def _row(call: dict[str, Any]) -> list[Any]:
    pairs = zip(COLUMNS, column_values(call), strict=True)
    return [
        datetime.fromisoformat(value) if column.kind == "moment" and value else _text(value)
        for column, value in pairs
    ]


def _text(value: Any) -> Any:
    """Parquet refuses half a character (a cut emoji)."""
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value
