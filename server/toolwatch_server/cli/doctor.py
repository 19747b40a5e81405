"""toolwatch doctor"""

import json
import secrets
import time
from typing import TYPE_CHECKING, Any, Final

import typer

from toolwatch_server.cli.client import DEFAULT_SERVER, Client, Server
from toolwatch_server.cli.console import complain, out
from toolwatch_server.errors import ToolwatchError

if TYPE_CHECKING:
    from collections.abc import Callable

SERVICE: Final = "toolwatch-doctor"


def doctor(server: Server = DEFAULT_SERVER) -> None:
    """Check the set-up from end to end: send one call, find it again, delete it, and say what is wrong.

    [bold]Example[/bold]

      toolwatch doctor --server http://127.0.0.1:4318
    """
    client = Client(server)
    trace_id, tool_call_id = secrets.token_hex(16), f"call_doctor_{secrets.token_hex(6)}"
    secret = f"sk-doctor{secrets.token_hex(16)}"
    sent = _call(trace_id, tool_call_id, secret)
    steps: tuple[tuple[str, Callable[[], None]], ...] = (
        (f"a server answers at {client.server}", lambda: _expect(client, "/healthz")),
        ("its database answers", lambda: _expect(client, "/readyz")),
        ("it takes a call", lambda: _sent(client, sent)),
        ("the call is found again", lambda: _found(client, tool_call_id)),
        ("a secret in it is hidden", lambda: _hidden(client, tool_call_id, secret)),
        ("the call is deleted again", lambda: _deleted(client, trace_id)),
    )
    for sentence, step in steps:
        try:
            step()
        except ToolwatchError as error:
            out.print(f"✗ {sentence}", style="red", markup=False)
            complain(error.message)
            raise typer.Exit(1) from None
        out.print(f"✓ {sentence}", style="green", markup=False)
    out.print("All is well.")


def _call(trace_id: str, tool_call_id: str, secret: str) -> bytes:
    now_ns = time.time_ns()
    attributes = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "doctor",
        "gen_ai.tool.call.id": tool_call_id,
        "gen_ai.tool.call.arguments": json.dumps({"api_key": secret}),
        "gen_ai.tool.call.result": "well",
    }
    span = {
        "traceId": trace_id,
        "spanId": secrets.token_hex(8),
        "name": "execute_tool doctor",
        "kind": 1,
        "startTimeUnixNano": str(now_ns - 1_000_000),
        "endTimeUnixNano": str(now_ns),
        "attributes": _pairs(attributes),
    }
    resource = {"attributes": _pairs({"service.name": SERVICE})}
    return json.dumps({"resourceSpans": [{"resource": resource, "scopeSpans": [{"spans": [span]}]}]}).encode()


def _pairs(attributes: dict[str, str]) -> list[dict[str, Any]]:
    return [{"key": name, "value": {"stringValue": value}} for name, value in attributes.items()]


def _expect(client: Client, path: str) -> None:
    if not client.get(path).is_success:
        raise ToolwatchError(f"{client.server}{path} is not there: is this a Toolwatch server?")


def _sent(client: Client, body: bytes) -> None:
    answer = client.post("/v1/traces", body, "application/json")
    if not answer.is_success or b"partialSuccess" in answer.content:
        raise ToolwatchError(f"The server did not keep the call: {answer.text[:300]}")


def _listed(client: Client, tool_call_id: str) -> list[Any]:
    found: list[Any] = client.get("/api/v1/calls", tool_call_id=tool_call_id).json()["calls"]
    return found


def _found(client: Client, tool_call_id: str) -> None:
    calls = _listed(client, tool_call_id)
    if len(calls) != 1 or calls[0]["outcome"] != "ok":
        raise ToolwatchError(
            f"The server took the call {tool_call_id}, but tells of it: {calls or 'nothing'}"
        )


def _hidden(client: Client, tool_call_id: str, secret: str) -> None:
    if secret in json.dumps(_listed(client, tool_call_id)):
        raise ToolwatchError("A made-up API key in the call's arguments was stored as it was sent.")


def _deleted(client: Client, trace_id: str) -> None:
    if not client.delete(f"/api/v1/traces/{trace_id}").is_success:
        raise ToolwatchError("The call could not be deleted.")
