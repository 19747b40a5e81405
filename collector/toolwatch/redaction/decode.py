"""Secrets that stand in a text in base64 or percent-encoded form."""

import base64
import re
from collections.abc import Callable, Mapping
from typing import Final

from toolwatch.redaction.checks import Part

Scan = Callable[[bytes], list[Part]]

_BEHIND_BYTES: Final = 512
_LONGEST_BYTES: Final = 65_536
_RUN_BEFORE: Final = re.compile(rb"[^\s\"'<>]*\Z")
_PERCENT: Final = re.compile(rb"%([0-9A-Fa-f]{2})")
_URL_SAFE: Final = bytes.maketrans(b"-_", b"+/")


def base64_part(data: bytes, start: int, end: int, scan: Scan) -> Part | None:
    """The whole run, where the text that it encodes holds a secret."""
    run = data[start:end].rstrip(b"=").translate(_URL_SAFE)
    run = run[: len(run) - (len(run) % 4 == 1)]
    return (start, end) if scan(base64.b64decode(run + b"=" * (-len(run) % 4))) else None


def percent_part(data: bytes, start: int, end: int, scan: Scan) -> Part | None:
    """From the first to the last secret in the decoded run, in places of the encoded one."""
    before = _RUN_BEFORE.search(data, max(0, start - _BEHIND_BYTES), start)
    begin = before.start() if before else start
    if end - begin > _LONGEST_BYTES:
        return begin, end
    plain, places = _unquoted(data[begin:end])
    found = scan(plain)
    if not found:
        return None
    first, last = min(part[0] for part in found), max(part[1] for part in found)
    return begin + places[first], begin + places[last]


def _unquoted(run: bytes) -> tuple[bytes, list[int]]:
    """The decoded bytes, and for each of them (and the end) where it stood."""
    plain, places, at = bytearray(), [], 0
    while at < len(run):
        match = _PERCENT.match(run, at)
        plain.append(int(match.group(1), 16) if match else run[at])
        places.append(at)
        at += 3 if match else 1
    return bytes(plain), [*places, at]


Decoder = Callable[[bytes, int, int, Scan], Part | None]
DECODERS: Final[Mapping[str, Decoder]] = {"base64": base64_part, "percent": percent_part}
