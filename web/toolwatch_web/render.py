"""View models in, HTML out. Undefined names are errors and everything is escaped."""

from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from toolwatch_web import assets, format, links, outcomes
from toolwatch_web.models.shell import Shell


def page(name: str, model: object, shell: Shell) -> str:
    """templates/pages/{name}.html, which sees `page` (the model) and `shell`."""
    return _environment().get_template(f"pages/{name}.html").render(page=model, shell=shell)


def part(name: str, model: object, *, now_ns: int) -> str:
    """templates/parts/{name}.html on its own, which sees `page` (the model) and `now_ns`."""
    return _environment().get_template(f"parts/{name}.html").render(page=model, now_ns=now_ns)


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        undefined=StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    for name in (
        "duration",
        "size",
        "count",
        "moment",
        "clock",
        "iso",
        "ago",
        "since",
        "shorten",
        "plural",
        "times",
    ):
        environment.filters[name] = getattr(format, name)
    environment.globals.update(
        asset=assets.address,
        look=outcomes.look,
        warning_title=outcomes.warning,
        cause_text=outcomes.cause,
        link=links,
        share=format.share,
    )
    return environment
