"""What only a look at several calls can tell. On SQLite and on PostgreSQL."""

from tests import builders as b
from tests.conftest import NOON_NS
from toolwatch_server.domain.filters import CallFilter
from toolwatch_server.storage.engine import Database
from toolwatch_server.storage.queries.list_calls import list_calls
from toolwatch_server.storage.queries.load_calls import load_calls
from toolwatch_server.storage.store import Store


def warned(database: Database, code: str) -> list[str]:
    """The keys that the filter finds; the rows and the whole calls must say the same."""
    with database.read() as db:
        found = sorted(row.key for row in list_calls(db, CallFilter(warning=code)).rows)
        every = list_calls(db, CallFilter(limit=500)).rows
        calls = load_calls(db, [row.key for row in every])
    assert found == sorted(row.key for row in every if code in row.warnings)
    assert found == sorted(call.key for call in calls if code in {warning.code for warning in call.warnings})
    return found


def test_the_third_equal_call_makes_a_loop_of_all_three(store: Store, database: Database) -> None:
    for n in range(2):
        store.save(b.a_call(f"k{n}", tool_call_id=f"id{n}", at_ns=NOON_NS + n))
    assert warned(database, "repeated_call") == []

    store.save(b.a_call("k2", tool_call_id="id2", arguments='{ "city":"Bern" }', at_ns=NOON_NS + 2))

    assert warned(database, "repeated_call") == ["k0", "k1", "k2"]
    with database.read() as db:
        (call,) = load_calls(db, ["k0"])
    (warning,) = call.warnings
    assert "3 times" in warning.text
    assert warning.keys == ("k2", "k1")


def test_other_arguments_are_no_loop(store: Store, database: Database) -> None:
    for n in range(4):
        store.save(b.a_call(f"k{n}", tool_call_id=f"id{n}", arguments=f'{{"city": "{n}"}}'))

    assert warned(database, "repeated_call") == []


def test_the_same_call_in_other_threads_is_no_loop(store: Store, database: Database) -> None:
    for n in range(4):
        store.save(b.a_call(f"k{n}", tool_call_id=f"id{n}", thread_id=f"thread-{n}"))

    assert warned(database, "repeated_call") == []


def test_trying_a_failed_call_again_unchanged_is_a_loop_of_two(store: Store, database: Database) -> None:
    store.save(b.a_failure("k0", tool_call_id="id0"))
    store.save(b.a_call("k1", tool_call_id="id1", at_ns=NOON_NS + 1))

    assert warned(database, "repeated_call") == ["k0", "k1"]


def test_a_failure_after_a_success_is_no_loop_of_two(store: Store, database: Database) -> None:
    store.save(b.a_call("k0", tool_call_id="id0"))
    store.save(b.a_failure("k1", tool_call_id="id1", at_ns=NOON_NS + 1))

    assert warned(database, "repeated_call") == []


def test_a_refused_call_may_be_tried_again(store: Store, database: Database) -> None:
    """The body never ran, so nothing was done twice."""
    store.save(b.a_refusal("k0", tool_call_id="id0"))
    store.save(b.a_call("k1", tool_call_id="id1", at_ns=NOON_NS + 1))

    assert warned(database, "repeated_call") == []


def test_a_loop_is_taken_back_when_the_calls_turn_out_to_differ(store: Store, database: Database) -> None:
    """Attempts may arrive before the request that says what the model really asked for."""
    for n in range(3):
        store.save([b.about(f"k{n}", b.attempted(b.an_origin(), arguments="{}", tool_call_id=f"id{n}"))])
    assert len(warned(database, "repeated_call")) == 3

    for n in range(3):
        store.save([b.about(f"k{n}", b.requested(b.an_origin(), arguments=f'{{"city": "{n}"}}'))])

    assert warned(database, "repeated_call") == []


def test_one_id_for_two_calls_of_a_service_is_reported_on_both(store: Store, database: Database) -> None:
    store.save(b.a_call("k0", thread_id="a"))
    assert warned(database, "id_reused") == []

    store.save(b.a_call("k1", thread_id="b"))

    assert warned(database, "id_reused") == ["k0", "k1"]
    with database.read() as db:
        (call,) = load_calls(db, ["k0"])
    assert call.warnings[0].keys == ("k1",)


def test_two_services_may_use_one_id(store: Store, database: Database) -> None:
    store.save(b.a_call("k0", service="shop"))
    store.save(b.a_call("k1", service="bank"))

    assert warned(database, "id_reused") == []


def test_no_id_and_an_empty_id_are_not_reused(store: Store, database: Database) -> None:
    for n, missing in enumerate([None, None, "", ""]):
        store.save(b.a_call(f"k{n}", tool_call_id=missing, arguments=f"[{n}]"))

    assert warned(database, "id_reused") == []


def test_an_orphaned_answer_is_shown_with_the_calls_that_miss_one(store: Store, database: Database) -> None:
    due = b.about("due", b.requested(b.an_origin(), tool_call_id="call_1"))
    elsewhere = b.about("elsewhere", b.requested(b.an_origin(trace_id="b" * 32), tool_call_id="call_2"))
    ended = [
        b.about(key, b.run_ended(b.an_origin(trace_id=t)))
        for key, t in (("due", b.TRACE), ("elsewhere", "b" * 32))
    ]
    store.save([due, elsewhere, *ended, *b.a_call("fine", tool_call_id="call_3")])
    assert warned(database, "orphan_answer") == []

    store.save([b.an_orphan("call_l")])

    assert warned(database, "orphan_answer") == ["due"]
    with database.read() as db:
        (call,) = load_calls(db, ["due"])
    assert "call_l" in call.warnings[-1].text


def test_a_warning_of_the_call_itself_is_found_by_its_code(store: Store, database: Database) -> None:
    store.save(b.a_call("k0", tool_call_id=None))
    store.save(b.a_call("k1", attempt={"content_captured": False}))

    assert warned(database, "content_not_captured") == ["k1"]
    assert warned(database, "captured") == []
