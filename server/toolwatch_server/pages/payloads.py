"""Texts and values of calls as previews to look at."""

import json
from collections.abc import Sequence
from typing import Final

from toolwatch_server.domain.call import Problem
from toolwatch_web.json_tree import Problem as FieldProblem
from toolwatch_web.json_tree import pieces, tree
from toolwatch_web.models.parts import Payload

PREVIEW_CHARS: Final = 4_000
PARSED_CHARS: Final = 200_000  # longer texts are not parsed for a preview


def of_text(text: str | None, *, absent: str, all_href: str | None = None) -> Payload:
    """Plain text, shown as it is."""
    if text is None:
        return Payload(absent=absent)
    if not text:
        return Payload(absent="An empty text.")
    cut = len(text) > PREVIEW_CHARS
    return Payload(
        text=pieces(text[:PREVIEW_CHARS]),
        cut=cut,
        bytes=len(text.encode(errors="replace")) if cut else None,
        all_href=all_href if cut else None,
    )


def of_json(
    text: str | None, *, absent: str, all_href: str | None = None, problems: Sequence[Problem] = ()
) -> Payload:
    """A text that is known to be JSON as a tree; as plain text where it does not parse."""
    if text is None:
        return Payload(absent=absent)
    if len(text) > PARSED_CHARS:
        return of_text(text, absent=absent, all_href=all_href)
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return of_text(text, absent=absent, all_href=all_href)
    return of_value(value, bytes_=len(text.encode(errors="replace")), all_href=all_href, problems=problems)


def of_value(
    value: object, *, bytes_: int, all_href: str | None = None, problems: Sequence[Problem] = ()
) -> Payload:
    cut = bytes_ > PREVIEW_CHARS
    fields = [
        FieldProblem(field=p.field, reason=p.reason, expected=p.expected, received=p.received)
        for p in problems
    ]
    return Payload(
        tree=tree(value, fields), cut=cut, bytes=bytes_ if cut else None, all_href=all_href if cut else None
    )


def of_result(text: str | None, *, absent: str, all_href: str | None = None) -> Payload:
    """What a tool returned or a model was told: a tree where it is a JSON object or list, else text."""
    if text is not None and text[:1] in ("{", "["):
        return of_json(text, absent=absent, all_href=all_href)
    return of_text(text, absent=absent, all_href=all_href)
