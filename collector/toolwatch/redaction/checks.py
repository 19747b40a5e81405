"""What a pattern cannot say: judged after the match, with a look at what stands around it.

A check takes the text, where the match begins, and the part to hide; it returns the part to hide,
perhaps trimmed, or None when nothing is to be hidden.
"""

import re
from collections.abc import Callable, Mapping
from typing import Final

from toolwatch.redaction import numbers
from toolwatch.redaction.keys import hides_numbers, is_sensitive
from toolwatch.redaction.values import is_expression, is_mixed, is_placeholder, is_word

Part = tuple[int, int]
Check = Callable[[bytes, int, int, int], Part | None]

_AROUND_BYTES: Final = 48
_NAME_BEFORE: Final = re.compile(rb"[\w.\-\x80-\xff]*\Z")
_NAME_AT: Final = re.compile(rb"[\w.\-\x80-\xff]*")
_LINE_START: Final = re.compile(
    rb"(?:\A|[\n,{(]|\\n)[ \t]*(?:(?:ENV|export|set|-|-e|--env)[ \t]+)?[\"'\\]*\Z"
)
_LINE_END: Final = re.compile(rb"[ \t]*(?:\Z|[\r\n#]|\\[rn])")
_NUMBER: Final = re.compile(rb"\d{3,}")
_USERINFO: Final = re.compile(rb":/{1,3}[^\s/?#]*\Z")
_IMPORT: Final = re.compile(rb"\b(?:from|import|module|package)[ ]+\Z")
_CARD_WORDS: Final = re.compile(
    rb"(?i)(?:card|\bcc\b|\bpan\b|visa|master|amex|maestro|discover|jcb|diners|unionpay|credit|debit|payment|charge"
    rb"|cvv|\xe5\x8d\xa1)"
)
_NOT_CARD: Final = re.compile(
    rb"(?i)(?:id|offset|size|bytes|ns|ms|seq|epoch|row|order|tracking|hash|time\w*|span|at)"
    rb"[\"']?[ \t]*[:=#]?[ \t]*[\"']?\Z"
)
# Ids, times, versions, files, paths, code: what stands after "token" or "key" without being one.
_STRUCTURAL: Final = re.compile(
    rb"""(?ix) [0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12} | sha\d+[:=].* | md5[:=].*
    | \d{4}-\d\d-\d\d.* | [\d.:,_/-]+ | v?\d+(?:\.\d+)+.*
    | .*\.(?:py|js|ts|go|json|html?|ya?ml|pdf|txt|md)(?::\d+)?
    | (?:call|toolu|run|chatcmpl|msg|thread|lc_run|sess|session|task|req|fc|resp|step|u|user)[-_].*
    | [a-z]+://.* | /.* | [a-z_]+\[.* | [a-z]+=.*
    | (?:utf|iso|cl|o)\d*[-_]?\w*base\w* | \d+[a-z]{1,3} | [a-z]+\d{1,2}
    | (?:[a-z]+[-_])+[a-z]*\d{0,4} | [a-z_]+(?:\.[a-z_]+)+ | (?:[a-z]+[-_/])+[a-z]+\d?"""
)
_CODE_OWNERS: Final = frozenset(
    {
        b"threading",
        b"_threading",
        b"_thread",
        b"self",
        b"cls",
        b"flask",
        b"werkzeug",
        b"asgiref",
        b"gevent",
        b"this",
    }
)
_QUERY_NAMES: Final = re.compile(
    rb"(?i)[?&;#](?:pass|pwd|secret|token|api|access_?token|client_secret|appid)"
)


def secret(data: bytes, at: int, start: int, end: int) -> Part | None:
    """Anything but a placeholder."""
    return None if is_placeholder(data[start:end]) else (start, end)


def mixed(data: bytes, at: int, start: int, end: int) -> Part | None:
    """Not a plain word: letters with digits or signs."""
    value = data[start:end]
    return (start, end) if is_mixed(value) and not is_placeholder(value) else None


