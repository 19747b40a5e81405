"""The agents of the demo, each in a process of its own, and what their models asked for."""

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from toolwatch_server.demo.casting import ALL_TOLD, ASKED_FOR, CASTS, DOOMED
from toolwatch_server.demo.server import clean_environment, stop


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A call that a model asked for. look says why a newcomer should open it."""

    tool_call_id: str
    tool: str
    look: str | None


@dataclass(slots=True)
class Agent:
    """A process, and what it has said so far."""

    process: subprocess.Popen[str]
    asked: list[Asked] = field(default_factory=list)
    told: bool = False
    listener: threading.Thread = field(init=False)

    def __post_init__(self) -> None:
        self.listener = threading.Thread(target=self.listen, daemon=True)
        self.listener.start()

    def listen(self) -> None:
        for line in self.process.stdout or ():
            if line.startswith(ASKED_FOR):
                self.asked.append(Asked(**json.loads(line.removeprefix(ASKED_FOR))))
            elif line.startswith(ALL_TOLD):
                self.told = True
        self.told = True  # or it died, as one of them is meant to

    def dismiss(self) -> None:
        stop(self.process)
        self.listener.join()


@dataclass(frozen=True, slots=True)
class Crew:
    agents: tuple[Agent, ...]

    def asked(self) -> tuple[Asked, ...]:
        return tuple(call for agent in self.agents for call in tuple(agent.asked))

    def have_told(self) -> int:
        """How many agents have told each of their stories once."""
        return sum(agent.told for agent in self.agents)


@contextmanager
def a_crew(server: str, api_key: str | None, *, keep_going: bool) -> Iterator[Crew]:
    """Agents at work, as long as the context lasts. With keep_going they repeat their stories until then."""
    agents = [start(cast, server, api_key, keep_going=keep_going and cast != DOOMED) for cast in CASTS]
    try:
        yield Crew(tuple(agents))
    finally:
        for agent in agents:
            agent.dismiss()


def start(cast: str, server: str, api_key: str | None, *, keep_going: bool) -> Agent:
    command = [sys.executable, "-m", "toolwatch_server.demo.agents", cast, *["--keep-going"] * keep_going]
    return Agent(
        subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=clean_environment() | collector_settings(f"{CASTS[cast]}-agent", server, api_key),
        )
    )


def collector_settings(service: str, server: str, api_key: str | None) -> dict[str, str]:
    said = {
        "OTEL_EXPORTER_OTLP_ENDPOINT": server,
        "OTEL_SERVICE_NAME": service,
        "OTEL_RESOURCE_ATTRIBUTES": "deployment.environment.name=demo",
    }
    if api_key is not None:
        said["OTEL_EXPORTER_OTLP_HEADERS"] = f"Authorization=Bearer%20{api_key}"
    return said
