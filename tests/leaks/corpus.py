"""Texts with secrets, and a search for all of the secrets at once, in every form in which one could rest."""

import base64
import html
import json
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import quote, quote_plus

import re2

from tests.unit.redaction.examples import filled

OWN: Final = Path(__file__).parents[1] / "corpus" / "redaction.jsonl"
# Another corpus of the same form, an object a line: a text, its secrets, and what of it must survive.
SETTING: Final = "TOOLWATCH_TEST_CORPUS"
# Shorter ones stand in times and ids by chance.
SHORTEST: Final = 7


@dataclass(frozen=True, slots=True)
class Row:
    text: str
    secrets: tuple[str, ...]
    keep: tuple[str, ...]


def rows(corpus: Path | None = None) -> list[Row]:
    lines = (corpus or Path(os.environ.get(SETTING, OWN))).read_text(encoding="utf-8").splitlines()
    return [
        Row(filled(row["text"]), tuple(map(filled, row["secrets"])), tuple(map(filled, row["keep"])))
        for row in map(json.loads, lines)
    ]


class Needles:
    """All secrets of some rows: as they are, in base64 (wherever it begins), in a URL, in JSON, in HTML."""

    def __init__(self, of: Iterable[Row]) -> None:
        secrets = {s for row in of for s in row.secrets if len(s) >= SHORTEST and not _is_short_number(s)}
        forms = {form.encode() for secret in secrets for form in _forms(secret)}
        options = re2.Options()
        options.max_mem = 512 << 20
        options.encoding = re2.Options.Encoding.LATIN1
        self._any = re2.compile(b"|".join(re.escape(form) for form in sorted(forms, key=len)), options)

    def found_in(self, data: bytes | str) -> list[str]:
        """Some of what was found, with what stands around it."""
        data = data.encode(errors="replace") if isinstance(data, str) else data
        found = []
        for match in self._any.finditer(data):
            begin, end = match.span()
            found.append(data[max(0, begin - 60) : end + 20].decode(errors="replace"))
            if len(found) == 3:
                break
        return found


def _forms(secret: str) -> Iterator[str]:
    yield from (secret, json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1])
    yield from (quote(secret), quote(secret, safe=""), quote_plus(secret), html.escape(secret))
    yield html.escape(secret).replace("&quot;", "&#34;").replace("&#x27;", "&#39;")
    data = secret.encode()
    for before in range(3):  # where it stands among other bytes decides how it looks in base64
        packed = base64.b64encode(b" " * before + data).decode()
        inner = packed[4 if before else 0 :].rstrip("=")[:-2]
        if len(inner) >= SHORTEST + 2:
            yield inner
            yield inner.replace("+", "-").replace("/", "_")


def _is_short_number(secret: str) -> bool:
    return secret.isdecimal() and len(secret) < 10
