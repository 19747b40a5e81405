"""From a query string to a question about calls. What is not understood is refused, never passed over."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from starlette.requests import Request

from toolwatch_server.api import times
from toolwatch_server.domain.call import OUTCOMES, WARNINGS
from toolwatch_server.domain.filters import CallFilter
from toolwatch_server.errors import BadFilter

MAX_LIMIT: Final = 500
MAX_NUMBER: Final = 2**31 - 1
LONGEST_TEXT: Final = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """read raises ValueError; allowed says what it takes. name is the field of CallFilter."""

    name: str
    sentence: str
    read: Callable[[str], Any]
    allowed: str | tuple[str, ...]
    repeatable: bool = False


def _text(text: str) -> str:
    if len(text) > LONGEST_TEXT:
        raise ValueError
    return text


def _word(text: str) -> str:
    if not text:
        raise ValueError
    return _text(text)


def one_of(words: tuple[str, ...]) -> Callable[[str], str]:
    def read(text: str) -> str:
        if text not in words:
            raise ValueError
        return text

    return read


def _truth(text: str) -> bool:
    return {"true": True, "false": False}[text]


def whole(least: int, most: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        number = int(text)
        if not (text.isdecimal() and least <= number <= most):
            raise ValueError
        return number

    return read


def _milliseconds(text: str) -> float:
    number = float(text)
    if not 0 <= number <= MAX_NUMBER:  # so neither nan nor inf
        raise ValueError
    return number


def _moment(text: str) -> int:
    return times.parse(text, time.time_ns())


_SOME_TEXT: Final = f"a text of 1 to {LONGEST_TEXT} characters"
_WHOLE: Final = f"a whole number from 0 to {MAX_NUMBER}"

_BRIEF: Final = f"a text of at most {LONGEST_TEXT} characters"


def _texts(sentences: dict[str, str]) -> dict[str, Parameter]:
    return {
        name: Parameter(name=name, sentence=sentence, read=_word, allowed=_SOME_TEXT)
        for name, sentence in sentences.items()
    }


PARAMETERS: Final[dict[str, Parameter]] = {
    "tool_call_id": Parameter(
        name="tool_call_id", sentence="Exactly this id, as the model gave it.", read=_text, allowed=_BRIEF
    ),
    "outcome": Parameter(
        name="outcomes",
        sentence="What became of the call; may be given several times.",
        read=one_of(OUTCOMES),
        allowed=OUTCOMES,
        repeatable=True,
    ),
    "failed": Parameter(
        name="failed", sentence="Only failed calls, or only others.", read=_truth, allowed=("true", "false")
    ),
    **_texts(
        {
            "tool": "The tool's name.",
            "service": "The service's name.",
            "environment": "The deployment environment.",
            "thread_id": "The conversation.",
            "trace_id": "A trace that speaks of the call.",
            "run_id": "The run.",
            "error_type": "The type of the error.",
            "redaction": "A rule that hid something in the call, such as url-password.",
        }
    ),
    "warning": Parameter(
        name="warning", sentence="Calls with this warning.", read=one_of(WARNINGS), allowed=WARNINGS
    ),
    "min_attempts": Parameter(
        name="min_attempts", sentence="At least so many attempts.", read=whole(0, MAX_NUMBER), allowed=_WHOLE
    ),
    "min_duration_ms": Parameter(
        name="min_duration_ms",
        sentence="Ran at least so long.",
        read=_milliseconds,
        allowed="a number of milliseconds, 0 or more",
    ),
    "since": Parameter(name="since_ns", sentence="Not before.", read=_moment, allowed=times.ALLOWED),
    "until": Parameter(name="until_ns", sentence="Before.", read=_moment, allowed=times.ALLOWED),
    "q": Parameter(name="q", sentence="Words in arguments, results, errors.", read=_text, allowed=_BRIEF),
    "limit": Parameter(
        name="limit",
        sentence="How many calls to answer with; 50 unless told.",
        read=whole(1, MAX_LIMIT),
        allowed=f"a whole number from 1 to {MAX_LIMIT}",
    ),
    "cursor": Parameter(
        name="cursor", sentence="next_cursor of the page before.", read=_word, allowed="a page's next_cursor"
    ),
}

# What a question may say where the answer has no pages.
FILTERS: Final = {name: p for name, p in PARAMETERS.items() if name not in ("limit", "cursor")}


def ask(request: Request) -> CallFilter:
    """The question in a request's query string. Raises BadFilter."""
    return CallFilter(**values(request, PARAMETERS))


def values(request: Request, known: Mapping[str, Parameter]) -> dict[str, Any]:
    """What the query string says, by the names of parameters. Raises BadFilter."""
    query = request.query_params
    read = [_read(name, query.getlist(name), known) for name in dict.fromkeys(query.keys())]
    return {parameter.name: value for parameter, value in read}


def described(parameters: Mapping[str, Parameter]) -> dict[str, Any]:
    """The same for readers of the documentation: what a route adds to its OpenAPI entry."""
    return {"parameters": [_described(name, parameter) for name, parameter in parameters.items()]}


def _described(name: str, parameter: Parameter) -> dict[str, Any]:
    words = parameter.allowed if isinstance(parameter.allowed, tuple) else ()
    return {
        "name": name,
        "in": "query",
        "required": False,
        "description": parameter.sentence + ("" if words else f" Takes {parameter.allowed}."),
        "schema": {"type": "string", **({"enum": list(words)} if words else {})},
    }


def nothing_asked(request: Request) -> None:
    """For routes without parameters. Raises BadFilter."""
    for name in request.query_params:
        _read(name, [], {})


def _read(name: str, texts: list[str], known: Mapping[str, Parameter]) -> tuple[Parameter, Any]:
    parameter = known.get(name)
    if parameter is None:
        raise BadFilter(f"There is no parameter {name!r}.", field=name, allowed=tuple(known))
    if len(texts) > 1 and not parameter.repeatable:
        raise BadFilter(f"{name} may be given only once.", field=name, allowed=parameter.allowed)
    try:
        values = [parameter.read(text) for text in texts]
    except (ValueError, KeyError, OverflowError):
        wrong = ", ".join(repr(text[:80]) for text in texts)
        raise BadFilter(f"{name} cannot be {wrong}.", field=name, allowed=parameter.allowed) from None
    return parameter, tuple(values) if parameter.repeatable else values[0]
