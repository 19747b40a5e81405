"""What stands where a secret stood."""

import hashlib
import hmac
import re
from dataclasses import dataclass
from typing import Final, Literal

FAILED: Final = "[redaction failed]"

# Names of rules always hold a hyphen, so that "[dict]" or "[str]" in a message is never taken for a mark.
MARK: Final = re.compile(
    r"\[(?:redaction failed|(?P<rule>[a-z][a-z0-9]*(?:-[a-z0-9]+)+)(?::(?:[0-9a-f]{6}){1,2})?)\]"
)
_LONGEST_MARK_BYTES: Final = 80
_MARK_BYTES: Final = re.compile(MARK.pattern.encode())
_ONLY_MARKS: Final = re.compile(rb"(?:%s)+[)\].},:;]*" % MARK.pattern.replace("?P<rule>", "?:").encode())


@dataclass(frozen=True, slots=True)
class Hit:
    """One rule and how many values it hid."""

    rule: str
    count: int


@dataclass(frozen=True, slots=True)
class Fingerprints:
    """digits: six to see that secrets are equal, twelve where a name must stay the only one of its kind."""

    key: bytes
    digits: Literal[6, 12] = 6

    def of(self, secret: bytes) -> str:
        return hmac.new(self.key, secret, hashlib.sha256).hexdigest()[: self.digits]


def mark(rule: str, secret: bytes, fingerprints: Fingerprints | None) -> bytes:
    """``[rule]``, or ``[rule:3fa2c1]`` where equal secrets shall be seen to be equal."""
    return f"[{rule}]".encode() if fingerprints is None else f"[{rule}:{fingerprints.of(secret)}]".encode()


def only_marks(value: bytes) -> bool:
    """Whether nothing but marks is left, so that hiding it again would say less."""
    return value[:1] == b"[" and _ONLY_MARKS.fullmatch(value) is not None


def is_marked(data: bytes, start: int, end: int) -> bool:
    """Whether a part is made of marks, is a piece of one, or begins within one."""
    if only_marks(data[start:end]):
        return True
    opened = data.rfind(b"[", max(0, start - _LONGEST_MARK_BYTES), start + 1)
    match = _MARK_BYTES.match(data, opened) if opened >= 0 else None
    return match is not None and (match.end() >= end or opened < start < match.end())
