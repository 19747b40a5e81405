"""What the environment says about redaction (docs/settings.md). What cannot be used hides more, not less."""

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from toolwatch._guard import say_once

if TYPE_CHECKING:
    from toolwatch.redaction import Redactor

PREFIX: Final = "TOOLWATCH_REDACT_"
SHORTEST_KEY_BYTES: Final = 16


def load_rules(environment: Mapping[str, str] = os.environ) -> "Redactor":
    """Imported here: a process that never calls a tool need not pay for it."""
    from toolwatch.redaction import TIERS, InvalidRule, Redactor

    tiers, keys, allow = (_listed(environment, name) for name in ("TIERS", "KEYS", "ALLOW"))
    fingerprints = _true(environment, "FINGERPRINTS", "false")
    credentials = _true(environment, "CREDENTIALS", "true")
    if not (tiers or keys or allow or fingerprints) and credentials:
        return Redactor.default()
    key = name_key(environment) if fingerprints else None
    try:
        return Redactor.build(
            tiers=tiers or TIERS, extra_keys=keys, allow=allow, fingerprint_key=key, credentials=credentials
        )
    except InvalidRule as fault:
        say_once("toolwatch: %sTIERS: %s; all tiers stay on", PREFIX, fault)
        return Redactor.build(extra_keys=keys, allow=allow, fingerprint_key=key)


_of_this_process: Final = os.urandom(16)


def name_key(environment: Mapping[str, str] = os.environ) -> bytes:
    """Of fingerprints. Without one that is given, equal names look equal within this process only."""
    given = environment.get(f"{PREFIX}FINGERPRINT_KEY", "").encode()
    return given if len(given) >= SHORTEST_KEY_BYTES else _of_this_process


def _listed(environment: Mapping[str, str], name: str) -> tuple[str, ...]:
    pieces = (piece.strip() for piece in environment.get(PREFIX + name, "").split(","))
    return tuple(piece for piece in pieces if piece)


def _true(environment: Mapping[str, str], name: str, default: str) -> bool:
    return environment.get(PREFIX + name, default).strip().lower() in ("true", "1", "yes", "on")
