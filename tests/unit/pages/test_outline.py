"""Folding a trace, and finding something in it."""

from typing import Any

from tests.unit.pages.samples import NOON_NS, a_row, a_timeline
from toolwatch_server.domain.rows import CallRow
from toolwatch_server.pages.outline import Outline, outline
from toolwatch_server.pages.timeline import scale_of, tree_of

Ran = tuple[CallRow, float, float]


def seen(*ran: Ran, **said: Any) -> Outline:
    view = a_timeline(*ran)
    return outline(tree_of(view, scale_of(view, NOON_NS), every_span=False), **said)


def nested(depth: int) -> list[Ran]:
    return [
        (a_row(f"c{n}", tool=f"agent_{n}", parent_key=f"c{n - 1}" if n else None), n, 10)
        for n in range(depth)
    ]


def test_what_is_folded_hides_what_is_inside_and_says_how_much() -> None:
    found = seen(*nested(4), folded=("c1",))

    assert [line.item.label for line in found.lines] == ["agent_0", "agent_1"]
    assert (found.lines[1].folded, found.lines[1].inside, found.total) == (True, 2, 4)


def test_a_search_shows_what_it_found_and_what_that_hangs_below_even_in_a_fold() -> None:
    found = seen(*nested(3), (a_row("x", tool="other"), 50, 5), folded=("c0",), words="AGENT_2")

    assert [(line.item.label, line.found) for line in found.lines] == [
        ("agent_0", False),
        ("agent_1", False),
        ("agent_2", True),
    ]
    assert found.found == 1


def test_errors_and_arguments_are_searched_too() -> None:
    row = a_row(
        error_type="TimeoutError",
        error_message="no answer",
        arguments_preview='{"card": "gold"}',
        failed=True,
    )

    assert seen((row, 0, 5), words="timeouterror gold").found == 1
    assert seen((row, 0, 5), words="timeouterror silver").found == 0


def test_a_chain_of_a_thousand_agents_is_drawn() -> None:
    assert len(seen(*nested(1_000)).lines) == 1_000
