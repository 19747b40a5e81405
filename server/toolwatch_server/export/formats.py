"""The formats by name: media type, ending, and who writes them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from toolwatch_server.export import calls, records
from toolwatch_server.export.parquet import as_parquet
from toolwatch_server.export.source import Source
from toolwatch_server.ingest.otlp.media import JSON, PROTOBUF

Pieces = Iterator[str] | Iterator[bytes]
TEXT_CHARS: Final = 20_000  # unless told; about 5,000 tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """shown: a browser shows it rather than saving it. max_chars is heeded by text alone."""

    media_type: str
    suffix: str
    write: Callable[[Source, int], Pieces]
    shown: bool = False


def _whatever_long(write: Callable[[Source], Pieces]) -> Callable[[Source, int], Pieces]:
    return lambda source, _max_chars: write(source)


def _format(media_type: str, suffix: str, write: Callable[[Source], Pieces]) -> Format:
    return Format(media_type=media_type, suffix=suffix, write=_whatever_long(write))


FORMATS: Final[dict[str, Format]] = {
    "json": _format(JSON, "json", calls.as_json),
    "text": Format(media_type="text/plain", suffix="txt", write=calls.as_text, shown=True),
    "pytest": _format("text/x-python", "py", calls.as_pytest),
    "ndjson": _format("application/x-ndjson", "ndjson", calls.as_lines),
    "csv": _format("text/csv", "csv", calls.as_csv),
    "parquet": _format("application/vnd.apache.parquet", "parquet", as_parquet),
    "otlp-json": _format(JSON, "otlp.json", records.as_otlp_json),
    "otlp-proto": _format(PROTOBUF, "otlp.binpb", records.as_otlp_protobuf),
    "jaeger": _format(JSON, "jaeger.json", records.as_jaeger),
    "perfetto": _format(JSON, "perfetto.json", records.as_perfetto),
}
# Of one call, JSON is the call itself and not a list.
OF_ONE_CALL: Final = FORMATS | {"json": _format(JSON, "json", calls.one_as_json)}
