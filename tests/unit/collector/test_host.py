"""The program behaves as it does without us, whatever happens to us."""

import asyncio
from threading import Event, Thread
from typing import Any

import pytest
from langchain_core.tools import BaseTool, tool
from langgraph.prebuilt import tool_node
from opentelemetry import context

import toolwatch
from tests.unit.collector.conftest import Receiver
from tests.unit.collector.graphs import answers, asking, call, one_node
from toolwatch import _attempts, _dispatches, _guard, _runs, _session


@tool
def add(a: int, b: int = 1) -> str:
    """Adds."""
    return str(a + b)


@tool
def fail(text: str) -> str:
    """Fails."""
    raise KeyError(text)


class Raises:
    def __repr__(self) -> str:
        raise RuntimeError("do not look")


class Blocks:
    def __repr__(self) -> str:
        Event().wait()  # for ever
        return ""


def cycle() -> list[Any]:
    found: list[Any] = []
    found.append(found)
    return found


def broken(*args: Any, **kwargs: Any) -> Any:
    raise RuntimeError("our own fault")


@pytest.mark.parametrize(
    ("module", "name"),
    [
        (_attempts, "_dispatched"),
        (_attempts, "_judge"),
        (_dispatches, "_call"),
        (_runs, "end_node"),
        (_runs, "new_root"),
    ],
)
def test_results_are_the_same_when_our_hooks_raise(
    watched: Receiver, monkeypatch: pytest.MonkeyPatch, module: Any, name: str
) -> None:
    monkeypatch.setattr(_guard, "_reported", set())
    monkeypatch.setattr(module, name, broken)

    state = one_node([add]).invoke(asking(call("add", {"a": 2})))

    assert answers(state) == [("success", "3")]


def test_the_host_s_own_error_passes_untouched(watched: Receiver) -> None:
    with pytest.raises(KeyError, match="id") as caught:
        one_node([fail]).invoke(asking(call("fail", {"text": "id"})))

    assert caught.value.args == ("id",)


async def test_a_cancelled_tool_is_cancelled_and_recorded_as_such(watched: Receiver) -> None:
    @tool
    async def wait() -> str:
        """Waits."""
        await asyncio.sleep(60)
        return ""

    with pytest.raises(TimeoutError):
        await asyncio.wait_for(one_node([wait]).ainvoke(asking(call("wait", {}))), 0.5)

    assert watched.wait_for("attempt")[0]["toolwatch.attempt.outcome"] == "cancelled"


def test_instrumenting_twice_records_once(watched: Receiver) -> None:
    toolwatch.instrument(endpoint=watched.url)

    one_node([add]).invoke(asking(call("add", {"a": 2})))

    assert toolwatch.flush()
    assert len(watched.records("attempt")) == 1


def test_uninstrumenting_puts_everything_back(receiver: Receiver) -> None:
    places = [
        (BaseTool, "run"),
        (BaseTool, "arun"),
        (tool_node.ToolNode, "_run_one"),
        (tool_node, "_handle_tool_error"),
    ]
    before = [owner.__dict__[name] for owner, name in places]

    toolwatch.instrument(endpoint=receiver.url)
    during = [owner.__dict__[name] for owner, name in places]
    toolwatch.uninstrument()

    assert all(a is not b for a, b in zip(before, during, strict=True))
    assert [owner.__dict__[name] for owner, name in places] == before


def test_what_somebody_wrapped_after_us_stays_and_passes_through(receiver: Receiver) -> None:
    toolwatch.instrument(endpoint=receiver.url)
    ours = BaseTool.run
    seen: list[str] = []

    def theirs(self: BaseTool, *args: Any, **kwargs: Any) -> Any:
        seen.append(self.name)
        return ours(self, *args, **kwargs)

    BaseTool.run = theirs  # type: ignore[method-assign]
    try:
        toolwatch.uninstrument()
        state = one_node([add]).invoke(asking(call("add", {"a": 2})))
    finally:
        BaseTool.run = ours.__wrapped__  # type: ignore[method-assign,attr-defined]

    assert answers(state) == [("success", "3")]
    assert seen == ["add"]
    assert receiver.records("attempt") == []


