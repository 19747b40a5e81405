"""Tracebacks as people read them."""

from toolwatch_server.pages.stack import library_of, read

CHAINED = """Traceback (most recent call last):
  File "/usr/lib/python3.11/socket.py", line 706, in readinto
    return self._sock.recv_into(b)
           ^^^^^^^^^^^^^^^^^^^^^^^
TimeoutError: timed out

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "/app/.venv/lib/python3.11/site-packages/langgraph/prebuilt/tool_node.py", line 8, in run
    return call()
  File "/app/shop/pay.py", line 4, in charge
    raise ValueError(
ValueError: first line
second line"""


def test_a_chain_is_told_oldest_first() -> None:
    chain = read(CHAINED)

    assert [raised.heading for raised in chain] == [
        "TimeoutError: timed out",
        "ValueError: first line\nsecond line",
    ]
    assert [raised.relation for raised in chain] == [None, "raised while handling it"]


def test_libraries_are_told_from_ones_own_code() -> None:
    _, second = read(CHAINED)

    assert [run.libraries for run in second.runs] == [("langgraph",), ()]
    assert second.runs[1].frames[0].code == "raise ValueError("


def test_marks_below_the_code_are_no_code() -> None:
    assert read(CHAINED)[0].runs[0].frames[0].code == "return self._sock.recv_into(b)"


def test_what_is_no_python_traceback_is_left_alone() -> None:
    assert read("goroutine 1 [running]:\nmain.main()") == ()


def test_a_virtual_environment_is_no_part_of_python_itself() -> None:
    assert library_of("/app/.venv/lib/python3.11/site-packages/httpx/_client.py") == "httpx"
    assert library_of("/usr/lib/python3.11/json/decoder.py") == "Python"
    assert library_of("/home/me/lib/tools.py") is None
