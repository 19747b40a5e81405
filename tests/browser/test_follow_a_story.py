"""Calls among others: pauses, parallel calls, loops, calls that nobody answered."""

from tests.browser.conftest import NewPerson, Person
from tests.browser.serving import Server


def test_a_pause_leads_to_its_resume(engineer: Person) -> None:
    engineer.opens("/c/call_p03")
    assert "succeeded after a person answered" in engineer.page.locator(".said").inner_text()

    engineer.page.locator(".verdict .facts").get_by_role("link", name="invoice-12").click()

    engineer.page.wait_for_url("**/threads/invoice-12")
    runs = engineer.page.locator(".run-block").all_inner_texts()
    assert "paused for a person" in runs[0]
    assert 'a person had answered {"ok": true}' in runs[1]


def test_whoever_waits_for_a_person_is_on_the_first_page(engineer: Person) -> None:
    engineer.opens("/")

    engineer.page.get_by_label("People being waited for").get_by_role("link", name="refund_order").click()

    engineer.page.wait_for_url("**/calls/*")
    assert "waits for a person: “Refund 75.00 for order 1039?”" in engineer.page.locator(".said").inner_text()


def test_three_calls_at_once_are_seen_to_be(engineer: Person) -> None:
    engineer.opens("/c/call_w1")

    engineer.page.locator(".verdict .facts").locator("a[href^='/traces/']").click()

    engineer.page.wait_for_url("**/traces/*")
    assert "Ran 3 at once: 498 ms instead of 1.48 s" in engineer.reads()
    bars = [bar.bounding_box() for bar in engineer.page.locator(".waterfall li.call rect").all()]
    left = max(bar["x"] for bar in bars if bar)
    right = min(bar["x"] + bar["width"] for bar in bars if bar)
    assert len(bars) == 3
    assert left < right


def test_a_loop_is_one_line_until_it_is_opened(engineer: Person) -> None:
    engineer.opens("/threads/library-1")
    assert "search_memory, same arguments, 12 times" in engineer.reads()
    assert engineer.page.locator(".turn .call:visible").count() == 0

    engineer.page.locator(".turn summary").click()

    assert engineer.page.locator(".turn .call:visible").count() == 12


def test_unanswered_calls_are_listed_with_the_conversation(engineer: Person) -> None:
    engineer.opens("/threads/stock-5")

    left = engineer.page.get_by_label("Calls without an answer")
    assert left.locator("a.row-link .tool").all_inner_texts() == ["lookup_stock", "send_note"]


def test_the_refused_call_is_put_beside_the_one_that_corrected_it(engineer: Person) -> None:
    engineer.opens("/c/call_plan_1")

    engineer.page.get_by_label("Corrected by").locator("a[href^='/compare']").click()

    engineer.page.wait_for_url("**/compare?**")
    differing = engineer.page.locator("tr.differs th").all_inner_texts()
    assert {"Outcome", "Argument tasks", "Argument owner"} <= {
        label.split(" differs")[0] for label in differing
    }


def test_something_is_found_inside_a_long_trace(engineer: Person) -> None:
    engineer.opens("/c/call_w1")
    engineer.page.locator(".verdict .facts").locator("a[href^='/traces/']").click()
    lines = engineer.page.locator(".waterfall li.call").count()

    engineer.page.get_by_role("searchbox", name="Find in this trace").fill("call_w1")
    with engineer.page.expect_navigation():
        engineer.page.keyboard.press("Enter")

    assert engineer.page.locator(".waterfall li.found").count() == 1
    assert engineer.page.locator(".waterfall li.call").count() < lines
    assert "1 line of" in engineer.page.get_by_role("status").inner_text()


def test_a_trace_folds_and_opens_again_without_scripts(new_person: NewPerson, full_server: Server) -> None:
    person = new_person(full_server, java_script_enabled=False)
    person.opens("/c/call_w1")
    person.page.locator(".verdict .facts").locator("a[href^='/traces/']").click()
    lines = person.page.locator(".waterfall li.call").count()

    person.page.get_by_role("link", name="Fold").first.click()
    assert person.page.locator(".waterfall li.call").count() == 0
    assert "folded" in person.page.locator(".waterfall li.run").inner_text()

    person.page.get_by_role("link", name="Open").first.click()
    assert person.page.locator(".waterfall li.call").count() == lines
