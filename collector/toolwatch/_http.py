"""Posts a batch of records; tells what a server does not want from what it cannot take now."""

import enum
import gzip
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import requests

TIMEOUT_S: Final = 5.0
CERTIFICATE: Final = "CERTIFICATE"
MEDIA: Final = "application/x-protobuf"


class Fate(enum.Enum):
    TAKEN = "taken"
    LATER = "later"  # unreachable, busy or broken: worth another attempt
    TOO_LARGE = "too large"
    REFUSED = "refused"  # the same bytes would be refused again


def setting(name: str) -> str | None:
    """An OTLP setting of the environment; the one for traces wins."""
    return os.environ.get(f"OTEL_EXPORTER_OTLP_TRACES_{name}") or os.environ.get(f"OTEL_EXPORTER_OTLP_{name}")


class Poster:
    """One keep-alive connection to one address. Not thread-safe. Proxies are those of the environment."""

    def __init__(self, url: str, headers: Mapping[str, str]) -> None:
        self._url = url
        self._headers = {**headers, "Content-Type": MEDIA}
        self._gzip = (setting("COMPRESSION") or "").lower() == "gzip"
        self._session: requests.Session | None = None
        if self._gzip:
            self._headers["Content-Encoding"] = "gzip"

    def post(self, body: bytes) -> Fate:
        import requests
        from opentelemetry import context

        if self._session is None:
            self._session = self._open(requests.Session())
        token = context.attach(context.set_value(context._SUPPRESS_INSTRUMENTATION_KEY, True))
        try:
            sent = gzip.compress(body, 1) if self._gzip else body
            answer = self._session.post(self._url, sent, headers=self._headers, timeout=TIMEOUT_S)
        except requests.RequestException:
            return Fate.LATER
        finally:
            context.detach(token)
        return _fate(answer.status_code)

    def _open(self, session: "requests.Session") -> "requests.Session":
        session.verify = setting(CERTIFICATE) or True
        certificate, key = setting("CLIENT_CERTIFICATE"), setting("CLIENT_KEY")
        if certificate:
            session.cert = (certificate, key) if key else certificate
        return session


def _fate(status: int) -> Fate:
    if 200 <= status < 300:
        return Fate.TAKEN
    if status == 413:
        return Fate.TOO_LARGE
    return Fate.LATER if status in {401, 403, 404, 408, 429} or status >= 500 else Fate.REFUSED