def test_uninstrumenting_in_the_middle_of_a_run_harms_nothing(watched: Receiver) -> None:
    @tool
    def stop() -> str:
        """Switches the collector off."""
        toolwatch.uninstrument()
        return "done"

    state = one_node([stop]).invoke(asking(call("stop", {})))

    assert answers(state) == [("success", "done")]


def test_where_the_program_suppresses_instrumentation_nothing_is_recorded(watched: Receiver) -> None:
    token = context.attach(context.set_value(context._SUPPRESS_INSTRUMENTATION_KEY, True))
    try:
        state = one_node([add]).invoke(asking(call("add", {"a": 2})))
    finally:
        context.detach(token)
    one_node([add]).invoke(asking(call("add", {"a": 3})))

    assert answers(state) == [("success", "3")]
    assert toolwatch.flush()
    assert [record["gen_ai.tool.call.arguments"] for record in watched.records("attempt")] == ['{"a": 3}']
    assert len(watched.records("run")) == 1


def test_event_loops_in_several_threads_do_not_mix_up_their_calls(watched: Receiver) -> None:
    @tool
    async def name_of(number: int) -> str:
        """Takes a moment."""
        await asyncio.sleep(0.001 * (number % 3))
        return f"number {number}"

    graph = one_node([name_of])

    async def several(first: int) -> None:
        runs = [
            graph.ainvoke(asking(call("name_of", {"number": n}, f"call_{n}"), message_id=f"ai-{n}"))
            for n in range(first, first + 10)
        ]
        await asyncio.gather(*runs)

    threads = [Thread(target=lambda first=first: asyncio.run(several(first))) for first in (0, 10, 20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert toolwatch.flush()
    found = {
        (r["gen_ai.tool.call.id"], r["gen_ai.tool.call.arguments"], r["gen_ai.tool.call.result"])
        for r in watched.records("attempt")
    }
    assert found == {(f"call_{n}", f'{{"number": {n}}}', f"number {n}") for n in range(30)}


@pytest.mark.parametrize("hostile", [Raises(), Blocks(), cycle(), "x" * 20_000_000], ids=type)
def test_results_are_the_same_whatever_a_tool_returns(watched: Receiver, hostile: Any) -> None:
    @tool(response_format="content_and_artifact")
    def make() -> tuple[str, Any]:
        """Makes something."""
        return "made", hostile

    @tool
    def give() -> Any:
        """Gives something that no message is made of."""
        return hostile

    asked = {"name": "make", "args": {}, "id": "call_1", "type": "tool_call"}

    assert make.invoke(asked).artifact is hostile
    assert give.invoke({}) is hostile
    assert toolwatch.flush()
    assert len(watched.records("attempt")) == 2


def test_nothing_is_remembered_of_runs_that_have_ended(watched: Receiver) -> None:
    graph = one_node([add, fail], handle_tool_errors=True)
    for index in range(20):
        graph.invoke(
            asking(call("add", {"a": index}), call("fail", {"text": "x"}, "call_2"), message_id=f"ai-{index}")
        )

    session = _session.current()
    assert session is not None
    assert session.registry.runs == {}
    assert session.registry._roots == {}
    assert len(session.registry.past) == 0


def test_the_disabled_sdk_stays_disabled(receiver: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_SDK_DISABLED", "true")

    toolwatch.instrument(endpoint=receiver.url)

    assert _session.current() is None
    assert toolwatch.flush()


def test_an_unknown_capture_is_refused_with_what_is_allowed() -> None:
    with pytest.raises(ValueError, match='"full" or "names"'):
        toolwatch.instrument(capture="all")  # type: ignore[arg-type]
