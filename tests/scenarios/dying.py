"""A process that dies in the middle of a tool; watched when OTEL_EXPORTER_OTLP_ENDPOINT is set."""

import os

from langchain_core.tools import tool

from tests.scenarios.programs.kit import HI, ai, call, loop


@tool
def die(x: int = 0) -> str:
    """Kills its own process."""
    os._exit(9)


def main() -> None:
    if "OTEL_EXPORTER_OTLP_ENDPOINT" in os.environ:
        import toolwatch

        toolwatch.instrument()
    graph, _ = loop([die], ai(call("die", {}, "call_1")))
    graph.invoke(HI)


if __name__ == "__main__":
    main()
