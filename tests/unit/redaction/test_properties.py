"""What holds for any text, wherever a secret stands and whatever stands around it."""

import json

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.unit.redaction.examples import filled
from toolwatch.redaction import FAILED, MARK, Redactor
from toolwatch.redaction.linear import Linear

REDACTOR = Redactor.default()
SECRETS = [
    ("password=", "hunter2kIEn4x"),
    ("Authorization: Bearer ", filled("{a40}")),
    ("postgres://svc:", "Fake-Pa55-phrase"),
    ("", "AKIA" + filled("{H16}")),
    ("", "glpat-" + filled("{a20}")),
    ("-----BEGIN PRIVATE KEY-----\n", filled("{a64}")),
]
PIECES = st.sampled_from(
    [
        *(
            "password",
            "=",
            ":",
            '"',
            "'",
            "\\",
            " ",
            "[secret-pair]",
            "[",
            "]",
            "hunter2x",
            "@",
            "://",
            "a.b",
        ),
        *("%40", "%25", "token", "Bearer ", "eyJhbGciOiJIUzI1NiJ9", ".", "-----BEGIN PRIVATE KEY-----"),
        *("10.1.2.3", "4111 1111", "\n", "密码", "é", "\ud800", "ana@example.org", "cookie: a=b;"),
        *("curl -u a:", "{", "}", ",", "x" * 30, "1" * 12, "--token ", "&key=", "auth"),
    ]
)
TEXTS = st.one_of(st.text(max_size=200), st.lists(PIECES, max_size=25).map("".join))
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXTS,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(TEXTS | st.sampled_from(["password", "token", "name", "value"]), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(TEXTS)
@example("--token hunter2hunter2")
@example("password=[secret-pair]hunter2x")
def test_hiding_twice_changes_nothing(text: str) -> None:
    once, _ = REDACTOR.text(text)
    assert REDACTOR.text(once) == (once, ())


@given(JSON)
def test_hiding_twice_in_a_value_changes_nothing(value: object) -> None:
    once, _ = REDACTOR.value(value)
    assert REDACTOR.value(once) == (once, ())


@given(JSON)
def test_json_stays_json_of_the_same_shape(value: object) -> None:
    text = json.dumps(value)
    hidden, hits = REDACTOR.json_text(text)
    if isinstance(value, dict | list):
        parsed = json.loads(hidden)
        assert type(parsed) is type(value)
        assert hits or parsed == value


@given(TEXTS)
def test_the_result_can_always_be_sent_as_utf_8(text: str) -> None:
    REDACTOR.text(text)[0].encode()
    REDACTOR.json_text(json.dumps([text]))[0].encode()


@pytest.mark.parametrize(("before", "secret"), SECRETS)
@settings(max_examples=40)
@given(offset=st.one_of(st.integers(0, 200), st.integers(16_250, 16_500), st.integers(18_300, 18_500)))
def test_a_secret_is_found_at_any_offset_and_across_chunk_borders(
    before: str, secret: str, offset: int
) -> None:
    text = ("lorem é " * 3_000)[:offset] + " " + before + secret + "@db.example.net " + "ipsum " * 1_000
    hidden, hits = REDACTOR.text(text)
    assert hits
    assert secret[:8] not in hidden
    assert hidden.startswith(text[:offset])


@given(cut=st.integers(8, 1_700))
def test_a_private_key_cut_anywhere_is_hidden_to_its_end(cut: int) -> None:
    body = "\n".join([filled("{a64}")] * 25)
    text = ("-----BEGIN RSA PRIVATE KEY-----\n" + body)[: 32 + cut]
    assert filled("{a64}")[:8] not in REDACTOR.text(text)[0].removeprefix("-----BEGIN RSA")


def test_a_key_longer_than_the_overlap_of_chunks_is_hidden_whole() -> None:
    body = "\n".join([filled("{a64}")] * 600)
    text = "x " * 8_000 + f"-----BEGIN RSA PRIVATE KEY-----\n{body}\n-----END RSA PRIVATE KEY----- end"
    hidden, _ = REDACTOR.text(text)
    assert filled("{a64}") not in hidden
    assert hidden.endswith(" end")


@pytest.mark.parametrize("limit", [64, 200, 4_096, 16_384, 65_536])
@pytest.mark.parametrize("shift", [12, 30, 1, 0, -1])
def test_after_hiding_a_cut_leaves_no_piece_of_a_secret(limit: int, shift: int) -> None:
    secret = "FAKEKEYfakekeyFAKEKEYfakekey0123456789"
    text = "x" * (limit - shift) + f" api_key={secret}" + "y" * 50
    shown = REDACTOR.text(text)[0][:limit]
    assert not any(secret[i : i + 4] in shown for i in range(len(secret) - 3))


def test_what_a_rule_fails_on_is_hidden_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("hunter2")

    redactor = Redactor.build()
    monkeypatch.setattr(Linear, "find", broken)
    monkeypatch.setattr(Linear, "touches", broken)
    for hidden, hits in (redactor.text("a"), redactor.value({"a": "b"}), redactor.json_text('{"a": 1}')):
        assert hidden == FAILED
        assert [hit.rule for hit in hits] == ["redaction-failed"]


def test_a_circular_value_is_hidden_whole() -> None:
    value: list[object] = []
    value.append(value)
    assert REDACTOR.value(value)[0] == FAILED


def test_every_mark_is_recognised_as_one() -> None:
    hidden, _ = Redactor.build(fingerprint_key=b"k").text("password=hunter2x and ana@example.org")
    assert [match["rule"] for match in MARK.finditer(hidden)] == ["secret-pair", "email-address"]


@pytest.mark.parametrize(
    "unit",
    [
        *("a.a.", "aaaa", "curl ", '\\"', "password=", "password= ", 'token:"', "://a:b@", "%25", "%2525"),
        *("4111 ", "-----BEGIN PRIVATE KEY-----", "eyJhbGciOiJIUzI1NiJ9.", "cookie: a=b; ", "&key=", "sk-"),
        *("authorization: bearer ", "QUFBQUFBQUFB", "api key ", "10.1.", "a.local", "password:\\", "+1 2"),
        "[secret-pair]",
    ],
)
def test_hostile_texts_are_looked_at_a_bounded_number_of_times(
    unit: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    redactor = Redactor.build()
    looked = 0
    search = Linear._search

    def counting(self: Linear, rule: int, data: bytes, begin: int, end: int) -> object:
        nonlocal looked
        looked += 1
        return search(self, rule, data, begin, end)

    monkeypatch.setattr(Linear, "_search", counting)
    size = 20_000
    redactor.text((unit * size)[:size])
    assert looked <= 2 * size
