"""The life of a process: late imports, sudden death, forks, flushing, servers that do not answer."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import toolwatch
from tests.unit.collector.conftest import Receiver
from toolwatch import _pipeline

AGENT = """
    import os, signal, sys
    import toolwatch
    toolwatch.instrument(endpoint=sys.argv[1])
    from langchain_core.tools import tool

    @tool
    def work(how: str) -> str:
        "Works, or dies."
        if how == "exit":
            os._exit(9)
        if how == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        return how

    def asked(how, call_id="call_1"):
        return {"name": "work", "args": {"how": how}, "id": call_id, "type": "tool_call"}

    def run(how, call_id="call_1"):
        return work.invoke(asked(how, call_id))

    def run_graph(how):
        from langchain_core.messages import AIMessage
        from langgraph.graph import END, START, MessagesState, StateGraph
        from langgraph.prebuilt import ToolNode
        graph = StateGraph(MessagesState)
        graph.add_node("tools", ToolNode([work]))
        graph.add_edge(START, "tools")
        graph.add_edge("tools", END)
        return graph.compile().invoke({"messages": [AIMessage("", tool_calls=[asked(how)])]})
"""


def run(code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    program = textwrap.dedent(AGENT) + textwrap.dedent(code)
    return subprocess.run(
        [sys.executable, "-c", program, *arguments], capture_output=True, text=True, timeout=120, check=False
    )


@pytest.mark.parametrize("how", ["exit", "kill"])
def test_a_started_call_is_known_though_its_process_dies_in_the_tool(receiver: Receiver, how: str) -> None:
    run(f"run({how!r})", receiver.url)

    started = receiver.wait_for("started")
    assert started[0]["gen_ai.tool.call.arguments"] == f'{{"how": "{how}"}}'
    assert receiver.records("attempt") == []


def test_a_call_started_in_a_burst_is_known_though_its_process_dies(receiver: Receiver) -> None:
    run("for i in range(40): run('ok', f'call_{i}')\nrun('kill', 'last')", receiver.url)

    receiver.wait_for("started", 41)
    assert receiver.records("started")[-1]["gen_ai.tool.call.id"] == "last"


def test_hooks_go_in_when_the_frameworks_are_imported_later_and_all_is_sent_at_exit(
    receiver: Receiver,
) -> None:
    done = run("run_graph('ok')", receiver.url)

    assert (done.returncode, done.stderr) == (0, "")
    assert [len(receiver.records(kind)) for kind in ("started", "attempt", "step", "run")] == [1, 1, 1, 1]


def test_a_forked_child_sends_as_a_process_of_its_own(receiver: Receiver) -> None:
    code = """
        run('ok', 'parent')
        child = os.fork()
        if child == 0:
            run('ok', 'child')
            os._exit(0 if toolwatch.flush() else 1)
        sys.exit(os.waitpid(child, 0)[1])
    """
    done = run(code, receiver.url)

    assert done.returncode == 0, done.stderr
    attempts = receiver.wait_for("attempt", 2)
    assert sorted(a["gen_ai.tool.call.id"] for a in attempts) == ["child", "parent"]
    assert len({r["service.instance.id"] for r in receiver.resources}) == 2


def test_workers_forked_in_the_middle_of_a_burst_send_as_processes_of_their_own(receiver: Receiver) -> None:
    code = """
        run('ok', 'warm')
        workers = []
        for i in range(3):
            run('ok', f'parent_{i}')
            worker = os.fork()
            if worker == 0:
                run('ok', f'child_{i}')
                os._exit(0 if toolwatch.flush() else 1)
            workers.append(worker)
        codes = [os.waitpid(worker, 0)[1] for worker in workers]
        sys.exit(max(codes) or not toolwatch.flush())
    """
    done = run(code, receiver.url)

    assert done.returncode == 0, done.stderr
    ids = [attempt["gen_ai.tool.call.id"] for attempt in receiver.records("attempt")]
    assert sorted(ids) == [
        "child_0", "child_1", "child_2", "parent_0", "parent_1", "parent_2", "warm",
    ]  # fmt: skip
    assert len({r["service.instance.id"] for r in receiver.resources}) == 4


def test_a_fork_in_the_moment_of_instrumenting_harms_neither_process(receiver: Receiver) -> None:
    code = """
        import os, sys, threading, time
        from langchain_core.tools import tool
        import toolwatch
        from toolwatch import _redact

        @tool
        def work(how: str) -> str:
            "Works."
            return how

        loading, load = threading.Event(), _redact._load

        def slow_load():
            loading.set()
            time.sleep(0.5)  # as on a slow machine
            return load()

        _redact._load = slow_load
        toolwatch.instrument(endpoint=sys.argv[1])
        loading.wait()
        child = os.fork()
        work.invoke({"how": "well"})
        if child == 0:
            os._exit(0 if toolwatch.flush() else 1)
        sys.exit(os.waitpid(child, 0)[1])
    """
    command = [sys.executable, "-c", textwrap.dedent(code), receiver.url]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)

    assert done.returncode == 0, done.stderr
    assert len(receiver.wait_for("attempt", 2)) == 2


def test_without_a_line_of_code_by_opentelemetry_instrument(receiver: Receiver, tmp_path: Path) -> None:
    agent = tmp_path / "agent.py"
    agent.write_text(
        textwrap.dedent("""
        from langchain_core.tools import tool

        @tool
        def work(how: str) -> str:
            "Works."
            return how

        print(work.invoke({"how": "well"}))
    """)
    )
    quiet = {f"OTEL_{signal}_EXPORTER": "none" for signal in ("TRACES", "METRICS", "LOGS")}
    done = subprocess.run(
        [Path(sys.executable).with_name("opentelemetry-instrument"), sys.executable, agent],
        capture_output=True, text=True, timeout=120, check=False,
        env={**os.environ, **quiet, "OTEL_EXPORTER_OTLP_ENDPOINT": receiver.url, "OTEL_SERVICE_NAME": "zero",
             "OTEL_PYTHON_DISABLED_INSTRUMENTATIONS": "langchain"},
    )  # fmt: skip

    assert (done.returncode, done.stdout) == (0, "well\n"), done.stderr
    assert len(receiver.records("attempt")) == 1
    assert receiver.resources[0]["service.name"] == "zero"


def test_importing_toolwatch_imports_neither_langchain_nor_an_exporter() -> None:
    heavy = ("langchain", "langgraph", "opentelemetry", "requests")
    code = f"import sys, toolwatch; print([name for name in sys.modules if name.startswith({heavy})])"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )

    assert done.stdout.strip() == "[]"


def test_an_agent_without_a_server_runs_and_ends_quietly() -> None:
    done = run("print(run('ok').content)", "http://127.0.0.1:9")

    assert (done.returncode, done.stdout) == (0, "ok\n")
    assert len(done.stderr.splitlines()) <= 1


def test_flush_says_no_when_nobody_listens() -> None:
    toolwatch.instrument(endpoint="http://127.0.0.1:9")
    try:
        from tests.unit.collector.graphs import asking, call, one_node
        from tests.unit.collector.test_host import add

        one_node([add]).invoke(asking(call("add", {"a": 1})))
        assert not toolwatch.flush(0.3)
    finally:
        toolwatch.uninstrument()


def test_what_a_busy_server_did_not_take_is_sent_again(watched: Receiver) -> None:
    from tests.unit.collector.graphs import asking, call, one_node
    from tests.unit.collector.test_host import add

    watched.statuses += [503, 503]
    one_node([add]).invoke(asking(call("add", {"a": 1})))

    for kind in ("started", "attempt", "step", "run"):
        watched.wait_for(kind)


def test_what_a_server_refuses_is_counted_and_reported(watched: Receiver) -> None:
    from tests.unit.collector.graphs import asking, call, one_node
    from tests.unit.collector.test_host import add

    assert toolwatch.flush()
    one_node([add]).invoke(asking(call("add", {"a": 1})))
    watched.wait_for("started")
    watched.statuses.append(400)
    toolwatch.flush()
    one_node([add]).invoke(asking(call("add", {"a": 2})))

    alive = watched.wait_for("alive")
    assert alive[0]["toolwatch.dropped"] >= 1


def test_what_a_full_queue_refuses_is_counted_and_reported(
    watched: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tests.unit.collector.graphs import asking, call, one_node
    from tests.unit.collector.test_host import add

    assert toolwatch.flush()
    monkeypatch.setattr(_pipeline, "QUEUE", 4)
    for number in range(10):
        one_node([add]).invoke(asking(call("add", {"a": number}), message_id=f"ai-{number}"))

    alive = watched.wait_for("alive")
    assert alive[0]["toolwatch.dropped"] >= 10


def test_flush_with_nothing_recorded_succeeds_at_once(watched: Receiver) -> None:
    assert toolwatch.flush(5.0)