def vendor_key(data: bytes, at: int, start: int, end: int) -> Part | None:
    """A random body after the prefix, not a file name of many words or an id of one hexadecimal run."""
    body = data[start:end]
    words = re.split(rb"[-_]", body)
    if max(map(len, words)) < 12 and len(words) > 3:
        return None
    long = max(words, key=len)
    random = re.search(rb"[0-9]", long) and re.search(rb"[A-Za-z]", long)
    if not random or (len(words) == 2 and body[:2] != b"sk" and re.fullmatch(rb"[0-9a-f]+", long)):
        return None
    return start, end


def jwt(data: bytes, at: int, start: int, end: int) -> Part | None:
    """Three parts, or two that both are JSON; a cursor in base64 has none."""
    parts = data[start:end].split(b".")
    return (start, end) if len(parts) > 2 or parts[1].startswith(b"ey") else None


def header(data: bytes, at: int, start: int, end: int) -> Part | None:
    value = data[start:end]
    if is_placeholder(value) or is_word(value) or is_expression(value):
        return None
    return start, end


def query(data: bytes, at: int, start: int, end: int) -> Part | None:
    """In a query a short word is a state or a page; long mixed values are keys."""
    value = data[start:end]
    if is_placeholder(value) or is_word(value) or _STRUCTURAL.fullmatch(value):
        return None
    enough = 6 if _QUERY_NAMES.match(data, at) else 16
    return (start, end) if len(value) >= enough and is_mixed(value) else None


def option(data: bytes, at: int, start: int, end: int) -> Part | None:
    value = data[start:end]
    plain = re.fullmatch(rb"[A-Z_]+|-.*|.{1,3}", value)
    return None if plain or is_placeholder(value) or is_word(value) or is_expression(value) else (start, end)


def prose(data: bytes, at: int, start: int, end: int) -> Part | None:
    """In a sentence only what no language has as a word, and no id, time, hash or path."""
    value = data[start:end].rstrip(b".:!?")
    if not is_mixed(value) or is_placeholder(value) or _STRUCTURAL.fullmatch(value) or is_expression(value):
        return None
    return start, start + len(value)


def url_password(data: bytes, at: int, start: int, end: int) -> Part | None:
    """Not a port and its path, as in ``http://host:80/?to=a@b``."""
    value = data[start:end]
    port = re.match(rb"\d{1,5}(?:[/?#,]|\Z)", value)
    return None if port or is_placeholder(value) or value.startswith(b"{") else (start, end)


def pair(data: bytes, at: int, start: int, end: int) -> Part | None:
    """The name before the sign must be one of a secret; the value must be a value."""
    before = _NAME_BEFORE.search(data, max(0, at - 64), at)
    after = _NAME_AT.match(data, at, min(len(data), at + 64))
    name = (before.group() if before else b"") + (after.group() if after else b"")
    text = name.decode("utf-8", "replace").strip(".-")
    if not is_sensitive(text):
        return None
    if _NUMBER.fullmatch(data, start, end) and hides_numbers(text):
        return start, end
    name_at = before.start() if before else at
    return own_pair(data, name_at, start, end)


def own_pair(data: bytes, at: int, start: int, end: int) -> Part | None:
    """The value must be a value: no word, type or expression of a program."""
    value = data[start:end]
    if is_placeholder(value):
        return None
    if data[start - 1 : start] in (b'"', b"'"):
        return None if is_word(value) else (start, end)
    if is_word(value) or is_expression(value):
        return None
    if b"=" not in data[at:start] and not is_mixed(value) and not _alone_on_line(data, at, end):
        return None
    while end - start > 1 and data[end - 1] in b").]}:":
        end -= 1
    return start, end


def _alone_on_line(data: bytes, at: int, end: int) -> bool:
    return (
        _LINE_START.search(data, max(0, at - _AROUND_BYTES), at) is not None
        and _LINE_END.match(data, end) is not None
    )


