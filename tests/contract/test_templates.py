"""Every template is shown in every state it knows, and shows nothing but what it was given."""

import re
from pathlib import Path

import pytest

from toolwatch_web import gallery, render
from toolwatch_web.gallery.lists import calls_page, rows
from toolwatch_web.gallery.values import NOW_NS, shell
from toolwatch_web.outcomes import LOOKS

TEMPLATES = Path(render.__file__).parent / "templates"
SAMPLES = [(name, number) for name, models in gallery.pages().items() for number in range(len(models))]


@pytest.mark.parametrize(("name", "number"), SAMPLES)
def test_every_page_renders_every_sample(name: str, number: int) -> None:
    html = render.page(name, gallery.pages()[name][number], shell())

    assert html.count("<h1") == 1
    assert html.rstrip().endswith("</html>")


def test_no_page_is_without_a_sample() -> None:
    assert {path.stem for path in (TEMPLATES / "pages").glob("*.html")} == set(gallery.pages())


def test_every_part_belongs_to_a_page_or_is_fetched_alone() -> None:
    text = "\n".join(path.read_text() for path in TEMPLATES.rglob("*.html"))
    used = set(re.findall(r"""(?:include|import) "parts/(\w+)\.html""", text))
    fetched = {"more_rows", "live_rows"}

    assert {path.stem for path in (TEMPLATES / "parts").glob("*.html")} == used | fetched


@pytest.mark.parametrize("name", ["more_rows", "live_rows"])
def test_parts_that_are_fetched_alone_render_alone(name: str) -> None:
    html = render.part(name, calls_page(full=True).rows, now_ns=NOW_NS)

    assert html.count("<tr id=") == len(rows())


def test_every_outcome_has_a_shape_of_its_own() -> None:
    shapes = [look.shape for look in LOOKS.values()]

    assert len(set(shapes)) == len(shapes)


def test_every_shape_is_in_the_sprite() -> None:
    sprite = (TEMPLATES.parent / "static" / "icons.svg").read_text()
    text = "\n".join(path.read_text() for path in TEMPLATES.rglob("*.html"))
    wanted = {look.shape for look in LOOKS.values()} | set(re.findall(r'icon\("(\w+)"', text))

    assert wanted - set(re.findall(r'<symbol id="(\w+)"', sprite)) == set()


@pytest.mark.parametrize("path", sorted(TEMPLATES.rglob("*.html")), ids=lambda path: path.name)
def test_templates_run_no_code_in_the_markup(path: Path) -> None:
    forbidden = re.compile(
        r"""\sstyle=|<style|\son\w+=|hx-on|js:|javascript:|hx-trigger="[^"]*\[|\|\s*safe|autoescape"""
    )

    assert forbidden.findall(path.read_text()) == []
