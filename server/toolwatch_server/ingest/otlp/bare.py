"""A kept span without its texts: ids, names, times and short facts stay."""

import re
from typing import Final

from google.protobuf.message import Message
from opentelemetry.proto.trace.v1.trace_pb2 import ResourceSpans

_LONGEST_BYTES: Final = 128
# Wherever content stands in the dialects we know; a name of a tool or a model is none.
_CONTENT: Final = re.compile(
    r"arguments|result|input|output|message|prompt|completion|content|instructions|response|stacktrace|value"
)


def bare_span(raw: bytes) -> bytes:
    kept = ResourceSpans.FromString(raw)
    for scoped in kept.scope_spans:
        for span in scoped.spans:
            _bare(span)
            for told in (*span.events, *span.links):
                _bare(told)
    return kept.SerializeToString()


def _bare(told: Message) -> None:
    attributes = getattr(told, "attributes")  # noqa: B009  # spans, events and links all have them
    kept = [
        pair for pair in attributes if pair.ByteSize() <= _LONGEST_BYTES and not _CONTENT.search(pair.key)
    ]
    del attributes[:]
    attributes.extend(kept)
