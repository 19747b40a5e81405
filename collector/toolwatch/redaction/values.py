"""Is it a value, or only a word, a type, an expression in source code, an empty placeholder?"""

import re
from typing import Final

from toolwatch.redaction.keys import is_sensitive
from toolwatch.redaction.table import words

_LONGEST_WORD_BYTES: Final = 200

_PLACEHOLDER: Final = re.compile(
    rb"""(?ix) [^a-z0-9\x80-\xff]*                        # nothing to hide
    | (?:\*{3,}|x{3,}|\.{3,}|\xe2\x80\xa2+) .{0,4}        # already masked
    | [\[<(]? (?:redacted|filtered|masked|hidden|removed|secret|omitted|private\ data) [\])>]?
    | \[ (?:redacted|filtered|scrubbed|masked) [^\]]* \]
    | <[^<>]*> | \$\{[^}]*\}? | \$\(.* | \{\{?[^{}]*\}?\}? | %s | %\(\w+\)s | \$[a-z_]\w* | %\w+%
    | (?:secretstr|secretbytes|secret)\(.*
    | (?:your|my|the|some|insert|enter)[_-](?:[a-z]+[_-])*(?:key|token|secret|password|here)(?:[_-]here)?
    """
)
_EXPRESSION: Final = re.compile(
    rb"""(?ix) (?:os|self|cls|settings|config|cfg|conf|args|kwargs|request|env|environ|process|app|options
        |opts|params|ctx|context|credentials|creds|user|data|payload|body|constants|event|state|st|response
        |resp|res|secrets|vault|client|session|this|props|getpass|keyring|var|local|module|string)[.\[(].*
    | [a-z_][\w.]*\(.* | [a-z_][\w.]*\[ | (?:await|lambda|not|f|r|b)
    | [a-z_]\w*(?:\.[a-z_]\w*)*\.(?:password|passwd|token|secret|key|api_key|value)
    """
)
_IDENTIFIER: Final = re.compile(rb"[A-Za-z_]+")
_LETTER: Final = re.compile(rb"[A-Za-z]")
_DIGIT: Final = re.compile(rb"[0-9]")
_ODD: Final = re.compile(rb"[a-z][A-Z]{2}|[A-Z]{2}[a-z]+[A-Z]|[A-Za-z][!@#$%^&*+~/=]+[A-Za-z]")


def is_placeholder(value: bytes) -> bool:
    """``***``, ``None``, ``${DB_PASSWORD}``, ``<password>``: hiding them would hide nothing."""
    if len(value) > _LONGEST_WORD_BYTES:
        return False
    return _PLACEHOLDER.fullmatch(value) is not None or value.lower() in (b"none", b"null", b"nil")


def is_word(value: bytes) -> bool:
    """A type, a state or a word of a sentence, as in ``password: required``."""
    return value.rstrip(b".,:;!?)]}").lower().decode("ascii", "replace") in words("no_value")


def is_expression(value: bytes) -> bool:
    """A piece of source code that stands for the value, as in ``password=self.password``."""
    if len(value) > _LONGEST_WORD_BYTES:
        return False
    if _EXPRESSION.fullmatch(value):
        return True
    name = _IDENTIFIER.fullmatch(value)
    return name is not None and b"_" in value.strip(b"_") and is_sensitive(value.decode())


def is_mixed(value: bytes) -> bool:
    """Letters with digits, with signs or in odd case: no word of any language."""
    if len(value) > _LONGEST_WORD_BYTES:
        return True
    value = value.rstrip(b".,:;!?)]}")
    if len(value) < 5 or not _LETTER.search(value):
        return False
    return _DIGIT.search(value) is not None or _ODD.search(value) is not None
