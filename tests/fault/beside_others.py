"""An agent beside other instrumentations: URL NAME…; installs them in that order, prints what it saw."""

import json
import sys
from collections.abc import Callable
from typing import Any

import toolwatch

URL, *ORDER = sys.argv[1:]
config: dict[str, Any] = {"configurable": {"thread_id": "t"}}


def provider() -> Any:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    made = TracerProvider()
    made.add_span_processor(SimpleSpanProcessor(InMemorySpanExporter()))
    return made


def openinference() -> None:
    from openinference.instrumentation.langchain import LangChainInstrumentor

    LangChainInstrumentor().instrument(tracer_provider=provider())


def traceloop() -> None:
    from opentelemetry.instrumentation.langchain import LangchainInstrumentor

    LangchainInstrumentor().instrument(tracer_provider=provider())


def langfuse() -> None:
    from langfuse import Langfuse
    from langfuse.langchain import CallbackHandler

    Langfuse(public_key="pk", secret_key="sk", tracing_enabled=False)
    config["callbacks"] = [CallbackHandler(public_key="pk")]


INSTALL: dict[str, Callable[[], None]] = {
    "toolwatch": lambda: toolwatch.instrument(endpoint=URL),
    "openinference": openinference,
    "traceloop": traceloop,
    "langfuse": langfuse,
}
for name in ORDER:
    INSTALL[name]()

from langchain_core.messages import AIMessage  # noqa: E402 imported after the instrumentations on purpose
from langchain_core.tools import tool  # noqa: E402
from langgraph.graph import END, START, MessagesState, StateGraph  # noqa: E402
from langgraph.prebuilt import ToolNode  # noqa: E402


@tool
def fetch(city: str) -> str:
    """Fetches."""
    if city == "Atlantis":
        raise LookupError(city)
    return f"mild in {city}"


def graph(handle: bool) -> Any:
    made = StateGraph(MessagesState)
    made.add_node("tools", ToolNode([fetch], handle_tool_errors=handle))
    made.add_edge(START, "tools")
    made.add_edge("tools", END)
    return made.compile()


def asked(*cities: str) -> dict[str, Any]:
    calls = [{"name": "fetch", "args": {"city": c}, "id": f"call_{c}", "type": "tool_call"} for c in cities]
    return {"messages": [AIMessage("", tool_calls=calls, id="ai-1")]}


def told(update: Any) -> Any:
    return {
        node: [(m.type, m.content, m.status, m.tool_call_id) for m in part["messages"]]
        for node, part in update.items()
    }


seen = [
    told(u) for u in graph(True).stream(asked("Bergen", "Atlantis", "Oslo"), config, stream_mode="updates")
]
try:
    graph(False).invoke(asked("Atlantis"), config)
except Exception as error:
    seen.append([type(error).__name__, str(error)])
sys.stdout.write(json.dumps(seen))
assert "toolwatch" not in ORDER or toolwatch.flush()
