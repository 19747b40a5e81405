"""What someone pasted into the search box as the ids that it may hold."""

import re
from typing import Final

CANDIDATES_MAX: Final = 12
# In the wild: call_…, toolu_…, UUIDs, 32 hex digits, chatcmpl-tool-…, thread names with dashes.
_WORD: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_\-.:|/+]{2,199}")
_LABEL: Final = re.compile(
    r"(?:tool_?call|trace|thread|conversation|run|call)_?id[\"'\s:=]{1,6}([^\s\"',;}\])]+)",
    re.IGNORECASE,
)


def candidates(text: str) -> tuple[str, ...]:
    """The text, then what stands behind a label such as tool_call_id=, then words that look like ids."""
    whole = text.strip()
    labelled = _LABEL.findall(whole)
    words = [word.strip(".:|/+-") for word in _WORD.findall(whole)]
    likely = sorted((word for word in words if _looks_like_id(word)), key=len, reverse=True)
    parts = [
        part for word in likely for part in re.split(r"[:=|/]", word) if part != word and _looks_like_id(part)
    ]
    return tuple(dict.fromkeys([whole, *labelled, *likely, *parts]))[:CANDIDATES_MAX]


def _looks_like_id(word: str) -> bool:
    """Ids have a digit and some length, or an underscore; times and versions have only digits and marks."""
    has_letter = any(c.isalpha() for c in word)
    return len(word) >= 4 and has_letter and (any(c.isdigit() for c in word) or "_" in word or "-" in word)
