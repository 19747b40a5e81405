"""One variant: collector_worker.py VARIANT SINK; reads "case times", answers "wall_us cpu_us".

Runs in environments without Toolwatch, so it imports what its variant needs only.
"""

import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

Flush = Callable[[], object]


def nothing(sink: str) -> Flush:
    return lambda: None


def toolwatch(sink: str) -> Flush:
    import toolwatch

    toolwatch.instrument(endpoint=sink, service_name="benchmark")
    return toolwatch.flush


def provider() -> Any:
    from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult

    class Away(SpanExporter):
        def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
            return SpanExportResult.SUCCESS

    made = TracerProvider()
    made.add_span_processor(BatchSpanProcessor(Away()))
    return made


def flush_of(made: Any) -> Flush:
    found: Flush = made.force_flush
    return found


def traceloop(sink: str) -> Flush:
    from opentelemetry.instrumentation.langchain import LangchainInstrumentor  # type: ignore[import-not-found]

    made = provider()
    LangchainInstrumentor().instrument(tracer_provider=made)
    return flush_of(made)


def otel(sink: str) -> Flush:
    from opentelemetry.instrumentation.genai.langchain import (  # type: ignore[import-not-found]
        LangChainInstrumentor,
    )

    made = provider()
    LangChainInstrumentor().instrument(tracer_provider=made)
    return flush_of(made)


def openinference(sink: str) -> Flush:
    from openinference.instrumentation.langchain import LangChainInstrumentor  # type: ignore[import-not-found]

    made = provider()
    LangChainInstrumentor().instrument(tracer_provider=made)
    return flush_of(made)


VARIANTS = {f.__name__: f for f in (toolwatch, traceloop, otel, openinference)} | {"none": nothing}


def cases() -> dict[str, Callable[[], object]]:
    from langchain_core.messages import AIMessage
    from langchain_core.tools import tool
    from langgraph.graph import END, START, MessagesState, StateGraph
    from langgraph.prebuilt import ToolNode

    @tool
    def lookup(city: str, days: int) -> str:
        """Looks something up."""
        return f"mild in {city} for {days} days"

    builder = StateGraph(MessagesState)
    builder.add_node("tools", ToolNode([lookup]))
    builder.add_edge(START, "tools")
    builder.add_edge("tools", END)
    graph = builder.compile()
    count = 0

    def calls(size: int) -> None:
        nonlocal count
        count += 1
        asked = [
            {"name": "lookup", "args": {"city": f"Bergen {count}", "days": i}, "id": f"call_{count}_{i}"}
            for i in range(size)
        ]
        graph.invoke({"messages": [AIMessage("", tool_calls=asked, id=f"ai-{count}")]})  # type: ignore[arg-type]

    def bare() -> None:
        nonlocal count
        count += 1
        lookup.invoke({"city": f"Bergen {count}", "days": 3})

    return {"graph1": lambda: calls(1), "graph9": lambda: calls(9), "tool": bare}


def timed(work: Callable[[], object], times: int, flush: Flush) -> tuple[float, float]:
    """Wall time is the program's; CPU time is that of all threads, until everything is sent."""
    cpu_s, wall_ns = time.process_time(), time.perf_counter_ns()
    for _ in range(times):
        work()
    wall_us = (time.perf_counter_ns() - wall_ns) / 1e3
    flush()
    return wall_us / times, (time.process_time() - cpu_s) * 1e6 / times


def main() -> None:
    variant, sink = sys.argv[1:]
    flush = VARIANTS[variant](sink)
    works = cases()
    for line in sys.stdin:
        case, times = line.split()
        wall_us, cpu_us = timed(works[case], int(times), flush)
        print(wall_us, cpu_us, flush=True)


if __name__ == "__main__":
    main()
