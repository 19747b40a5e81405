"""A coding agent asks about calls, through the protocol's own client."""

import os
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

import pytest
from mcp import ClientSession, StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.types import TextContent
from starlette.concurrency import run_in_threadpool

from tests.live import Live, live, wait_until
from tests.otlp import a_tool_span, ids, request

PAY = f"{1:032x}"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    with live(tmp_path_factory.mktemp("mcp")) as running:
        for number, order in ((1, "A-17"), (2, "B-18")):
            more = {
                "error.type": "shop.Declined",
                "gen_ai.tool.call.arguments": f'{{"order": "{order}", "password": "hunter2-Xy9"}}',
            }
            span = a_tool_span("pay", f"call_pay_{number}", **ids(number), failed="card declined", more=more)
            running.send(request(span, service="shop"))
        long = {"gen_ai.tool.call.result": "x" * 200_000}
        running.send(request(a_tool_span("read", "call_long", **ids(3), more=long)))
        yield running


@asynccontextmanager
async def connected(server: Live) -> AsyncIterator[ClientSession]:
    command = ["-m", "toolwatch_server", "mcp", "--server", server.address]
    async with (
        stdio_client(StdioServerParameters(command=sys.executable, args=command, env=dict(os.environ))) as (
            read,
            write,
        ),
        ClientSession(read, write) as session,
    ):
        await session.initialize()
        yield session


async def said(session: ClientSession, name: str, /, **arguments: object) -> str:
    answer = await session.call_tool(name, arguments)
    assert not answer.isError, answer.content
    return "\n".join(part.text for part in answer.content if isinstance(part, TextContent))


async def test_what_happened_to_a_call_is_answered_by_one_tool(server: Live) -> None:
    async with connected(server) as session:
        text = await said(session, "find_call", tool_call_id="call_pay_1")

    assert text.startswith("pay  tool_error\n")
    assert "shop.Declined: card declined" in text
    assert "A-17" in text
    assert "hunter2" not in text


async def test_every_tool_answers_briefly_and_says_that_it_only_reads(server: Live) -> None:
    keys = {call["tool_call_id"]: call["key"] for call in server.calls()}
    async with connected(server) as session:
        tools = (await session.list_tools()).tools
        found = await said(session, "search_calls", tool="pay", failed=True)
        trace = await said(session, "show_trace", trace_id=PAY)
        compared = await said(session, "compare_calls", key=keys["call_pay_1"], other_key=keys["call_pay_2"])
        errors = await said(session, "list_error_groups", since="-1h")
        long = await said(session, "find_call", tool_call_id="call_long")

    assert {tool.name for tool in tools} == {
        "find_call", "search_calls", "show_trace", "compare_calls", "list_error_groups",
    }  # fmt: skip
    assert all(tool.annotations and tool.annotations.readOnlyHint and tool.description for tool in tools)
    assert found.startswith("2 of 2 calls\n")
    assert f"key={keys['call_pay_2']}" in found
    assert "1 calls, 1 spans" in trace
    assert "A-17" in compared
    assert "outcome:" not in compared
    assert errors.startswith("2x shop.Declined: card declined (tools: pay;")
    assert len(long) < 13_000


async def test_what_is_not_there_or_not_understood_is_told_to_the_agent(server: Live) -> None:
    async with connected(server) as session:
        nobody = await said(session, "find_call", tool_call_id="call_nobody")
        trace = await session.call_tool("show_trace", {"trace_id": "x"})
        wrong = await session.call_tool("search_calls", {"outcome": "great"})

    assert nobody == "No call has the id 'call_nobody'."
    assert trace.isError
    assert "There is nothing at /api/v1/traces/x." in str(trace.content)
    assert wrong.isError
    assert "Allowed: ok, tool_error" in str(wrong.content)


def test_without_its_package_the_command_that_installs_it_is_told() -> None:
    blocked = (
        "import sys; sys.modules['mcp'] = None; sys.argv = ['toolwatch', 'mcp'];"
        "from toolwatch._cli import main; main()"
    )

    done = subprocess.run([sys.executable, "-c", blocked], capture_output=True, text=True, check=False)

    assert done.returncode == 1
    assert "pip install 'toolwatch[server,mcp]'" in done.stderr
    assert "Traceback" not in done.stderr


async def test_it_speaks_streamable_http_too(server: Live) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "toolwatch_server", "mcp", "--transport", "http", "--port", str(port)]
    with subprocess.Popen([*command, "--server", server.address], stderr=subprocess.DEVNULL) as process:
        try:
            await run_in_threadpool(wait_until, lambda: listens(port), 60)
            async with (
                streamable_http_client(f"http://127.0.0.1:{port}/mcp") as (read, write, _),
                ClientSession(read, write) as session,
            ):
                await session.initialize()
                text = await said(session, "find_call", tool_call_id="call_pay_1")
        finally:
            process.terminate()

    assert text.startswith("pay  tool_error\n")


def listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
