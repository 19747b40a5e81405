"""A sample of every view model, in every state that looks different: for the gallery page and the tests."""

from dataclasses import dataclass
from typing import Final

from toolwatch_web.gallery.call import attempts, call_page, facts, failure, notices, steps, values
from toolwatch_web.gallery.compare import compare_page
from toolwatch_web.gallery.lists import (
    api_page,
    calls_page,
    error_row,
    find_page,
    overview_page,
    problem_page,
    rows,
    status_page,
    tool_page,
    tools_page,
)
from toolwatch_web.gallery.settings import leak, settings_page
from toolwatch_web.gallery.trace import lines, thread_page, ticks, trace_page
from toolwatch_web.models.call import AttemptsView, Failure, Step
from toolwatch_web.models.lists import (
    ErrorsPage,
    FindPage,
    LoginPage,
    StatusPage,
)
from toolwatch_web.models.parts import Fact, Notice, Payload, Row, Tick
from toolwatch_web.models.trace import Line
from toolwatch_web.outcomes import LOOKS


@dataclass(frozen=True, slots=True, kw_only=True)
class GalleryPage:
    rows: tuple[Row, ...]
    notices: tuple[Notice, ...]
    steps: tuple[Step, ...]
    attempts: AttemptsView
    values: tuple[tuple[str, Payload], ...]
    lines: tuple[Line, ...]
    ticks: tuple[Tick, ...]
    failure: Failure
    facts: tuple[Fact, ...]
    more_href: str | None
    more_part: str | None


def gallery_page() -> GalleryPage:
    return GalleryPage(
        rows=rows(),
        notices=notices(),
        steps=steps(),
        attempts=attempts(),
        values=values(),
        lines=lines(),
        ticks=ticks(),
        failure=failure(),
        facts=facts(),
        more_href=None,
        more_part=None,
    )


WINDOWS: Final = (("Last day", "/errors?window=24h", True),)


def pages() -> dict[str, tuple[object, ...]]:
    """Every page template by name, each with models that take it through its states."""
    return {
        "call": tuple(call_page(outcome) for outcome in LOOKS),
        "api": (api_page(),),
        "compare": (compare_page("calls"), compare_page("traces")),
        "calls": (
            calls_page(full=True),
            calls_page(full=False, filtered=True),
            calls_page(full=False),
            calls_page(full=False, stored=False),
        ),
        "overview": (overview_page(empty=False), overview_page(empty=True)),
        "trace": (trace_page(cut=True), trace_page(cut=False)),
        "thread": (thread_page(),),
        "find": (
            find_page(found=True),
            find_page(found=False),
            FindPage(query="", tried=(), rows=(), hint=None, more_href=None),
        ),
        "tools": (tools_page(full=True), tools_page(full=False), tools_page(full=False, stored=False)),
        "tool": (tool_page(split=True), tool_page(split=False)),
        "errors": (
            ErrorsPage(
                windows=WINDOWS, groups=(error_row(), error_row(outcome="unanswered")), leaks=(leak(),)
            ),
            ErrorsPage(windows=WINDOWS, groups=()),
        ),
        "status": (
            status_page(),
            StatusPage(store=facts(), received=(), instances=(), kept=(), destinations=()),
        ),
        "settings": (settings_page(), settings_page(tried=True)),
        "problem": (problem_page(),),
        "login": (LoginPage(next="/calls", refused=False), LoginPage(next="/", refused=True)),
        "gallery": (gallery_page(),),
    }
