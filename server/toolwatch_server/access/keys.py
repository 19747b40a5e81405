"""API keys, and where a request may carry one."""

import base64
import binascii
import hashlib
import hmac
from collections.abc import Iterator, Mapping, Sequence


class Keys:
    """The configured keys, as hashes: a key itself is needed only while it is compared."""

    def __init__(self, keys: Sequence[str]) -> None:
        self._hashes = tuple(hashlib.sha256(key.encode()).digest() for key in keys)

    def __bool__(self) -> bool:
        return bool(self._hashes)

    def accept(self, candidate: str) -> bool:
        """Compares with every key, in a time that does not tell how much was right."""
        digest = hashlib.sha256(candidate.encode()).digest()
        return sum(hmac.compare_digest(digest, known) for known in self._hashes) > 0

    def secret(self) -> bytes:
        """What sessions are signed with: it changes when the keys do, so that old sessions end."""
        return hashlib.sha256(b"toolwatch session" + b"".join(self._hashes)).digest()


def presented(headers: Mapping[str, str]) -> tuple[str, ...]:
    """The keys a request carries: x-api-key, a bearer token, or either half of basic authorization."""
    return tuple(key for key in _found(headers) if key)


def _found(headers: Mapping[str, str]) -> Iterator[str]:
    yield headers.get("x-api-key", "").strip()
    scheme, _, rest = headers.get("authorization", "").strip().partition(" ")
    if scheme.lower() == "bearer":
        yield rest.strip()
    elif scheme.lower() == "basic":  # Langfuse's SDK sends public:secret
        try:
            public, _, secret = base64.b64decode(rest, validate=True).decode().partition(":")
        except (binascii.Error, UnicodeDecodeError):
            return
        yield from (secret, public)
