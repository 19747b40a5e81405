"""What the server knows about the calls that the agents' models asked for."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import httpx2 as httpx

from toolwatch_server.demo.crew import Asked, Crew
from toolwatch_server.demo.server import DemoError

QUIET_S = 120.0  # a busy machine is slow to start the agents
POLL_S = 0.5
RUNNING = "running"


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """A call as the server tells it, beside what was asked for."""

    asked: Asked
    outcome: str
    executions: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    agents_at_work: int
    asked: int
    stored: int
    running: int


def client(address: str, api_key: str | None) -> httpx.Client:
    headers = {} if api_key is None else {"Authorization": f"Bearer {api_key}"}
    return httpx.Client(base_url=address, headers=headers, timeout=10)


def wait_until_stored(
    http: httpx.Client, crew: Crew, *, ended: bool, tell: Callable[[Progress], None]
) -> tuple[Stored, ...]:
    """The calls of the first round of stories, once each is stored; with ended, once none is running.

    Raises DemoError when that takes too long or when the server does not answer.
    """
    known: dict[str, Stored] = {}
    before, deadline = None, time.monotonic() + QUIET_S
    while time.monotonic() < deadline:
        at_work = len(crew.agents) - crew.have_told()  # asked first: whoever has told asks for nothing more
        asked = crew.asked()
        for call in asked:
            if call.tool_call_id not in known or known[call.tool_call_id].outcome == RUNNING:
                known |= {stored.asked.tool_call_id: stored for stored in look_up(http, call)}
        running = sum(stored.outcome == RUNNING for stored in known.values())
        now = Progress(agents_at_work=at_work, asked=len(asked), stored=len(known), running=running)
        tell(now)
        if now != before:
            before, deadline = now, time.monotonic() + QUIET_S
        if not at_work and len(known) == len(asked) and not (ended and running):
            return tuple(stored for call in asked for stored in look_up(http, call))
        time.sleep(POLL_S)
    missing = ", ".join(call.tool_call_id for call in crew.asked() if call.tool_call_id not in known)
    raise DemoError(
        f"Nothing has changed for {QUIET_S:.0f} s, and not all is known. Missing: {missing or 'ends'}."
    )


def look_up(http: httpx.Client, call: Asked) -> tuple[Stored, ...]:
    """The call in the server's words, or nothing while it is unknown there."""
    try:
        answer = http.get("/api/v1/calls", params={"tool_call_id": call.tool_call_id})
        answer.raise_for_status()
    except httpx.HTTPError as error:
        raise DemoError(f"The server cannot be asked about {call.tool_call_id}: {error}") from None
    found: list[dict[str, Any]] = answer.json()["calls"]
    return tuple(
        Stored(asked=call, outcome=one["outcome"], executions=one["executions"]) for one in found[:1]
    )
