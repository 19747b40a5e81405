"""The Go module and the Python collector call everything by the same names."""

import re
from pathlib import Path

from toolwatch import conventions

GO = Path(__file__).parents[2] / "eino/internal/names/names.go"


def test_both_languages_use_the_same_names() -> None:
    python = {
        name.replace("_", "").lower(): value for name, value in vars(conventions).items() if name.isupper()
    }
    go = {name.lower(): value for name, value in re.findall(r'^\t(\w+)\s*= "([^"]+)"', GO.read_text(), re.M)}

    assert python
    assert go == python
