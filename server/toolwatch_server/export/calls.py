"""Calls as JSON, lines of JSON, CSV, text for a language model, and tests."""

import csv
import io
import json
from collections.abc import Iterator
from itertools import islice
from typing import Any, Final

from toolwatch_server.api.to_json import call_json
from toolwatch_server.api.to_text import calls_text
from toolwatch_server.domain.export_columns import COLUMNS, column_values, harmless
from toolwatch_server.domain.export_pytest import calls_pytest
from toolwatch_server.export.source import Source

TEXT_CALLS_MAX: Final = 200
TESTS_MAX: Final = 200


def as_json(source: Source) -> Iterator[str]:
    yield '{"calls":['
    for number, call in enumerate(source.calls()):
        yield ("," if number else "") + _json(call_json(call))
    yield "]}\n"


def one_as_json(source: Source) -> Iterator[str]:
    """The call itself, without a list around it."""
    return (_json(call_json(call)) for call in source.calls())


def as_lines(source: Source) -> Iterator[str]:
    return (_json(call_json(call)) + "\n" for call in source.calls())


def as_csv(source: Source) -> Iterator[str]:
    yield _row([column.name for column in COLUMNS])
    for call in source.calls():
        yield _row([harmless(value) for value in column_values(call_json(call))])


def as_text(source: Source, max_chars: int) -> Iterator[str]:
    """At most max_chars characters, however many calls there are."""
    found = list(islice(source.calls(), TEXT_CALLS_MAX + 1))
    yield calls_text(
        [call_json(call) for call in found[:TEXT_CALLS_MAX]], max_chars, more=len(found) > TEXT_CALLS_MAX
    )


def as_pytest(source: Source) -> Iterator[str]:
    """A test a call."""
    yield calls_pytest([call_json(call) for call in islice(source.calls(), TESTS_MAX)])


def _json(value: Any) -> str:
    return json.dumps(value, allow_nan=False, ensure_ascii=False, separators=(",", ":"))


def _row(values: list[Any]) -> str:
    written = io.StringIO()
    csv.writer(written).writerow(values)
    return written.getvalue()
