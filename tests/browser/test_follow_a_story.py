"""Calls among others: pauses, parallel calls, loops, calls that nobody answered."""

from tests.browser.conftest import Person


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
