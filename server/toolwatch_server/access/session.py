"""A person's session: a signed cookie that says until when, and nothing else."""

import hashlib
import hmac
from typing import Final

COOKIE: Final = "toolwatch_session"
LASTS_S: Final = 30 * 24 * 3600


def issue(secret: bytes, now_s: int) -> str:
    until = str(now_s + LASTS_S)
    return f"{until}.{_signature(secret, until)}"


def holds(secret: bytes, cookie: str, now_s: int) -> bool:
    until, _, signature = cookie.partition(".")
    genuine = hmac.compare_digest(signature.encode(), _signature(secret, until).encode())
    return genuine and until.isdecimal() and int(until) > now_s


def _signature(secret: bytes, until: str) -> str:
    return hmac.new(secret, until.encode(), hashlib.sha256).hexdigest()
