"""Numbers, names and quotations inside a sentence."""

from typing import Final

QUOTE_CHARS: Final = 90


def times(number: int) -> str:
    return {1: "once", 2: "twice"}.get(number, f"{number} times")


def short(error_type: str) -> str:
    return error_type.rpartition(".")[2] or error_type


def quote(text: str, chars: int = QUOTE_CHARS) -> str:
    return f"“{clip(text, chars)}”"


def clip(text: str, chars: int = QUOTE_CHARS) -> str:
    line = " ".join(text[: 8 * chars].split())
    return line if len(line) <= chars else line[: chars - 1].rstrip() + "…"