def card(data: bytes, at: int, start: int, end: int) -> Part | None:
    """Grouped as on a card, in quotes, or with a word such as "card" before it."""
    text = data[start:end]
    digits = bytes(c for c in text if c in b"0123456789").decode()
    if not numbers.card(digits):
        return None
    before = data[max(0, start - _AROUND_BYTES) : start]
    if _CARD_WORDS.search(before):
        return start, end
    if _NOT_CARD.search(before):
        return None
    quoted = data[start - 1 : start] in (b'"', b"'") and data[end : end + 1] == data[start - 1 : start]
    return (start, end) if len(text) > len(digits) or quoted else None


def iban(data: bytes, at: int, start: int, end: int) -> Part | None:
    """As long as its country says; what follows in capitals is not part of it."""
    length = numbers.IBAN_LENGTHS.get(data[start : start + 2].decode().upper(), 0)
    places = [i for i in range(start, end) if data[i] not in b" -"]
    if not length or len(places) < length:
        return None
    end = places[length - 1] + 1
    return (start, end) if numbers.iban(data[start:end].decode()) else None


def phone(data: bytes, at: int, start: int, end: int) -> Part | None:
    """Of a length that numbers have, and no sum or difference."""
    digits = sum(c in b"0123456789" for c in data[start:end])
    glued = start > 0 and data[start - 1 : start].isalnum()
    return (start, end) if 8 <= digits <= 15 and not glued else None


def phone_digits(data: bytes, at: int, start: int, end: int) -> Part | None:
    """After a word such as "phone", any digits of that length but a date."""
    digits = sum(c in b"0123456789" for c in data[start:end])
    return (start, end) if 7 <= digits <= 15 and data[start + 4 : start + 5] != b"-" else None


def ssn(data: bytes, at: int, start: int, end: int) -> Part | None:
    area, group, serial = data[start:end].split(b"-")
    given = area not in (b"000", b"666") and area < b"900" and group != b"00" and serial != b"0000"
    return (start, end) if given else None


def national_id(data: bytes, at: int, start: int, end: int) -> Part | None:
    """Chinese identity numbers and Brazilian tax numbers, by their check digits."""
    text = data[start:end].decode()
    digits = "".join(c for c in text if c.isalnum())
    proved = numbers.chinese_id(digits) if len(digits) == 18 else numbers.cpf(digits)
    return (start, end) if proved else None


def private_address(data: bytes, at: int, start: int, end: int) -> Part | None:
    if re.search(rb"(?i)(?:version|release|\bv|==)[ =:]*\Z", data[max(0, start - 12) : start]):
        return None
    return (start, end) if numbers.private_address(data[start:end].decode()) else None


def internal_host(data: bytes, at: int, start: int, end: int) -> Part | None:
    """Not a name in a program or a file: ``threading.local``, ``pkg.internal.Foo``, ``.env.local``."""
    first, *rest = data[start:end].lower().split(b".")
    if _IMPORT.search(data, max(0, start - 12), start):
        return None
    if first in _CODE_OWNERS or (rest == [b"local"] and b"_" in first):
        return None
    if re.match(rb"[.(\[]\w|\(", data[end : end + 2]) or data[start - 1 : start] in (b".", b"_"):
        return None
    if data[start - 1 : start] == b"/" and data[max(0, start - 2) : start] != b"//":
        return None
    return start, end


def email(data: bytes, at: int, start: int, end: int) -> Part | None:
    """Not the user and host of an address such as ``git@github.com:`` or ``ssh://git@host``."""
    if data[start:end].startswith(b"git@") or _USERINFO.search(data, max(0, start - 256), start):
        return None
    top = data[start:end].rpartition(b".")[2].lower()
    return None if top in (b"png", b"jpg", b"svg", b"py", b"js", b"git") else (start, end)


CHECKS: Final[Mapping[str, Check]] = {
    check.__name__: check
    for check in (
        *(secret, mixed, vendor_key, jwt, header, query, option, prose, url_password, pair, own_pair),
        *(card, iban, phone, phone_digits, ssn, national_id, private_address, internal_host, email),
    )
}
