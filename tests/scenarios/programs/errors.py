"""A tool raises: who handles it, what its siblings and the model get."""

import time

from langchain_core.tools import BaseTool, ToolException, tool

from tests.scenarios.programs.kit import HI, Config, Runs, ai, call, loop, with_config
from tests.scenarios.programs.outcome import Outcome, outcome, scenario
from tests.scenarios.programs.tools import crash, payer, raiser, weather

NETWORK = (TimeoutError, ConnectionError)


@tool
def leaky(x: int = 0) -> str:
    """Fails with a secret in the message."""
    raise RuntimeError("could not connect to postgresql://admin:hunter2@10.0.0.5/prod")


@scenario
def s09(config: Config | None = None) -> Outcome:
    """Tool raises, default handle_tool_errors: the graph crashes, no ToolMessage."""
    g, m = loop([crash], ai(call("crash", {}, "call_1")))
    return outcome(lambda: g.invoke(HI, config), model=m)


def _late_crash(ran: Runs) -> BaseTool:
    @tool
    def late_crash(x: int = 0) -> str:
        """Fails after a moment, when its siblings have started."""
        ran("late_crash")
        time.sleep(0.3)
        raise RuntimeError("database timeout")

    return late_crash


@scenario
def s09b(config: Config | None = None) -> Outcome:
    """The same with a parallel sibling that succeeds: its result is lost, its side effect is not."""
    ran = Runs()
    g, m = loop(
        [_late_crash(ran), payer(ran)],
        ai(call("late_crash", {}, "call_1"), call("pay", {"amount": 5}, "call_2")),
    )
    return outcome(lambda: g.invoke(HI, config), ran, m)


@scenario
def s09c(config: Config | None = None) -> Outcome:
    """With max_concurrency=1, call_3 still waits in the pool's queue when call_1 fails; it never starts."""
    ran = Runs()

    @tool
    def slow_ok(x: int = 0) -> str:
        """May or may not start: the freed worker races the cancellation."""
        time.sleep(0.2)
        return "ok"

    calls = [
        call("late_crash", {}, "call_1"),
        call("slow_ok", {}, "call_2"),
        call("pay", {"amount": 5}, "call_3"),
    ]
    g, m = loop([_late_crash(ran), slow_ok, payer(ran)], ai(*calls))
    return outcome(lambda: g.invoke(HI, with_config(config, max_concurrency=1)), ran, m)


@scenario
def s10(config: Config | None = None) -> Outcome:
    """handle_tool_errors=True: repr(e), with the secret, goes to the model."""
    g, m = loop([leaky], ai(call("leaky", {}, "call_1")), handle_tool_errors=True)
    return outcome(lambda: g.invoke(HI, config), model=m)


@scenario
def s11(config: Config | None = None) -> Outcome:
    """handle_tool_errors='fixed string': the real error is masked."""
    g, m = loop(
        [leaky], ai(call("leaky", {}, "call_1")), handle_tool_errors="The tool is unavailable, try later."
    )
    return outcome(lambda: g.invoke(HI, config), model=m)


@scenario
def s12a(config: Config | None = None) -> Outcome:
    """handle_tool_errors=(TimeoutError, ConnectionError); TimeoutError is caught."""
    g, m = loop(
        [raiser(TimeoutError("slow"))],
        ai(call("raiser", {}, "call_1")),
        handle_tool_errors=NETWORK,
    )
    return outcome(lambda: g.invoke(HI, config), model=m)


@scenario
def s12b(config: Config | None = None) -> Outcome:
    """The same tuple; KeyError is not caught."""
    g, m = loop(
        [raiser(KeyError("id"))],
        ai(call("raiser", {}, "call_1")),
        handle_tool_errors=NETWORK,
    )
    return outcome(lambda: g.invoke(HI, config), model=m)


@scenario
def s12c(config: Config | None = None) -> Outcome:
    """The same tuple, KeyError, but with a pass-through wrap_tool_call: now it IS caught."""
    g, m = loop(
        [raiser(KeyError("id"))],
        ai(call("raiser", {}, "call_1")),
        handle_tool_errors=NETWORK,
        wrap_tool_call=lambda request, execute: execute(request),
    )
    return outcome(lambda: g.invoke(HI, config), model=m)


def _only_timeout(e: TimeoutError) -> str:
    return "timed out"


@scenario
def s13a(config: Config | None = None) -> Outcome:
    """Handler annotated e: TimeoutError, RuntimeError raised: leaks."""
    g, m = loop([crash], ai(call("crash", {}, "call_1")), handle_tool_errors=_only_timeout)
    return outcome(lambda: g.invoke(HI, config), model=m)


@scenario
def s13b(config: Config | None = None) -> Outcome:
    """The same handler; a validation failure leaks as well (ToolInvocationError is not a TimeoutError)."""
    g, m = loop([weather], ai(call("weather", {}, "call_1")), handle_tool_errors=_only_timeout)
    return outcome(lambda: g.invoke(HI, config), model=m)


@scenario
def s14(config: Config | None = None) -> Outcome:
    """ToolException with tool.handle_tool_error=True: handled inside the tool."""

    @tool
    def bank(x: int = 0) -> str:
        """Bank."""
        raise ToolException("insufficient funds")

    bank.handle_tool_error = True
    g, m = loop([bank], ai(call("bank", {}, "call_1")))
    return outcome(lambda: g.invoke(HI, config), model=m)


@scenario
def s14b(config: Config | None = None) -> Outcome:
    """tool.handle_validation_error=True: a validation failure handled inside the tool."""

    @tool
    def strict(n: int) -> str:
        """Strict."""
        return str(n)

    strict.handle_validation_error = True
    g, m = loop([strict], ai(call("strict", {"n": "x"}, "call_1")))
    return outcome(lambda: g.invoke(HI, config), model=m)
