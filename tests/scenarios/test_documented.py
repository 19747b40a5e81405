"""docs/scenarios.md says what the truth says."""

import re
from pathlib import Path

import pytest

from tests.scenarios.test_truth import title
from tests.scenarios.truth import TRUTH

PAGE = (Path(__file__).parents[2] / "docs" / "scenarios.md").read_text(encoding="utf-8")
ROWS = [line.strip("| ").split(" | ") for line in PAGE.splitlines() if re.search(r"\| S\d\d", line)]


@pytest.mark.parametrize("key", sorted(TRUTH), ids=title)
def test_each_scenario_has_one_row_with_its_outcomes(key: str) -> None:
    (row,) = [row for row in ROWS if key in row[-1].split()]
    true = {word for call in TRUTH[key]["calls"] for word in call["outcome"].split("|")}
    assert set(re.findall(r"`(\w+)`", row[1])) == true
