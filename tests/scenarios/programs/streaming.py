"""A streaming run."""

from typing import Any

from langchain_core.tools import tool
from langgraph.config import get_stream_writer

from tests.scenarios.programs.kit import HI, Config, ai, call, loop
from tests.scenarios.programs.outcome import Outcome, outcome, scenario


@scenario
def s30(config: Config | None = None) -> Outcome:
    """Streaming run; the tool writes progress to the stream writer."""

    @tool
    async def progress(n: int) -> str:
        """Progress."""
        w = get_stream_writer()
        for i in range(n):
            w({"step": i})
        return "finished"

    g, m = loop([progress], ai(call("progress", {"n": 2}, "call_1")))
    modes: list[str] = []

    async def go() -> Any:
        last = None
        async for mode, chunk in g.astream(HI, config, stream_mode=["updates", "custom", "values"]):
            modes.append(mode)
            if mode == "values":
                last = chunk
        return last

    seen = outcome(go, model=m)
    seen.modes = modes
    return seen
