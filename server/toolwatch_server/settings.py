"""The settings: one frozen class. Every setting has a sentence, a default and a refusal with a code.

Each is read from TOOLWATCH_<NAME>. Secrets may stand in a file instead, named by TOOLWATCH_<NAME>_FILE.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from platformdirs import user_data_path
from pydantic import Field, SecretStr, ValidationError, field_validator, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from toolwatch_server.domain.keeping import Rules
from toolwatch_server.errors import CannotStart
from toolwatch_web import outside

PREFIX: Final = "TOOLWATCH_"
SECRETS: Final = ("database_url", "api_key", "redact_fingerprint_key", "forward")
LOOPBACK: Final = frozenset({"127.0.0.1", "localhost", "::1"})

CODES: Final = {
    "database_url": "S001",
    "host": "S002",
    "port": "S003",
    "api_key": "S004",
    "allow_open": "S005",
    "allowed_hosts": "S006",
    "max_body_bytes": "S007",
    "max_value_bytes": "S008",
    "queue_bytes": "S009",
    "grpc_port": "S013",
    "link_templates": "S020",
    "redact_tiers": "S030",
    "redact_credentials": "S031",
    "redact_keys": "S032",
    "redact_allow": "S033",
    "redact_rules": "S034",
    "redact_fingerprints": "S035",
    "redact_fingerprint_key": "S036",
    "forward": "S014",
    "keep_days": "S015",
    "keep_failures_days": "S016",
    "keep_bodies_days": "S017",
    "keep_calls": "S018",
    "keep_bytes": "S019",
}
NO_KEY: Final = "S010"
FILE_UNREADABLE: Final = "S011"


TIERS: Final = ("credentials", "infrastructure", "personal")
SHORTEST_KEY_BYTES: Final = 16


def user_folder() -> Path:
    """Where the user's own data are kept."""
    return user_data_path("toolwatch", appauthor=False)


def default_database_url() -> str:
    """SQLite in the user's own data directory."""
    return f"sqlite:///{user_folder() / 'toolwatch.db'}"


