"""Who sent a span: conversation, agent and framework, wherever SDKs write them."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from toolwatch_server.domain.facts import Origin
from toolwatch_server.domain.span import Attributes, Span
from toolwatch_server.ingest.attributes import origin_of, text
from toolwatch_server.ingest.values import clean_id, mapping, unpacked

# The first that is there counts: a thread is narrower than a session. A trace or a transport is neither.
CONVERSATION: Final = (
    "gen_ai.conversation.id",
    "traceloop.association.properties.thread_id",
    "langfuse.trace.metadata.thread_id",
    "langfuse.observation.metadata.thread_id",
    "langsmith.metadata.thread_id",
    "langsmith.metadata.conversation_id",
    "langsmith.metadata.session_id",
    "thread_id",
    "session.id",
    "traceloop.association.properties.session_id",
    "ai.telemetry.metadata.threadId",
    "ai.telemetry.metadata.sessionId",
    "group_id",
)
AGENT: Final = (
    "gen_ai.agent.name",
    "agent.name",
    "agent_name",
    "traceloop.association.properties.lc_agent_name",
    "langfuse.observation.metadata.lc_agent_name",
    "langsmith.metadata.lc_agent_name",
    "ai.telemetry.functionId",
)
NODE: Final = (
    "traceloop.association.properties.langgraph_node",
    "langfuse.observation.metadata.langgraph_node",
    "langsmith.metadata.langgraph_node",
)
RUN: Final = ("gen_ai.agent.call.id", "gcp.vertex.agent.invocation_id")
# Objects that hold a thread, an agent and a node: LangChain's metadata, as JSON.
METADATA: Final = ("metadata", "mlflow.trace.metadata")
NO_AGENT: Final = frozenset({"OpenAI Agent"})  # openai-agents-v2 writes it where it knows no name
FRAMEWORKS: Final = (
    ("langchain", "langchain"), ("langgraph", "langgraph"), ("openai_agents", "openai_agents"),
    ("openai-agents", "openai_agents"), ("pydantic-ai", "pydantic_ai"), ("crewai", "crewai"),
    ("llama", "llama_index"), ("smolagents", "smolagents"), ("google_adk", "google_adk"),
    ("gcp.vertex.agent", "google_adk"), ("agent_framework", "agent_framework"), ("autogen", "autogen"),
    ("strands", "strands"), ("haystack", "haystack"), ("dspy", "dspy"), ("agno", "agno"), ("mcp", "mcp"),
)  # fmt: skip
VERCEL: Final = frozenset({"ai", "gen_ai"})  # whole names of scopes


def sender_of(span: Span) -> Origin:
    """An origin without what the rest of the trace must add."""
    a = span.attributes
    metadata = _metadata(a)
    agent = _first(a, AGENT) or clean_id(metadata.get("lc_agent_name"))
    return replace(
        origin_of(span),
        thread_id=_first(a, CONVERSATION) or clean_id(metadata.get("thread_id")),
        agent=None if agent in NO_AGENT else agent,
        node=_first(a, NODE) or clean_id(metadata.get("langgraph_node")),
        run_id=_first(a, RUN),
        framework=framework_of(span.scope_name),
    )


def framework_of(scope_name: str) -> str | None:
    if scope_name in VERCEL:
        return "vercel_ai"
    return next((name for part, name in FRAMEWORKS if part in scope_name), None)


def _first(a: Attributes, names: tuple[str, ...]) -> str | None:
    """Some senders write every value as JSON, quotes and null included."""
    return next((found for name in names if (found := clean_id(unpacked(a.get(name)))) is not None), None)


def _metadata(a: Attributes) -> Mapping[str, Any]:
    for name in METADATA:
        if text(a, name) is not None and (found := mapping(a[name])):
            return found
    return mapping(mapping(a.get("traceloop.entity.input")).get("metadata"))
