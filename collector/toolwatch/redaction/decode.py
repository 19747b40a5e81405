"""Secrets that stand in a text in base64 or percent-encoded form."""

import base64
import re
from collections.abc import Iterator
from typing import Final

# Checks of rules that stand for a decoder.
BASE64: Final = "base64"
PERCENT: Final = "percent"

_BEHIND_BYTES: Final = 512
_LONGEST_BYTES: Final = 65_536
_RUN_BEFORE: Final = re.compile(rb"[^\s\"'<>]*\Z")
_RUN_AFTER: Final = re.compile(rb"[^\s\"'<>]*")
_PERCENT: Final = re.compile(rb"%([0-9A-Fa-f]{2})")
_URL_SAFE: Final = bytes.maketrans(b"-_", b"+/")


def base64_text(run: bytes) -> bytes:
    """What a run of base64 encodes, in either alphabet, padded or not."""
    run = run.rstrip(b"=").translate(_URL_SAFE)
    run = run[: len(run) - (len(run) % 4 == 1)]
    return base64.b64decode(run + b"=" * (-len(run) % 4))


def percent_runs(data: bytes) -> Iterator[tuple[bytes, list[int]]]:
    """Each run that holds percent escapes: decoded, and where in the data each of its bytes stood."""
    done = 0
    while (escape := _PERCENT.search(data, done)) is not None:
        before = _RUN_BEFORE.search(data, max(done, escape.start() - _BEHIND_BYTES), escape.start())
        begin = before.start() if before else escape.start()
        after = _RUN_AFTER.match(data, escape.start(), begin + _LONGEST_BYTES)
        done = after.end() if after else escape.end()
        yield _unquoted(data, begin, done)


def _unquoted(data: bytes, begin: int, end: int) -> tuple[bytes, list[int]]:
    plain, places, at = bytearray(), [], begin
    while at < end:
        match = _PERCENT.match(data, at, end)
        plain.append(int(match.group(1), 16) if match else data[at])
        places.append(at)
        at += 3 if match else 1
    return bytes(plain), [*places, end]
