"""Rules about the code that no linter knows."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGES = ("collector/toolwatch", "server/toolwatch_server", "web/toolwatch_web")
LONGEST_FILE_LINES = 300
TABLES = {"collector/toolwatch/conventions.py"}  # lists of names, which one reads by looking up

DATABASES = {  # opening a connection, and using one
    "server/toolwatch_server/storage/engine.py",
    "server/toolwatch_server/storage/dialect.py",
}


def sources(*folders: str) -> list[Path]:
    return [path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))]


def short(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def test_every_file_can_be_read_in_one_sitting() -> None:
    lines = {
        short(path): len(path.read_text().splitlines()) for path in sources(*PACKAGES, "tests", "scripts")
    }

    assert {name: n for name, n in lines.items() if n > LONGEST_FILE_LINES and name not in TABLES} == {}


def test_the_migrations_do_not_hide_the_library_they_are_named_after() -> None:
    assert not (ROOT / "alembic" / "__init__.py").exists()
    assert [name for name in ("server", "web", "collector") if (ROOT / name / "__init__.py").exists()] == []


def test_what_the_two_databases_do_differently_stands_in_two_files() -> None:
    name = r"""["'](sqlite|postgresql)["']"""
    asks = re.compile(
        rf"""dialect\.name [=!]=|[=!]= {name}|{name} [=!]=|\.startswith\(["'](sqlite|postgres)"""
    )
    found = [
        f"{short(path)}:{number}"
        for path in sources("server/toolwatch_server")
        if short(path) not in DATABASES
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if asks.search(line)
    ]

    assert found == []


def test_nothing_is_left_for_later() -> None:
    marks = re.compile(r"\b(TODO|FIXME|XXX|NotImplementedError)\b")

    assert [short(path) for path in sources(*PACKAGES) if marks.search(path.read_text())] == []


def test_pages_run_no_script_of_their_own_in_the_markup() -> None:
    """The content security policy allows neither inline script nor inline style nor eval."""
    inline = re.compile(
        r"\sstyle=|<style|<script(?![^>]*\ssrc=)|\son\w+=|hx-on|hx-vals=.?js:|hx-trigger=\"[^\"]*\["
    )
    templates = sorted((ROOT / "web/toolwatch_web/templates").rglob("*.html"))

    assert [short(path) for path in templates if inline.search(path.read_text())] == []
