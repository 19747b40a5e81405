"""How it goes with one place to which spans are passed on."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Forwarding:
    """Numbers of spans; all but waiting since the start of this process."""

    name: str
    endpoint: str
    only: str  # "everything", "failures" or "service NAME"
    sent: int
    refused: int  # by the destination, for good
    given_up: int  # waited too long, or were deleted meanwhile
    waiting: int
    oldest_ns: int | None  # since when the first of them waits
    last_sent_ns: int | None
    error: str | None  # what the last try said; None after a success
