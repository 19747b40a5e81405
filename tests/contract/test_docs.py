"""What the documents say is true."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer.main

from toolwatch_server.cli import app
from toolwatch_server.settings import CODES, Settings

ROOT = Path(__file__).parents[2]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
LINK = re.compile(r"(?:\]\(|src(?:set)?=\")(?!https?:|#)([^)\"#]+)")
COMPUTED_DEFAULTS = {"database_url"}


def commands(command: Any, *names: str) -> Iterator[str]:
    """The full names of all commands below. Typer has a click of its own, whose classes cannot be named."""
    groups: dict[str, Any] | None = getattr(command, "commands", None)
    if groups is None:
        yield " ".join(names)
        return
    for name, below in groups.items():
        yield from commands(below, *names, name)


def rows_of_settings() -> dict[str, str]:
    lines = (ROOT / "docs/settings.md").read_text().splitlines()
    return {line.split("`")[1]: line for line in lines if line.startswith("| `TOOLWATCH_")}


def test_every_setting_is_documented_with_its_default_its_meaning_and_its_code() -> None:
    rows = rows_of_settings()

    assert set(rows) == {f"TOOLWATCH_{name.upper()}" for name in Settings.model_fields}
    for name, setting in Settings.model_fields.items():
        row = rows[f"TOOLWATCH_{name.upper()}"]
        assert setting.description
        assert setting.description in row
        assert CODES[name] in row
        if name not in COMPUTED_DEFAULTS and isinstance(setting.default, int | str) and setting.default != "":
            assert f"`{str(setting.default).lower()}`" in row


def test_every_code_of_a_refused_start_is_documented() -> None:
    server = ROOT / "server/toolwatch_server"
    used = {code for path in server.rglob("*.py") for code in re.findall(r'"([SD]0\d\d)"', path.read_text())}
    documented = re.findall(r"\b[SD]0\d\d\b", (ROOT / "docs/settings.md").read_text())

    assert used == set(documented)


def test_every_command_is_documented() -> None:
    text = (ROOT / "docs/commands.md").read_text()
    documented = set(re.findall(r"^\| `toolwatch ([a-z ]+[a-z])", text, flags=re.M))

    assert documented == set(commands(typer.main.get_command(app)))


def test_every_link_between_the_documents_leads_somewhere() -> None:
    broken = [
        f"{document.relative_to(ROOT)}: {target}"
        for document in DOCUMENTS
        for target in LINK.findall(document.read_text())
        if not (document.parent / target).exists()
    ]

    assert broken == []


def test_every_make_target_that_a_document_names_exists() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), flags=re.M))
    named = {name for document in DOCUMENTS for name in re.findall(r"`make ([a-z-]+)", document.read_text())}

    assert named <= targets


def test_the_list_of_decisions_is_complete() -> None:
    folder = ROOT / "docs/decisions"
    listed = re.findall(r"\]\((\d{4}-[\w-]+\.md)\)", (folder / "README.md").read_text())

    assert listed == sorted(path.name for path in folder.glob("[0-9]*.md"))