class Settings(BaseSettings):
    model_config = SettingsConfigDict(env_prefix=PREFIX, frozen=True, extra="ignore")

    database_url: str = Field(
        default_factory=default_database_url,
        repr=False,  # it may hold a password
        pattern=r"^(sqlite|postgresql|postgres)(\+[a-z0-9]+)?://",
        description="Where calls are kept: sqlite:///path or postgresql://user:password@host/name.",
    )
    host: str = Field(
        default="127.0.0.1",
        min_length=1,
        description="The address to listen on. Any other than this machine's own needs an API key.",
    )
    port: int = Field(
        default=4318, ge=0, le=65535, description="The port for pages, API and OTLP/HTTP; 0 takes a free one."
    )
    grpc_port: int = Field(
        default=4317, ge=0, le=65535, description="The port for OTLP/gRPC; 0 turns it off."
    )
    api_key: SecretStr = Field(
        default=SecretStr(""),
        description="The keys that senders, programs and people must present; commas between several.",
    )
    allow_open: bool = Field(
        default=False,
        description="Listen on any address without an API key: whoever reaches the port reads everything.",
    )
    allowed_hosts: str = Field(
        default="",
        description="Further names by which browsers may address a server without an API key, with commas.",
    )
    max_body_bytes: int = Field(
        default=64 * 1024 * 1024, ge=1024, description="The largest request, measured after decompression."
    )
    max_value_bytes: int = Field(
        default=256 * 1024, ge=256, description="Longer texts are cut to this many bytes, and say so."
    )
    queue_bytes: int = Field(
        default=256 * 1024 * 1024,
        ge=1024,
        description="How many bytes of requests may wait before senders are told to come back.",
    )

    link_templates: str = Field(
        default="",
        description="Links to other tools on the pages of calls and traces: name=https://… with "
        "{trace_id}, {span_id}, {service}, {start_ms} and the like; spaces between several.",
    )

    @field_validator("link_templates")
    @classmethod
    def _readable_links(cls, text: str) -> str:
        outside.read(text)
        return text

    redact_tiers: str = Field(
        default="credentials,infrastructure,personal",
        description="What is hidden, with commas; credentials are, whether named or not.",
    )
    redact_credentials: bool = Field(
        default=True,
        description="Turn it off to store passwords and tokens as they are; said loudly at every start.",
    )
    redact_keys: str = Field(
        default="",
        description="More names of fields whose values are hidden, in any spelling, with commas.",
    )
    redact_allow: str = Field(default="", description="Exact values that are never hidden, with commas.")
    redact_rules: str = Field(
        default="",
        description="A TOML file: patterns of your own, rules for single services (docs/redaction.md).",
    )
    redact_fingerprints: bool = Field(
        default=False,
        description="Marks carry six hex digits, by which equal secrets are seen to be equal.",
    )
    redact_fingerprint_key: SecretStr = Field(
        default=SecretStr(""),
        description="At least 16 bytes to make fingerprints with; else a key is made and kept in a file.",
    )

    @field_validator("redact_tiers")
    @classmethod
    def _known_tiers(cls, tiers: str) -> str:
        if unknown := sorted(set(comma_separated(tiers)) - set(TIERS)):
            raise ValueError(f"there is no tier {unknown[0]!r}; there are {', '.join(TIERS)}")
        return tiers

    @field_validator("redact_fingerprint_key")
    @classmethod
    def _long_enough(cls, key: SecretStr) -> SecretStr:
        if 0 < len(key.get_secret_value().encode()) < SHORTEST_KEY_BYTES:
            raise ValueError(f"it must have at least {SHORTEST_KEY_BYTES} bytes")
        return key

    keep_days: float | None = Field(
        default=None, gt=0, description="Delete traces that were last heard of so many days ago."
    )
    keep_failures_days: float | None = Field(
        default=None, gt=0, description="Keep traces with a failed call longer: so many days."
    )
    keep_bodies_days: float | None = Field(
        default=None,
        gt=0,
        description="Delete arguments, results and raw spans after so many days; calls stay.",
    )
    keep_calls: int | None = Field(
        default=None, ge=1, description="Keep about so many calls at most; the oldest traces go first."
    )
    keep_bytes: int | None = Field(
        default=None,
        ge=1,
        description="Let the database grow to about this size; the oldest traces go first.",
    )
    forward: SecretStr = Field(
        default=SecretStr(""),
        description="Other OTLP servers to pass spans on to: a JSON list, told of in docs/operations.md.",
    )

    @model_validator(mode="after")
    def _roomy_queue(self) -> "Settings":
        if self.queue_bytes < self.max_body_bytes:
            raise ValueError("TOOLWATCH_QUEUE_BYTES must not be smaller than TOOLWATCH_MAX_BODY_BYTES")
        return self

    def shown(self) -> dict[str, str]:
        """Every setting by its variable, for people; what is secret only as whether it is set."""
        plain = {name: str(getattr(self, name)) for name in type(self).model_fields if name not in SECRETS}
        secrets = {"api_key": self.api_keys, "forward": self.forward.get_secret_value()}
        shown = {**plain, **{name: "set" if value else "not set" for name, value in secrets.items()}}
        return {f"{PREFIX}{name.upper()}": value for name, value in shown.items()}

    @property
    def api_keys(self) -> tuple[str, ...]:
        return comma_separated(self.api_key.get_secret_value())

    @property
    def host_names(self) -> tuple[str, ...]:
        return tuple(name.lower() for name in comma_separated(self.allowed_hosts))

    @property
    def rules(self) -> Rules:
        return Rules(
            days=self.keep_days,
            failures_days=self.keep_failures_days,
            bodies_days=self.keep_bodies_days,
            calls=self.keep_calls,
            size_bytes=self.keep_bytes,
        )

    @property
    def on_loopback(self) -> bool:
        return self.host in LOOPBACK or self.host.startswith("127.")


def load(environment: Mapping[str, str] | None = None, **given: Any) -> Settings:
    """The settings: given values first, then the environment. None among the given means "not given".

    Raises CannotStart with a code for each wrong value, and for an open address without a key.
    """
    chosen = _secrets_from_files(os.environ if environment is None else environment)
    chosen |= {name: value for name, value in given.items() if value is not None}
    try:
        settings = Settings(**chosen)
    except ValidationError as error:
        raise _refusal(error) from None
    if not (settings.on_loopback or settings.api_keys or settings.allow_open):
        raise CannotStart(
            f"Listening on {settings.host} needs an API key: set TOOLWATCH_API_KEY. To let everyone who "
            "reaches the port read and write, set TOOLWATCH_ALLOW_OPEN=true.",
            code=NO_KEY,
        )
    return settings


def _secrets_from_files(environment: Mapping[str, str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name in SECRETS:
        variable = f"{PREFIX}{name.upper()}_FILE"
        if path := environment.get(variable):
            try:
                found[name] = Path(path).read_text(encoding="utf-8").strip()
            except (OSError, UnicodeDecodeError) as error:
                raise CannotStart(f"{variable}: cannot read {path}: {error}", code=FILE_UNREADABLE) from None
    return found


def _refusal(error: ValidationError) -> CannotStart:
    first = error.errors(include_url=False, include_input=False)[0]
    field = str(first["loc"][0]) if first["loc"] else "queue_bytes"
    reason = first["msg"].removeprefix("Value error, ")
    if field == "database_url":
        reason = "it must begin with sqlite:/// or postgresql://"
    sentence = reason if reason.startswith(PREFIX) else f"{PREFIX}{field.upper()}: {reason}"
    return CannotStart(f"{sentence}.", code=CODES[field])


def comma_separated(text: str) -> tuple[str, ...]:
    return tuple(part for part in (piece.strip() for piece in text.split(",")) if part)
