"""toolwatch demo: a server, agents that make calls of every kind, and where to look."""

import importlib.util
import signal
import threading
from contextlib import nullcontext
from types import FrameType

from rich.console import Console

from toolwatch_server.demo.crew import Crew, a_crew
from toolwatch_server.demo.report import calls_table, progress_line, where_to_look
from toolwatch_server.demo.server import DemoError, a_server
from toolwatch_server.demo.stored import Progress, Stored, client, wait_until_stored

TABLE_WIDTH = 100  # of a pipe, which has none of its own


def run_demo(
    *, once: bool, server: str | None = None, port: int | None = None, api_key: str | None = None
) -> int:
    """Runs until the calls are stored (once) or until Ctrl-C. Returns the exit code; prints what went wrong.

    server is the address of a running one, api_key its key. Without it the demo starts a server of its own,
    on port or else on 4318 or a free one, and its database is gone afterwards.
    """
    console = Console()
    if not console.is_terminal:
        console.width = max(console.width, TABLE_WIDTH)
    for ending in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(ending, interrupt)  # a demo that is ended takes its server and its agents along
    try:
        need_langgraph()
        with a_server(port) if server is None else nullcontext(server.rstrip("/")) as address:
            console.print(f"The server is [bold]{address}[/]", highlight=False)
            with a_crew(address, api_key if server else None, keep_going=not once) as crew:
                calls = first_round(console, crew, address, api_key if server else None, ended=once)
                if once:
                    console.print(calls_table(calls), highlight=False)
                else:
                    console.print(where_to_look(address, calls), highlight=False)
                    threading.Event().wait()
    except DemoError as error:
        console.print(f"{error}", style="red", markup=False, highlight=False)
        return 1
    except KeyboardInterrupt:
        console.print("\nThe demo has ended.")
    return 0


def interrupt(_signal: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def first_round(
    console: Console, crew: Crew, address: str, api_key: str | None, *, ended: bool
) -> tuple[Stored, ...]:
    with console.status("The agents are starting …") as status, client(address, api_key) as http:

        def tell(progress: Progress) -> None:
            status.update(progress_line(progress))

        return wait_until_stored(http, crew, ended=ended, tell=tell)


def need_langgraph() -> None:
    if any(importlib.util.find_spec(name) is None for name in ("langgraph", "langchain")):
        raise DemoError(
            "The demo runs real LangGraph agents, which are not installed. "
            "Run: pip install 'toolwatch[server,demo]'"
        )
