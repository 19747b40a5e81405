"""docs/dialects.md names every attribute that a dialect reads, and no other."""

import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from toolwatch import conventions
from toolwatch_server.ingest import by_conventions, origins
from toolwatch_server.ingest.dialects import DIALECTS, toolwatch

TEXT = (Path(__file__).parents[2] / "docs/dialects.md").read_text()
MODULES = [
    m for m in (*DIALECTS, by_conventions, origins) if isinstance(m, ModuleType) and m is not toolwatch
]
# Names that are no attributes: frameworks by their scopes, and what a wrong agent is called.

LISTS = (tuple, frozenset)
NOT_ATTRIBUTES = {"FRAMEWORKS", "NO_AGENT", "VERCEL"}


def name_of(module: ModuleType) -> str:
    return module.__name__.rpartition(".")[2]


def section(name: str) -> str:
    return TEXT.split(f"\n## {name}\n", 1)[1].split("\n## ", 1)[0]


def read_by(module: ModuleType) -> Iterator[str]:
    """The names that stand as constants in the module."""
    source = Path(str(module.__file__)).read_text()
    for name, value in vars(module).items():
        defined_here = re.search(rf"^{name}\b.*=", source, re.MULTILINE)
        if name.isupper() and defined_here and name not in NOT_ATTRIBUTES:
            yield from [value] if isinstance(value, str) else value if isinstance(value, LISTS) else ()


@pytest.mark.parametrize("module", MODULES, ids=name_of)
def test_every_attribute_that_is_read_is_documented(module: ModuleType) -> None:
    text = section(name_of(module))
    known = {value for name, value in vars(conventions).items() if name.isupper() and isinstance(value, str)}

    missing = {name for name in read_by(module) if f"`{name}`" not in text}
    if name_of(module) == "genai":  # its lists are those of by_conventions
        missing = {name for name in missing if f"`{name}`" not in section("by_conventions")}
    assert missing - known == set()


@pytest.mark.parametrize("module", MODULES, ids=name_of)
def test_every_documented_attribute_is_read(module: ModuleType) -> None:
    shared = (conventions, by_conventions, module)
    code = "".join(Path(str(m.__file__)).read_text() for m in shared)
    rows = [line for line in section(name_of(module)).splitlines() if line.startswith("| `")]

    documented = {name for row in rows for name in re.findall(r"`([^`]+)`", row.split("|")[1])}
    assert {name for name in documented if name not in code and name != "error.type"} == set()


def test_dialects_are_listed_in_their_order() -> None:
    listed = re.findall(r"`(\w+)`", TEXT.split("\n## Order\n")[1].split("\n\n")[1])

    assert listed == [name_of(module) for module in DIALECTS if isinstance(module, ModuleType)]
