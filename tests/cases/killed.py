"""Processes that are killed in the middle of a tool: python -m tests.cases.killed ENDPOINT ID...

Watching begins before the fork, as under a pre-forking server. Each child says when it is inside the tool.
"""

import os
import signal
import sys
import time
import warnings

from langchain_core.tools import tool

import toolwatch
from tests.scenarios.programs.kit import HI, ai, call, loop


def die_inside(tool_call_id: str) -> None:
    inside, say = os.pipe()
    child = os.fork()
    if child == 0:

        @tool
        def long_copy(src: str, dst: str) -> str:
            """Copy."""
            os.write(say, b"inside")
            time.sleep(60)
            return "copied"

        graph, _ = loop([long_copy], ai(call("long_copy", {"src": "a", "dst": "b"}, tool_call_id)))
        graph.invoke(HI)
        os._exit(1)
    os.read(inside, 6)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


def main() -> None:
    warnings.simplefilter("ignore")
    toolwatch.instrument(endpoint=sys.argv[1], service_name="p14")
    for tool_call_id in sys.argv[2:]:
        die_inside(tool_call_id)


if __name__ == "__main__":
    main()
