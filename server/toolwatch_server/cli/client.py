"""Talking to a running server."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any, Final, Self

import httpx2 as httpx
import typer

from toolwatch_server.errors import Later, ToolwatchError

DEFAULT_SERVER: Final = "http://127.0.0.1:4318"

Server = Annotated[
    str, typer.Option("--server", envvar="TOOLWATCH_SERVER", help="The address of the server to ask.")
]


class Client:
    """Every failure becomes a ToolwatchError with a sentence about what to do."""

    def __init__(self, server: str) -> None:
        self.server = server.rstrip("/")
        # Of several keys that the same environment gives a server, one is enough.
        key = os.environ.get("TOOLWATCH_API_KEY", "").split(",")[0].strip()
        headers = {"authorization": f"Bearer {key}"} if key else {}
        try:
            self._http = httpx.Client(base_url=self.server, headers=headers, timeout=30)
        except (httpx.InvalidURL, ValueError) as error:
            raise ToolwatchError(f"{server!r} is not the address of a server: {error}") from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._http.close()

    def get(self, path: str, **query: Any) -> httpx.Response:
        return self._checked("GET", path, params=query)

    def post(self, path: str, body: bytes, content_type: str) -> httpx.Response:
        return self._checked("POST", path, content=body, headers={"content-type": content_type})

    def delete(self, path: str) -> httpx.Response:
        return self._checked("DELETE", path)

    @contextmanager
    def stream(self, path: str, **query: Any) -> Iterator[Iterator[bytes]]:
        """The answer piece by piece, however long it is. Raises ToolwatchError, also when it breaks off."""
        with self._reached(), self._http.stream("GET", path, params=query) as answer:
            if not answer.is_success:
                answer.read()
                raise self._refusal(answer)
            yield answer.iter_bytes()

    def _checked(self, method: str, path: str, **given: Any) -> httpx.Response:
        with self._reached():
            answer = self._http.request(method, path, **given)
        if answer.is_success or answer.status_code == 404:  # what is not there, the caller names better
            return answer
        raise self._refusal(answer)

    @contextmanager
    def _reached(self) -> Iterator[None]:
        try:
            yield
        except (httpx.ConnectError, httpx.ConnectTimeout):
            raise ToolwatchError(
                f"No server answers at {self.server}. Start one with 'toolwatch serve', "
                "or name another with --server."
            ) from None
        except httpx.UnsupportedProtocol:
            raise ToolwatchError(f"{self.server!r} must begin with http:// or https://.") from None
        except httpx.HTTPError as error:
            raise ToolwatchError(f"{self.server} did not answer: {error}") from None

    def _refusal(self, answer: httpx.Response) -> ToolwatchError:
        said = f"{self.server} refused ({answer.status_code}): {_reason(answer)}"
        if answer.status_code not in (429, 503):
            return ToolwatchError(said)
        wait = answer.headers.get("retry-after", "")
        return Later(said, after_s=int(wait) if wait.isdecimal() else 1)


def _reason(answer: httpx.Response) -> str:
    try:
        said = answer.json()
    except ValueError:
        return answer.text[:300] or answer.reason_phrase
    error = said.get("error", said) if isinstance(said, dict) else {}
    message = error.get("message") or answer.reason_phrase
    allowed = error.get("allowed")
    if allowed is None:
        return str(message)
    return f"{message} Allowed: {allowed if isinstance(allowed, str) else ', '.join(allowed)}."
