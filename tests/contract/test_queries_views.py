"""One call, one trace, one thread, and what stands beside them. On SQLite and on PostgreSQL."""

from dataclasses import replace

from tests import builders as b
from tests.conftest import NOON_NS
from toolwatch_server.domain.facts import About
from toolwatch_server.domain.span import Span
from toolwatch_server.storage.engine import Database
from toolwatch_server.storage.queries.load_calls import load_calls
from toolwatch_server.storage.queries.show_call import show_call
from toolwatch_server.storage.queries.show_trace import show_thread, show_trace
from toolwatch_server.storage.store import Store

OTHER = "b" * 32


def decode(raw: bytes) -> Span:
    """What ingest does with real OTLP."""
    _, trace_id, span_id, _ = raw.decode().split(" ")
    return b.a_span(b.an_origin(trace_id=trace_id, span_id=span_id))


def keys(rows: object) -> list[str]:
    return [row.key for row in rows]  # type: ignore[attr-defined]


def test_a_call_nobody_knows_is_none(database: Database) -> None:
    with database.read() as db:
        assert show_call(db, "nobody") is None
        assert show_call(db, "\x00") is None
        assert show_trace(db, "nobody", decode) is None
        assert show_thread(db, "nobody", decode) is None
        assert load_calls(db, ["nobody"]) == ()
        assert load_calls(db, []) == ()


def test_calls_are_loaded_in_the_order_asked_for(store: Store, database: Database) -> None:
    for n in range(3):
        store.save(b.a_call(f"k{n}", tool_call_id=f"id{n}"))

    with database.read() as db:
        assert keys(load_calls(db, ["k2", "k0", "gone", "k1"])) == ["k2", "k0", "k1"]


def test_the_calls_of_one_message_stand_in_its_order(store: Store, database: Database) -> None:
    for n in (2, 0, 1):
        request = {"group_id": "m1", "group_size": 3, "message_id": "m1", "position": n}
        store.save(b.a_call(f"k{n}", tool_call_id=f"id{n}", request=request))
    elsewhere = {"group_id": "m1", "group_size": 1, "message_id": "m1"}
    store.save(b.a_call("elsewhere", thread_id="thread-2", request=elsewhere, tool_call_id="id9"))

    with database.read() as db:
        view = show_call(db, "k1")
    assert view is not None
    assert keys(view.siblings) == ["k0", "k1", "k2"]
    assert view.call.group is not None


def test_the_calls_inside_a_call_are_shown_with_it(store: Store, database: Database) -> None:
    store.save(b.a_call("outer"))
    store.save(b.a_call("inner", tool_call_id="call_2", request={"parent_key": "outer"}))

    with database.read() as db:
        view = show_call(db, "outer")
    assert view is not None
    assert keys(view.nested) == ["inner"]


def test_calls_with_the_same_id_or_arguments_are_shown_newest_first(store: Store, database: Database) -> None:
    for n in range(3):
        store.save(b.a_call(f"k{n}", at_ns=NOON_NS + n))

    with database.read() as db:
        view = show_call(db, "k1")
    assert view is not None
    assert keys(view.same_id) == keys(view.same_arguments) == ["k2", "k0"]


def test_a_call_without_an_id_has_no_namesakes(store: Store, database: Database) -> None:
    for n, missing in enumerate((None, None, "", "")):
        store.save(b.a_call(f"k{n}", tool_call_id=missing))

    with database.read() as db:
        for n in range(4):
            view = show_call(db, f"k{n}")
            assert view is not None
            assert view.same_id == ()


def test_a_refused_call_and_its_correction_point_at_each_other(store: Store, database: Database) -> None:
    store.save(b.a_refusal("wrong", tool_call_id="id0"))
    store.save(b.a_call("unrelated", tool_call_id="id1", at_ns=NOON_NS + 1, tool="mail"))
    store.save(b.a_call("right", tool_call_id="id2", at_ns=NOON_NS + 2, arguments='{"city": "Rome"}'))
    store.save(b.a_call("later", tool_call_id="id3", at_ns=NOON_NS + 3))

    with database.read() as db:
        wrong, right, later = (show_call(db, key) for key in ("wrong", "right", "later"))
    assert wrong is not None
    assert right is not None
    assert later is not None
    assert wrong.corrected_by is not None
    assert right.corrects is not None
    assert (wrong.corrected_by.key, right.corrects.key) == ("right", "wrong")
    assert (wrong.corrects, right.corrected_by, later.corrects) == (None, None, None)


def test_a_trace_shows_its_calls_spans_orphans_and_runs(store: Store, database: Database) -> None:
    call = b.a_call("k0")
    store.save([*call, b.a_start("k0"), b.a_pulse(), b.an_orphan(), b.a_run("agent")])
    store.save(b.a_call("other", trace_id=OTHER, tool_call_id="call_2"))

    with database.read() as db:
        view = show_trace(db, b.TRACE, decode)
    assert view is not None
    assert keys(view.calls) == ["k0"]
    assert view.spans_total == len(view.spans) == 5  # three of the call, the orphan's and the run's
    assert [orphan.tool_call_id for orphan in view.orphans] == ["call_nobody"]
    assert [run.name for run in view.runs] == ["agent"]


def test_a_trace_without_calls_is_shown_too(store: Store, database: Database) -> None:
    store.save([b.a_run()])

    with database.read() as db:
        view = show_trace(db, b.TRACE, decode)
    assert view is not None
    assert view.calls == ()


def test_a_thread_shows_every_trace_that_speaks_of_it(store: Store, database: Database) -> None:
    store.save([*b.a_call("k0"), *b.a_call("k1", at_ns=NOON_NS + 1, trace_id=OTHER, tool_call_id="call_2")])
    store.save([b.a_run("first"), b.a_run("second", trace_id=OTHER, at_ns=NOON_NS + 1)])
    store.save(b.a_call("elsewhere", thread_id="thread-2", trace_id="c" * 32, tool_call_id="call_3"))

    with database.read() as db:
        view = show_thread(db, "thread-1", decode)
    assert view is not None
    assert keys(view.calls) == ["k0", "k1"]
    assert {span.trace_id for span in view.spans} == {b.TRACE, OTHER}
    assert [run.name for run in view.runs] == ["first", "second"]


def test_a_huge_trace_is_cut_and_says_so(store: Store, database: Database) -> None:
    origin = b.an_origin()
    fact = b.requested(origin)
    template = b.about("k0", fact)
    records = []
    for n in range(2_100):
        span = b.a_span(replace(origin, span_id=f"{n:016x}"), at_ns=NOON_NS + n)
        reading = replace(template.reading, facts=(About(call_key="k0", fact=fact),) if n == 0 else ())
        records.append(replace(template, span=span, raw=b.raw_of(span), reading=reading))
    store.save(records)

    with database.read() as db:
        view = show_trace(db, b.TRACE, decode)
    assert view is not None
    assert (len(view.spans), view.spans_total) == (2_000, 2_100)
    assert view.spans[0].span_id == f"{0:016x}"
