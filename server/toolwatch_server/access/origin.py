"""Requests that another site makes through a person's browser."""

from collections.abc import Mapping
from typing import Final
from urllib.parse import urlsplit

SAFE_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS"})
OWN_NAMES: Final = frozenset({"localhost", "127.0.0.1", "::1"})


def is_foreign(method: str, headers: Mapping[str, str]) -> bool:
    """Whether a browser says that a changing request comes from another origin. Programs do not, and pass."""
    if method in SAFE_METHODS:
        return False
    fetch_site = headers.get("sec-fetch-site")
    if fetch_site is not None:
        return fetch_site not in ("same-origin", "none")
    origin = headers.get("origin")
    return origin is not None and urlsplit(origin).netloc.lower() != headers.get("host", "").lower()


def is_rebound(host_header: str, allowed: frozenset[str]) -> bool:
    """Whether the name by which we were called is none of ours: another site may have made it point here."""
    try:
        name = (urlsplit(f"//{host_header}").hostname or "").rstrip(".")
    except ValueError:
        return True
    own = name in OWN_NAMES or (name.startswith("127.") and name.replace(".", "").isdecimal())
    return not (own or name.endswith(".localhost") or name in allowed)
