"""Posts a batch of records; tells what a server does not want from what it cannot take now."""

import base64
import enum
import gzip
import http.client
import os
import ssl
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import unquote, urlsplit

TIMEOUT_S: Final = 5.0
MEDIA: Final = "application/x-protobuf"


class Fate(enum.Enum):
    TAKEN = "taken"
    LATER = "later"  # unreachable, busy or broken: worth another attempt
    TOO_LARGE = "too large"
    REFUSED = "refused"  # the same bytes would be refused again


def setting(name: str) -> str | None:
    """An OTLP setting of the environment; the one for traces wins."""
    return os.environ.get(f"OTEL_EXPORTER_OTLP_TRACES_{name}") or os.environ.get(f"OTEL_EXPORTER_OTLP_{name}")


def tls_context() -> ssl.SSLContext:
    """Trusts the system's authorities or OTEL_EXPORTER_OTLP_CERTIFICATE; may show one of ours."""
    context = ssl.create_default_context(cafile=setting("CERTIFICATE"))
    certificate = setting("CLIENT_CERTIFICATE")
    if certificate:
        context.load_cert_chain(certificate, setting("CLIENT_KEY"))
    return context


@dataclass(frozen=True, slots=True)
class Address:
    """An endpoint and how to reach it. proxy is the address of the environment's proxy, if one is due."""

    host: str
    port: int
    tls: bool
    path: str
    headers: Mapping[str, str]
    proxy: str | None

    @classmethod
    def of(cls, url: str, headers: Mapping[str, str]) -> "Address | None":
        """None for what is not HTTP. headers are sent with every request."""
        parts = urlsplit(url)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            return None
        netloc = parts.netloc.rpartition("@")[2]
        sent = {"Host": netloc, "Content-Type": MEDIA, **headers}
        if parts.username and "authorization" not in {name.lower() for name in sent}:
            sent["Authorization"] = _basic(parts.username, parts.password)
        tls = parts.scheme == "https"
        proxy = urllib.request.getproxies().get(parts.scheme)
        return cls(
            host=parts.hostname,
            port=parts.port or (443 if tls else 80),
            tls=tls,
            path=(parts.path or "/") + (f"?{parts.query}" if parts.query else ""),
            headers=sent,
            proxy=None if proxy is None or urllib.request.proxy_bypass(netloc) else proxy,
        )


def _basic(user: str, password: str | None) -> str:
    login = f"{unquote(user)}:{unquote(password or '')}".encode()
    return f"Basic {base64.b64encode(login).decode()}"


class Poster:
    """One keep-alive connection to one address. Not thread-safe."""

    def __init__(self, address: Address) -> None:
        self._address = address
        self._gzip = (setting("COMPRESSION") or "").lower() == "gzip"
        self._headers = {**address.headers} | ({"Content-Encoding": "gzip"} if self._gzip else {})
        self._target = address.path
        self._connection: http.client.HTTPConnection | None = None
        self.reached = False  # somebody has answered, ever

    def post(self, body: bytes) -> Fate:
        sent = gzip.compress(body, 1) if self._gzip else body
        kept = self._connection is not None
        status = self._post(sent)
        if status is None and kept:  # a server may close a connection that was idle
            status = self._post(sent)
        if status is None:
            return Fate.LATER
        self.reached = True
        return _fate(status)

    def _post(self, body: bytes) -> int | None:
        """None: no answer."""
        try:
            if self._connection is None:
                self._connection = self._open()
            self._connection.request("POST", self._target, body, self._headers)
            answer = self._connection.getresponse()
            answer.read()
            return answer.status
        except (OSError, http.client.HTTPException):
            self.close()
            return None

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._connection = None

    def _open(self) -> http.client.HTTPConnection:
        address = self._address
        via = (
            urlsplit(address.proxy if "://" in address.proxy else f"http://{address.proxy}")
            if address.proxy
            else None
        )
        host, port = (via.hostname or "", via.port or 80) if via is not None else (address.host, address.port)
        login = {"Proxy-Authorization": _basic(via.username, via.password)} if via and via.username else {}
        if address.tls:
            secure = http.client.HTTPSConnection(host, port, timeout=TIMEOUT_S, context=tls_context())
            if via is not None:
                secure.set_tunnel(address.host, address.port, login)
            return secure
        if via is not None:
            self._target = f"http://{address.headers['Host']}{address.path}"
            self._headers |= login
        return http.client.HTTPConnection(host, port, timeout=TIMEOUT_S)


def _fate(status: int) -> Fate:
    if 200 <= status < 300:
        return Fate.TAKEN
    if status == 413:
        return Fate.TOO_LARGE
    return Fate.LATER if status in {401, 403, 404, 408, 429} or status >= 500 else Fate.REFUSED
