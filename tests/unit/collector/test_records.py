"""What is sent: nothing secret, nothing that was not asked for, nothing made up."""

import json
from typing import Annotated, Any

import pytest
from langchain_core.tools import InjectedToolArg, tool
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

import toolwatch
from tests.unit.collector.conftest import Receiver
from tests.unit.collector.graphs import asking, call, one_node

DSN = "postgres://svc:Fake-Pa55-phrase@db.example.test:5432/orders"


@tool
def echo(text: str) -> str:
    """Says it again."""
    return text


@tool
def leak(text: str) -> str:
    """Fails with a secret."""
    raise RuntimeError(f"could not connect: {DSN}") from ValueError(DSN)


def test_no_secret_leaves_in_an_argument_a_result_an_error_or_a_stack(watched: Receiver) -> None:
    graph = one_node([echo, leak], handle_tool_errors=True)
    graph.invoke(asking(call("echo", {"text": DSN}), call("leak", {"text": "x"}, "call_2")))

    assert toolwatch.flush()
    assert len(watched.records("attempt")) == 2
    assert "Fake-Pa55" not in watched.text()
    assert "db.example.test" in watched.text()
    marks = json.loads(watched.records("step")[0]["toolwatch.redactions"])
    assert {mark["where"] for mark in marks} >= {"answer", "error"}


def test_names_only_sends_no_contents_and_says_so(receiver: Receiver) -> None:
    toolwatch.instrument(endpoint=receiver.url, capture="names")
    try:
        graph = one_node([echo, leak], handle_tool_errors=True)
        graph.invoke(asking(call("echo", {"text": "sesame"}), call("leak", {"text": "sesame"}, "call_2")))
        assert toolwatch.flush()
    finally:
        toolwatch.uninstrument()

    assert "sesame" not in receiver.text()
    assert "could not connect" not in receiver.text()
    attempts = receiver.records("attempt")
    assert {a["gen_ai.tool.name"] for a in attempts} == {"echo", "leak"}
    assert all(a["toolwatch.content_captured"] is False for a in attempts)
    assert [a["error.type"] for a in attempts if "error.type" in a] == ["RuntimeError"]


def test_the_user_s_own_redaction_is_applied_to_every_text(receiver: Receiver) -> None:
    toolwatch.instrument(endpoint=receiver.url, redact=lambda text: text.replace("sesame", "***"))
    try:
        one_node([echo]).invoke(asking(call("echo", {"text": "open sesame"})))
        assert toolwatch.flush()
    finally:
        toolwatch.uninstrument()

    attempt = receiver.records("attempt")[0]
    assert attempt["gen_ai.tool.call.arguments"] == '{"text": "open ***"}'
    assert attempt["gen_ai.tool.call.result"] == "open ***"


def test_a_redaction_that_fails_hides_the_text(receiver: Receiver) -> None:
    def fails(text: str) -> str:
        raise RuntimeError

    toolwatch.instrument(endpoint=receiver.url, redact=fails)
    try:
        one_node([echo]).invoke(asking(call("echo", {"text": "sesame"})))
        assert toolwatch.flush()
    finally:
        toolwatch.uninstrument()

    assert "sesame" not in receiver.text()
    assert "[redaction failed]" in receiver.text()


@pytest.mark.parametrize(("given", "told"), [(None, "null"), ("", "empty")])
def test_an_id_that_the_model_did_not_give_is_not_made_up(
    watched: Receiver, given: str | None, told: str
) -> None:
    try:
        one_node([echo]).invoke(asking(call("echo", {"text": "x"}, given)))
    except TypeError:
        assert given is None  # LangGraph cannot answer a call without an id

    assert toolwatch.flush()
    attempt = watched.records("attempt")[0]
    assert "gen_ai.tool.call.id" not in attempt
    assert attempt["toolwatch.call.id_absent"] == told


def test_injected_arguments_are_named_and_never_sent(watched: Receiver) -> None:
    @tool
    def of_user(year: int, user: Annotated[str, InjectedToolArg]) -> str:
        """Needs a user."""
        return f"{user} {year}"

    of_user.invoke({"year": 2026, "user": "confidential"})

    assert toolwatch.flush()
    attempt = watched.records("attempt")[0]
    assert attempt["toolwatch.arguments.injected"] == ["user"]
    assert json.loads(attempt["gen_ai.tool.call.arguments"]) == {"year": 2026}
    assert json.loads(attempt["toolwatch.arguments.validated"]) == {"year": 2026}


def test_real_characters_and_impossible_ones(watched: Receiver) -> None:
    one_node([echo]).invoke(asking(call("echo", {"text": "良好\x00\ud83d 🙂"})))

    assert toolwatch.flush()
    attempt = watched.records("attempt")[0]
    assert attempt["gen_ai.tool.call.arguments"] == '{"text": "良好\ufffd\ufffd 🙂"}'
    assert attempt["gen_ai.tool.call.result"] == "良好\ufffd\ufffd 🙂"


def test_a_secret_on_the_cut_leaves_no_piece_of_itself(watched: Receiver) -> None:
    secret = "api_key=FAKEKEYfakekeyFAKEKEYfakekey0123456789"
    for offset in (-30, -12, -1, 0, 1):
        one_node([echo]).invoke(
            asking(call("echo", {"text": "x" * (65_536 + offset) + " " + secret + "y" * 50}))
        )

    assert toolwatch.flush()
    assert "FAKE" not in watched.text()


def test_the_user_s_tracer_provider_gets_everything_and_the_global_one_nothing() -> None:
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    before = trace.get_tracer_provider()
    toolwatch.instrument(tracer_provider=provider)
    try:
        one_node([echo]).invoke(asking(call("echo", {"text": "x"})))
        assert toolwatch.flush()
    finally:
        toolwatch.uninstrument()

    kinds = [str((span.attributes or {})["toolwatch.record"]) for span in exporter.get_finished_spans()]
    assert kinds == ["started", "attempt", "step", "run"]
    assert trace.get_tracer_provider() is before


def test_a_tool_s_own_spans_are_children_of_its_attempt(watched: Receiver) -> None:
    inside: list[Any] = []

    @tool
    def look() -> str:
        """Looks at the current span."""
        inside.append(trace.get_current_span().get_span_context())
        return ""

    one_node([look]).invoke(asking(call("look", {})))

    assert toolwatch.flush()
    attempt = next(
        span
        for span in watched.spans
        if span.name == "execute_tool look" and span.end_time_unix_nano > span.start_time_unix_nano
    )
    assert attempt.span_id == inside[0].span_id.to_bytes(8, "big")
    assert not trace.get_current_span().get_span_context().is_valid


def test_the_sender_is_told_by_service_process_and_distribution(watched: Receiver) -> None:
    one_node([echo]).invoke(asking(call("echo", {"text": "x"})))

    assert toolwatch.flush()
    resource = watched.resources[0]
    assert resource["service.name"] == "tests"
    assert resource["telemetry.distro.name"] == "toolwatch"
    assert resource["service.instance.id"]
