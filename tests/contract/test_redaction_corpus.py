"""The corpus through the redactor: what must vanish vanishes, what must survive survives."""

import base64
import json
import sys
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.unit.redaction.examples import filled
from toolwatch.redaction import Redactor

CORPUS = Path(__file__).parents[1] / "corpus" / "redaction.jsonl"


def rows() -> list[tuple[str, list[str], list[str]]]:
    parsed = [json.loads(line) for line in CORPUS.read_text(encoding="utf-8").splitlines()]
    return [
        (filled(row["text"]), [filled(s) for s in row["secrets"]], [filled(k) for k in row["keep"]])
        for row in parsed
    ]


@pytest.fixture(params=["re2", "stdlib"])
def redactor(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Redactor:
    if request.param == "stdlib":
        monkeypatch.setitem(sys.modules, "re2", None)
    return Redactor.build()


def shown_as(redactor: Redactor, text: str) -> list[str]:
    """The text as a message, as an argument, as a result encoded twice and in a list."""
    nested = json.dumps({"body": json.dumps({"note": text})}, ensure_ascii=False)
    return [
        redactor.text(text)[0],
        redactor.json_text(json.dumps({"note": text}))[0],
        redactor.json_text(nested)[0],
        str(redactor.value({"notes": [text, 1, None]})[0]),
    ]


def forms(secret: str) -> list[str]:
    encoded = base64.b64encode(secret.encode()).decode().rstrip("=")
    return [secret, quote(secret, safe=""), encoded]


def test_no_secret_survives_in_any_form(redactor: Redactor) -> None:
    leaks = [
        (secret, shown[:300])
        for text, secrets, _ in rows()
        for shown in shown_as(redactor, text)
        for secret in secrets
        for form in forms(secret)
        if form in shown
    ]
    assert leaks == []


def test_no_secret_survives_on_the_border_of_what_is_scanned_at_once(redactor: Redactor) -> None:
    leaks = [
        secret
        for text, secrets, _ in rows()[::5]
        for secret in secrets
        if secret in redactor.text("calm " * 3270 + text + " calm" * 500)[0]
    ]
    assert leaks == []


def test_encoded_texts_hide_the_same_secrets(redactor: Redactor) -> None:
    urls = ["postgresql://app:Kq9-zzP4x@db.example.net/app", "x?api_key=FAKEKEY0123456789FAKE"]
    for url in urls:
        percent, twice = quote(url, safe=""), quote(quote(url, safe=""), safe="")
        packed = base64.b64encode(f"retry {url} later".encode()).decode()
        for text in (percent, twice, packed, packed.rstrip("=")):
            hidden, hits = redactor.text(f"failed: {text} end")
            assert hits, text
            assert text not in hidden


def test_at_least_99_percent_of_what_must_survive_survives(redactor: Redactor) -> None:
    kept = [keep in redactor.text(text)[0] for text, _, keeps in rows() for keep in keeps]
    assert sum(kept) / len(kept) >= 0.99


def test_at_most_2_percent_of_harmless_texts_are_touched(redactor: Redactor) -> None:
    harmless = [text for text, secrets, _ in rows() if not secrets]
    touched = [text for text in harmless if redactor.text(text)[0] != text]
    assert len(touched) / len(harmless) <= 0.02, touched
