"""TOOLWATCH_FORWARD: a JSON list of destinations, read at start, refused with the place of the mistake."""

import json
from pathlib import Path
from typing import Annotated, Final, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from toolwatch_server.errors import CannotStart

CODE: Final = "S014"
SCHEMES: Final = ("http", "https", "grpc", "grpcs")


def _endpoint(text: str) -> str:
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError as error:
        raise ValueError(f"it is not an address: {error}") from None
    if parts.scheme not in SCHEMES or not parts.hostname:
        raise ValueError("it must begin with http://, https://, grpc:// or grpcs://, and name a host")
    if parts.scheme.startswith("grpc") and (port is None or parts.path.strip("/")):
        raise ValueError("for gRPC it must be grpc://HOST:PORT or grpcs://HOST:PORT")
    if parts.username or parts.password:
        raise ValueError("it must hold no password; put it into headers")
    return text


def _readable(path: Path) -> Path:
    try:
        path.read_bytes()
    except OSError as error:
        raise ValueError(f"it cannot be read: {error.strerror}") from None
    return path


PemFile = Annotated[Path, AfterValidator(_readable)]


class OneService(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    service: str = Field(min_length=1)


class Destination(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(pattern=r"^[A-Za-z0-9_.-]{1,60}$")
    endpoint: Annotated[str, AfterValidator(_endpoint)]
    headers: dict[str, str] = Field(default={}, repr=False)  # they may hold keys
    only: Literal["failures"] | OneService | None = None
    ca_file: PemFile | None = None
    cert_file: PemFile | None = None
    key_file: PemFile | None = None
    timeout_s: float = Field(default=10, gt=0, le=60)

    @property
    def speaks_grpc(self) -> bool:
        return self.endpoint.startswith("grpc")

    @property
    def service(self) -> str | None:
        return self.only.service if isinstance(self.only, OneService) else None

    @property
    def failures(self) -> bool:
        return self.only == "failures"


def destinations(text: str) -> tuple[Destination, ...]:
    """Raises CannotStart, with a sentence that repeats no value: headers are secret."""
    if not text.strip():
        return ()
    try:
        given = json.loads(text)
    except ValueError as error:
        raise _refusal(f"it is not JSON: {error}") from None
    try:
        found = TypeAdapter(tuple[Destination, ...]).validate_python(given)
    except ValidationError as error:
        raise _refusal(_sentence(error)) from None
    for destination in found:
        if sum(other.name == destination.name for other in found) > 1:
            raise _refusal(f"two destinations are named {destination.name!r}")
        if (destination.cert_file is None) != (destination.key_file is None):
            raise _refusal(f"destination {destination.name!r}: cert_file and key_file go together")
    return found


def _sentence(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False)[0]
    reason = first["msg"].removeprefix("Value error, ")
    if not first["loc"]:
        return 'it must be a list: [{"name": …, "endpoint": …}, …]'
    place, *names = first["loc"]
    field = next((name for name in names if isinstance(name, str)), None)
    where = f"destination {int(place) + 1}" + (f", {field}" if field else "")
    if field == "only":
        reason = 'it must be "failures" or {"service": NAME}'
    elif first["type"] == "extra_forbidden":
        reason = f"there is no such field; known are {', '.join(Destination.model_fields)}"
    return f"{where}: {reason}"


def _refusal(reason: str) -> CannotStart:
    return CannotStart(f"TOOLWATCH_FORWARD: {reason}.", code=CODE)
