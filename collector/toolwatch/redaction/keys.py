"""Which names of fields stand before a secret: password, X-Auth-Token, clientSecret, 密码."""

import re
from functools import lru_cache
from typing import Final

from toolwatch.redaction.table import words

_LONGEST_NAME: Final = 128
_WORDS: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


@lru_cache(maxsize=8192)
def is_sensitive(name: str) -> bool:
    """Whether a field of this name holds a credential. Snake, camel, kebab, dotted and Chinese names."""
    if not name or len(name) > _LONGEST_NAME:
        return False
    if not name.isascii() and any(word in name.lower() for word in words("foreign")):
        return True
    parts = [part.lower() for part in _WORDS.findall(name)]
    while len(parts) > 1 and (parts[-1].isdigit() or len(parts[-1]) == 1):
        parts.pop()
    compact = "".join(parts)
    if compact in words("exact") or (len(parts) == 1 and compact in words("one_word")):
        return True
    if not parts or parts[0] in words("not_first"):
        return False
    while len(parts) > 1 and parts[-1] in words("after") and not _names_secret(parts):
        parts.pop()
    return _names_secret(parts)


def _names_secret(parts: list[str]) -> bool:
    last = parts[-1]
    if last in words("nouns") or _is_key(parts):
        return True
    if last == "tokens":
        return len(parts) > 1 and parts[-2] in words("plural")
    return "".join(parts).endswith(tuple(words("endings")))


def _is_key(parts: list[str]) -> bool:
    """A "key" is a secret only with such a word before it: sort, primary and cache keys are none."""
    return parts[-1] == "key" and len(parts) > 1 and parts[-2] in words("key_qualifiers")


@lru_cache(maxsize=8192)
def is_personal(name: str) -> bool:
    """Whether a field of this name holds a card, bank or national number."""
    return normal(name) in words("personal")


@lru_cache(maxsize=2048)
def hides_numbers(name: str) -> bool:
    """Whether even a number is the secret: a PIN is, the count of a token is not."""
    parts = [part.lower() for part in _WORDS.findall(name)]
    numeric = words("numbers")
    return bool(parts) and (parts[-1] in numeric or "".join(parts) in numeric)


def split(name: str) -> list[str]:
    """The words of a name: ``clientSecret`` holds ``client`` and ``Secret``."""
    return _WORDS.findall(name) if name.isascii() else [name]


def normal(name: str) -> str:
    """``Card-Number``, ``card_number`` and ``cardNumber`` are one name: ``cardnumber``."""
    return "".join(split(name)).lower()
