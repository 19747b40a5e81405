"""A page of calls and the question behind it as the list page."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final
from urllib.parse import urlencode

from toolwatch_server.domain.call import OUTCOMES, WARNINGS
from toolwatch_server.domain.rows import CallPage
from toolwatch_server.pages.ask import Asked
from toolwatch_server.pages.shape_rows import rows_of
from toolwatch_web.models.lists import Advice, CallsPage, Chip, Facet, Field, Rows
from toolwatch_web.outcomes import look, warning

_NO_FILTERS: Final = frozenset({"cursor", "oldest", "opened"})
_DOWNLOADS: Final = (
    ("CSV", "csv"), ("Lines of JSON", "ndjson"), ("Text", "text"), ("OTLP, protobuf", "otlp-proto"),
)  # fmt: skip
LIVE_MAX: Final = 200  # rows that a list keeps alive
_WORDS: Final = {
    "thread_id": "thread", "trace_id": "trace", "run_id": "run", "error_type": "error",
    "redaction": "redacted by", "min_attempts": "attempts ≥", "min_duration_ms": "ms ≥", "q": "words",
}  # fmt: skip
_TEXT_FIELDS: Final = (
    ("q", "Words in arguments, results, errors", "text", ""),
    ("tool", "Tool", "text", ""),
    ("tool_call_id", "tool_call_id", "text", ""),
    ("thread_id", "Thread", "text", ""),
    ("trace_id", "Trace", "text", ""),
    ("run_id", "Run", "text", ""),
    ("service", "Service", "text", ""),
    ("environment", "Environment", "text", ""),
    ("error_type", "Error type", "text", "TimeoutError"),
    ("redaction", "Redacted by rule", "text", "url-password"),
    ("min_attempts", "At least … attempts", "number", "2"),
    ("min_duration_ms", "At least … ms", "number", "1000"),
    ("since", "Since (UTC)", "text", "-1h"),
    ("until", "Until (UTC)", "text", "-5m"),
)
_QUICK: Final[tuple[tuple[str, tuple[tuple[str, str], ...]], ...]] = (
    ("All", ()),
    ("Failed", (("failed", "true"),)),
    ("Running", (("outcome", "running"),)),
    ("Waiting for a person", (("outcome", "interrupted"),)),
    ("Ran again", (("min_attempts", "2"),)),
    ("Invalid arguments", (("outcome", "invalid_args"), ("outcome", "malformed"))),
    ("Never answered", (("outcome", "unanswered"), ("outcome", "abandoned"), ("outcome", "discarded"))),
)


def calls_page(
    found: CallPage,
    asked: Asked,
    *,
    now_ns: int,
    facets: tuple[Facet, ...] = (),
    facets_note: str = "",
    advice: tuple[Advice, ...] = (),
) -> CallsPage:
    filters = told_filters(asked)
    return CallsPage(
        rows=first_rows(found, asked, now_ns=now_ns),
        total=found.total,
        fields=_fields(asked),
        outcomes=tuple((name, name in asked.filter.outcomes) for name in OUTCOMES),
        chips=tuple(
            chip_of(index, filters) for index, (name, _) in enumerate(filters) if name not in asked.problems
        ),
        downloads=tuple(
            (word, href_of("/api/v1/calls/export", [*filters, ("format", format)]))
            for word, format in _DOWNLOADS
        ),
        quick=tuple((name, href_of("/calls", pairs), set(pairs) == set(filters)) for name, pairs in _QUICK),
        problems=tuple(asked.problems.items()),
        facets=facets,
        facets_note=facets_note,
        advice=advice,
        anything_stored=bool(found.rows) or asked.filter.cursor is not None or bool(filters),
    )


def first_rows(found: CallPage, asked: Asked, *, now_ns: int) -> Rows:
    """The top of the list stays alive, unless one looks at an older page or into the past."""
    rows = more_rows(found, asked)
    live = asked.filter.cursor is None and asked.filter.until_ns is None
    oldest = min((row.sort_ns for row in found.rows), default=now_ns)
    pairs = [*told_filters(asked), ("oldest", str(oldest)), ("opened", str(now_ns))]
    return replace(rows, live_part=href_of("/parts/live-rows", pairs) if live and found.rows else None)


def more_rows(found: CallPage, asked: Asked) -> Rows:
    pairs = [*told_filters(asked), ("cursor", found.next_cursor)] if found.next_cursor else []
    return Rows(
        rows=rows_of(found.rows),
        more_href=href_of("/calls", pairs) if pairs else None,
        more_part=href_of("/parts/more-rows", pairs) if pairs else None,
    )


def live_rows(found: CallPage, asked: Asked, *, opened_ns: int) -> Rows:
    """more_href is set when more arrived than a list keeps alive: it leads to a fresh list."""
    rows = rows_of(found.rows, new_since_ns=opened_ns)
    fresh = href_of("/calls", told_filters(asked)) if found.next_cursor else None
    return Rows(rows=rows, more_href=fresh, more_part=None, new=sum(row.is_new for row in rows))


def list_href(asked: Asked) -> str:
    """The readable address of this list: no empty fields."""
    return href_of("/calls", asked.said)


def told_filters(asked: Asked) -> list[tuple[str, str]]:
    return [(name, text) for name, text in asked.said if name not in _NO_FILTERS]


def href_of(path: str, pairs: Sequence[tuple[str, str]]) -> str:
    query = urlencode(pairs)
    return f"{path}?{query}" if query else path


def chip_of(index: int, filters: list[tuple[str, str]]) -> Chip:
    name, text = filters[index]
    shown = look(text).word if name == "outcome" else warning(text) if name == "warning" else text
    label = (
        f"{_WORDS.get(name, name)} {shown}"
        if name != "failed"
        else ("failed" if text == "true" else "not failed")
    )
    return Chip(label=label[:120], without_href=href_of("/calls", filters[:index] + filters[index + 1 :]))


def _fields(asked: Asked) -> tuple[Field, ...]:
    said = dict(asked.said)
    texts = [
        Field(
            name=name,
            label=label,
            kind=kind,
            placeholder=hint,
            value=said.get(name, ""),
            problem=asked.problems.get(name),
        )
        for name, label, kind, hint in _TEXT_FIELDS
    ]
    failed = (("", "either"), ("true", "failed"), ("false", "not failed"))
    codes = (("", "any or none"), *((code, warning(code)) for code in WARNINGS))
    selects = [
        Field(name="failed", label="Failed", kind="select", value=said.get("failed", ""), options=failed),
        Field(name="warning", label="Warning", kind="select", value=said.get("warning", ""), options=codes),
    ]
    return (*texts, *selects)
