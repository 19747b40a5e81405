"""Values as trees that stay true to what was sent."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from toolwatch_web.json_tree import MAX_CHILDREN, Node, Problem, pieces, tree

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def child(node: Node, key: str) -> Node:
    return next(found for found in node.children if found.key == key)


def shown(node: Node) -> str:
    return "".join(piece.text for piece in node.pieces)


@given(VALUES, st.lists(st.text(max_size=8)))
def test_any_value_and_any_problem_make_a_tree(value: Any, fields: list[str]) -> None:
    tree(value, [Problem(field=field, reason="wrong") for field in fields])


def test_a_string_that_looks_like_json_stays_a_string_with_a_second_view() -> None:
    field = child(tree({"tasks": '[{"t": "pack"}]'}), "tasks")

    assert field.kind == "string"
    assert json.loads(shown(field)) == '[{"t": "pack"}]'
    assert field.looks_like is not None
    assert field.looks_like.kind == "array"


def test_a_problem_stands_at_its_field_however_deep() -> None:
    node = tree({"tasks": [{"t": "pack"}]}, [Problem(field="tasks.0.t", reason="too short")])

    field = child(child(child(node, "tasks"), "0"), "t")
    assert [problem.reason for problem in field.problems] == ["too short"]
    assert node.troubled


def test_a_missing_field_is_shown_as_missing() -> None:
    node = tree({"a": 1}, [Problem(field="owner", reason="Field required")])

    assert child(node, "owner").kind == "missing"


def test_long_lists_say_how_much_is_hidden() -> None:
    node = tree(list(range(MAX_CHILDREN + 7)))

    assert node.hidden == 7


def test_marks_of_redaction_are_told_from_brackets_in_the_text() -> None:
    marked = [
        piece.text for piece in pieces("a [dsn-password] b [dict] c [api-key:3fa2c1]") if piece.redacted
    ]

    assert marked == ["[dsn-password]", "[api-key:3fa2c1]"]
