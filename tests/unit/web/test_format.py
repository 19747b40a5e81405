"""Numbers and times as people read them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolwatch_web import format

NOON_NS = 1_767_268_800_000_000_000
SECOND_NS = 1_000_000_000


@pytest.mark.parametrize(
    ("ms", "text"),
    [
        (None, "–"),
        (0, "0.00 ms"),
        (0.42, "0.42 ms"),
        (3.14, "3.1 ms"),
        (512.4, "512 ms"),
        (999.6, "1.00 s"),
        (1_510, "1.51 s"),
        (12_340, "12.3 s"),
        (59_990, "1 min"),
        (125_000, "2 min 5 s"),
        (3_780_000, "1 h 3 min"),
        (187_200_000, "2 d 4 h"),
    ],
)
def test_durations_have_three_digits_that_matter(ms: float | None, text: str) -> None:
    assert format.duration(ms) == text


@given(st.floats(min_value=0, max_value=1e15))
def test_a_duration_is_always_short(ms: float) -> None:
    assert 0 < len(format.duration(ms)) < 25


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "just now"),
        (42, "42 s ago"),
        (61, "1 min ago"),
        (7_300, "2 h ago"),
        (90_000, "1 day ago"),
        (180_000, "2 days ago"),
    ],
)
def test_ages_are_rounded_down(seconds: int, text: str) -> None:
    assert format.ago(NOON_NS - seconds * SECOND_NS, NOON_NS) == text


def test_a_moment_is_utc_to_the_millisecond() -> None:
    assert format.moment(NOON_NS + 6_789_000_000) == "2026-01-01 12:00:06.789"


@pytest.mark.parametrize(
    ("number", "text"), [(0, "never"), (1, "once"), (2, "twice"), (12_345, "12\u202f345 times")]
)
def test_counts_of_runs_are_words(number: int, text: str) -> None:
    assert format.times(number) == text


@pytest.mark.parametrize(
    ("part", "whole", "text"), [(0, 0, "–"), (0, 9, "0 %"), (1, 20, "5.0 %"), (5, 10, "50 %")]
)
def test_shares_of_nothing_are_not_known(part: int, whole: int, text: str) -> None:
    assert format.share(part, whole) == text


@given(st.text(), st.integers(min_value=1, max_value=300))
def test_a_shortened_text_is_one_line_and_no_longer_than_asked(text: str, length: int) -> None:
    short = format.shorten(text, length)

    assert len(short) <= length
    assert len(short.splitlines()) <= 1
