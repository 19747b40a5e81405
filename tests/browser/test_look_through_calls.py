"""Filtering, paging and watching the list."""

import time

import pytest

from tests.browser.conftest import NewPerson, Person
from tests.browser.seed import SECOND, Story
from tests.browser.serving import Server


def many(number: int, at_ns: int, name: str = "many") -> Story:
    story = Story(name, at_ns, thread="long-1")
    for n in range(number):
        story.attempt(f"{name}_{n:03}", "count_up", n * 10, n * 10 + 5, 1, result=str(n), arguments={"n": n})
    return story


def test_a_filter_narrows_the_list_without_a_new_page(engineer: Person) -> None:
    engineer.opens("/calls")
    engineer.page.get_by_text("Filters", exact=True).click()

    engineer.page.get_by_label("Invalid arguments", exact=True).check()

    engineer.page.get_by_role("heading", name="1 call", exact=True).wait_for()
    assert engineer.path() == "/calls?outcome=invalid_args"
    assert len(engineer.loads) == 1
    assert engineer.page.locator("a.row-link .tool").all_inner_texts() == ["plan_tasks"]


def test_the_address_of_a_filtered_list_shows_the_same_to_others(engineer: Person) -> None:
    engineer.opens("/calls?tool=charge_card&failed=true")

    assert engineer.page.locator("a.row-link .tool").all_inner_texts() == ["charge_card"]
    assert engineer.page.locator(".chips a").count() == 2


def test_back_returns_to_the_list_before_the_filter(engineer: Person) -> None:
    engineer.opens("/calls")
    engineer.page.get_by_text("Filters", exact=True).click()
    engineer.page.get_by_label("Running", exact=True).first.check()
    engineer.page.wait_for_url("**/calls?outcome=running")

    engineer.page.go_back()

    engineer.page.get_by_role("heading", name="34 calls").wait_for()


@pytest.mark.parametrize(
    "path", ["/calls?outcome=nonsense", "/calls?min_attempts=-1", "/calls?since=yesterday"]
)
def test_a_filter_that_makes_no_sense_is_explained_at_the_field(
    full_server: Server, new_person: NewPerson, path: str
) -> None:
    person = new_person(full_server)
    answer = person.page.goto(full_server.url + path)
    person.troubles.clear()  # the browser itself reports the status on its console

    assert answer is not None
    assert answer.status == 422
    assert "This has to be" in person.page.content()


def test_older_calls_are_added_below_without_a_new_page(new_person: NewPerson, new_server: Server) -> None:
    new_server.send(many(120, time.time_ns() - 60 * SECOND))
    person = new_person(new_server)
    person.opens("/calls")
    assert person.page.locator("a.row-link").count() == 50

    person.page.get_by_role("link", name="Show older calls").focus()
    person.page.keyboard.press("Enter")

    person.page.locator("a.row-link").nth(99).wait_for()
    person.page.get_by_role("link", name="Show older calls").click()
    person.page.locator("a.row-link").nth(119).wait_for()
    ids = person.page.locator(".cid").all_inner_texts()
    assert ids == [f"many_{n:03}" for n in reversed(range(120))]
    assert len(person.loads) == 1


def test_rows_arrive_while_one_reads_and_take_nothing_away(new_person: NewPerson, new_server: Server) -> None:
    new_server.send(many(3, time.time_ns() - 60 * SECOND))
    person = new_person(new_server)
    person.opens("/calls")
    person.page.keyboard.press("j")
    person.page.keyboard.press("j")
    read = person.page.evaluate("document.activeElement.href")

    new_server.send(many(2, time.time_ns() + SECOND, "fresh"))

    person.page.get_by_text("2 calls since you opened this list").wait_for()
    assert person.page.locator("tr.is-new").count() == 2
    assert person.page.locator("a.row-link").count() == 5
    assert person.page.evaluate("document.activeElement.href") == read
    assert len(person.loads) == 1


def test_the_first_page_of_an_empty_server_says_how_to_begin(
    new_person: NewPerson, new_server: Server
) -> None:
    person = new_person(new_server)
    person.opens("/")

    assert "toolwatch.instrument()" in person.reads()


def test_a_facet_narrows_the_list_and_says_by_how_much(engineer: Person) -> None:
    engineer.opens("/calls?failed=true")
    facet = engineer.page.locator(".facets a", has_text="charge_card")
    number = facet.locator("b").inner_text()

    facet.click()

    engineer.page.wait_for_url("**/calls?failed=true&tool=charge_card")
    assert engineer.page.locator("a.row-link .tool").count() == int(number)


def test_an_empty_list_says_which_filter_empties_it(engineer: Person) -> None:
    engineer.opens("/calls?tool=charge_card&outcome=external")

    advice = engineer.page.locator(".advice tbody tr").all_inner_texts()
    assert advice[0].split("\t")[0] == "tool charge_card"
    engineer.page.get_by_role("link", name="outcome Run by the provider", exact=True).click()
    engineer.page.wait_for_url("**/calls?tool=charge_card")
    assert engineer.page.locator("a.row-link .tool").count() > 0


def test_chosen_columns_stay_chosen(engineer: Person) -> None:
    engineer.opens("/calls")
    assert not engineer.page.get_by_role("columnheader", name="Service").is_visible()

    engineer.page.locator("summary", has_text="Columns").click()
    chooser = engineer.page.locator("details[data-columns]")
    chooser.get_by_label("Service", exact=True).check()
    chooser.get_by_label("Took", exact=True).uncheck()
    engineer.opens("/calls?failed=true")

    assert engineer.page.get_by_role("columnheader", name="Service").is_visible()
    assert not engineer.page.get_by_role("columnheader", name="Took").is_visible()


def test_a_search_can_be_saved_and_forgotten(engineer: Person) -> None:
    engineer.opens("/calls?failed=true&tool=charge_card")
    engineer.page.get_by_text("Saved", exact=True).click()
    engineer.page.get_by_label("Name of this search").fill("broken payments")
    engineer.page.keyboard.press("Enter")

    engineer.opens("/calls")
    engineer.page.get_by_text("Saved", exact=True).click()
    engineer.page.get_by_role("link", name="broken payments").click()
    engineer.page.wait_for_url("**/calls?failed=true&tool=charge_card")

    engineer.page.get_by_text("Saved", exact=True).click()
    engineer.page.get_by_role("button", name="Forget broken payments").click()
    assert engineer.page.get_by_role("link", name="broken payments").count() == 0
