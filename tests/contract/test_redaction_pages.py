"""What people see of the redaction: the rules, a place to try them, and the leaks that already happened."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.live import Live, live
from tests.otlp import a_span, a_tool_span, ids, request
from toolwatch.redaction import describe

SECRET = "Pa55-of-the-page"
LEAK = f"cannot reach postgresql://admin:{SECRET}@db.example.com/orders"
TOLD = '[{"role":"tool","parts":[{"type":"tool_call_response","id":"call_%d","response":"%s"}]}]'


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Live]:
    with live(tmp_path) as server:
        yield server


def leak(server: Live, number: int, text: str = LEAK) -> None:
    """A call whose answer the model was shown."""
    trace = ids(number)["trace_id"]
    call = a_tool_span(
        "export_orders", f"call_{number}", more={"gen_ai.tool.call.result": text}, **ids(number)
    )
    shown = {"gen_ai.operation.name": "chat", "gen_ai.input.messages": TOLD % (number, text)}
    turn = a_span(shown, trace_id=trace, span_id=f"{number + 500:016x}", name="chat")
    assert server.send(request(call, turn)).status_code == 200


def test_the_settings_list_every_rule_with_tier_and_example(server: Live) -> None:
    page = server.http.get("/settings").text

    assert all(row["rule"] in page for row in describe())
    assert "TOOLWATCH_REDACT_TIERS" in page
    assert "redact_fingerprint_key" not in page.lower()


def test_a_text_is_tried_without_scripts_and_shows_what_would_go_and_why(server: Live) -> None:
    page = server.http.post("/settings", data={"text": f"{LEAK} of ana@example.com"}).text

    assert "postgresql://admin:" in page
    assert "url-password" in page
    assert "email-address" in page
    assert SECRET not in page


def test_json_is_tried_as_json(server: Live) -> None:
    page = server.http.post("/settings", data={"text": '{"password": ["calm"], "n": 1}'}).text

    assert "calm" not in page
    assert "the name of its field" in page


def test_nothing_of_a_tried_text_is_stored_or_logged(
    server: Live, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    server.http.post("/settings", data={"text": LEAK})
    server.http.post("/settings", data={"text": "x" * 2_000_000 + LEAK})

    stored = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert SECRET.encode() not in stored
    assert SECRET not in "".join(capfd.readouterr())


def test_another_site_cannot_try_a_text_through_a_persons_browser(server: Live) -> None:
    foreign = server.http.post("/settings", data={"text": "x"}, headers={"origin": "http://evil.example"})

    assert foreign.status_code == 403


def test_leaks_are_counted_by_tool_and_rule_and_lead_to_their_calls(server: Live) -> None:
    leak(server, 1)
    leak(server, 2)
    leak(server, 3, "all is well")

    page = server.http.get("/errors").text
    calls = server.calls(warning="secret_reached_model", redaction="url-password", tool="export_orders")

    assert "Secrets that a model was told" in page
    assert "2 calls" in page
    assert SECRET not in page
    assert {call["tool_call_id"] for call in calls} == {"call_1", "call_2"}


def test_calls_are_filtered_by_the_rule_that_hid_something(server: Live) -> None:
    leak(server, 1)
    leak(server, 2, "write to ana@example.com")

    assert [call["tool_call_id"] for call in server.calls(redaction="url-password")] == ["call_1"]
    page = server.http.get(f"/calls/{server.calls(redaction='email-address')[0]['key']}").text
    assert '/calls?redaction=email-address"' in page
    assert "call_2" in server.http.get("/calls?redaction=email-address").text
    assert server.calls(redaction="no-rule") == []


def test_a_deleted_call_leaves_no_redactions(server: Live) -> None:
    leak(server, 1)
    server.http.delete(f"/api/v1/traces/{ids(1)['trace_id']}")

    assert "Secrets that a model was told" not in server.http.get("/errors").text
