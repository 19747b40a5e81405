"""Fields are dropped by their names, in any spelling; counts, ids and schemas are not."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolwatch.redaction import CREDENTIALS, Redactor
from toolwatch.redaction.keys import is_sensitive

SECRET = [
    "password",
    "passwd",
    "pwd",
    "DB_PASS",
    "smtp_password",
    "userPassword",
    "password2",
    "PASSWORD_PROD",
    "api_key",
    "apiKey",
    "x-api-key",
    "X-Auth-Token",
    "access_token",
    "refreshToken",
    "clientSecret",
    "client_secret",
    "authorization",
    "Proxy-Authorization",
    "cookie",
    "Set-Cookie",
    "private_key",
    "privateKey",
    "connection_string",
    "ConnectionString",
    "AccountKey",
    "SharedAccessKey",
    "secret_key",
    "AWS_SECRET_ACCESS_KEY",
    "webhook_secret",
    "passphrase",
    "bindpw",
    "otp",
    "pin",
    "cvv",
    "verification_code",
    "密码",
    "数据库密码",
    "访问令牌",
    "API密钥",
    "パスワード",
    "contraseña",
    "encryption_key",
    "session_token",
    "_authToken",
    "access_tokens",
    "credentials",
]
HARMLESS = [
    "max_tokens",
    "input_tokens",
    "output_tokens",
    "token_count",
    "total_tokens",
    "tokenizer",
    "token_type",
    "next_page_token",
    "page_token",
    "has_password",
    "is_secret",
    "password_policy",
    "min_password_length",
    "secret_name",
    "primary_key",
    "sort_key",
    "cache_key",
    "idempotency_key",
    "key",
    "keyword",
    "monkey",
    "path",
    "author",
    "authority",
    "tokens",
    "session_id",
    "session.id",
    "thread_id",
    "public_key",
    "private_key_id",
    "pass_rate",
    "passenger",
    "compass",
    "passed",
    "name",
    "value",
    "type",
    "eos_token",
    "cursor",
    "code",
    "pan_id",
]
REDACTOR = Redactor.default()


@pytest.mark.parametrize("name", SECRET)
def test_a_secret_field_is_dropped_whole(name: str) -> None:
    assert REDACTOR.value({name: "correct horse"})[0] == {name: "[secret-field]"}
    text = json.dumps({"a": [{name: "correct horse"}]}, ensure_ascii=False)
    assert "correct" not in REDACTOR.json_text(text)[0]


@pytest.mark.parametrize("name", HARMLESS)
def test_a_field_that_only_sounds_like_a_secret_stays(name: str) -> None:
    assert REDACTOR.value({name: "correct horse"}) == ({name: "correct horse"}, ())
    assert REDACTOR.value({name: 12}) == ({name: 12}, ())


@given(
    st.lists(st.sampled_from(SECRET + HARMLESS), min_size=1, max_size=3), st.sampled_from(["_", "-", ".", ""])
)
def test_the_quick_look_never_misses_a_name_that_the_slow_one_knows(words: list[str], glue: str) -> None:
    name = glue.join(words)
    if is_sensitive(name):
        assert REDACTOR.json_text(json.dumps({name: ["a", "b"]}, ensure_ascii=False))[1]


def test_structures_under_a_secret_name_are_dropped_whole() -> None:
    value = {"credentials": {"user": "ana", "pass": "x"}, "cookies": ["a"], "n": 1}
    assert REDACTOR.value(value)[0] == {"credentials": "[secret-field]", "cookies": "[secret-field]", "n": 1}


def test_a_schema_of_a_password_stays() -> None:
    schema = {"properties": {"password": {"type": "string", "minLength": 8}}, "required": ["password"]}
    assert REDACTOR.value(schema) == (schema, ())


@pytest.mark.parametrize("empty", [None, "", "***", "${DB_PASSWORD}", "<password>", True, {}, []])
def test_an_empty_or_masked_secret_stays_as_it_is(empty: object) -> None:
    assert REDACTOR.value({"password": empty}) == ({"password": empty}, ())


def test_a_pair_of_name_and_value_is_a_field() -> None:
    value = {"env": [{"name": "DB_PASSWORD", "value": "calm"}, {"name": "TZ", "value": "Europe/Berlin"}]}
    assert REDACTOR.value(value)[0] == {
        "env": [{"name": "DB_PASSWORD", "value": "[secret-field]"}, {"name": "TZ", "value": "Europe/Berlin"}]
    }
    assert REDACTOR.value([["X-Api-Key", "calm"], ["Accept", "*/*"]])[0] == [
        ["X-Api-Key", "[secret-field]"],
        ["Accept", "*/*"],
    ]


def test_a_list_of_names_of_fields_is_no_pair() -> None:
    value = {"required": ["password", "email"], "columns": ["token", "created"]}
    assert REDACTOR.value(value) == (value, ())


def test_json_within_json_is_taken_apart() -> None:
    text = json.dumps({"body": json.dumps({"credentials": ["calm"], "id": 7})})
    hidden = json.loads(REDACTOR.json_text(text)[0])
    assert json.loads(hidden["body"]) == {"credentials": "[secret-field]", "id": 7}


def test_secrets_in_names_of_fields_are_hidden_without_losing_fields() -> None:
    hidden, _ = REDACTOR.value({"a@example.org": 1, "b@example.org": 2})
    assert hidden == {"[email-address]": 1, "[email-address]#2": 2}


def test_repeated_keys_in_json_cannot_carry_a_secret_past() -> None:
    assert "calm" not in REDACTOR.json_text('{"password": "calm-one", "password": "calm-two"}')[0]
    assert "calm" not in REDACTOR.json_text('{"password": ["calm"], "password": null}')[0]


def test_numbers_of_cards_go_with_the_personal_tier_only() -> None:
    value = {"card_number": 4111111111111111}
    assert REDACTOR.value(value)[0] == {"card_number": "[personal-field]"}
    assert Redactor.build(tiers={CREDENTIALS}).value(value) == (value, ())


def test_the_number_of_a_card_is_hidden_although_it_is_sent_as_a_number() -> None:
    assert REDACTOR.json_text('{"card": 4111111111111111}')[0] == '{"card": "[payment-card]"}'
    assert REDACTOR.json_text('{"offset": 4111111111111111}')[0] == '{"offset": 4111111111111111}'


def test_ids_of_the_structure_survive() -> None:
    value = {
        "tool_call_id": "call_abc123DEF456ghi789JKL012",
        "other": ["toolu_01A09q90qw90lq917835lq9", "chatcmpl-tool-7d566e1b2fcb54b48bc14a5b1fd54dba"],
        "message_id": "run--49f5a555-a2a5-4a73-84a5-2e973bf3a8b8-0",
        "trace_id": "4bf92f3577b34da6a3ce929d0e0e4736",
        "span_id": "00f067aa0ba902b7",
        "sha": "9fceb02d0ae598e95dc970b74767f19372d61af8",
        "at_ns": 1796068604123456789,
        "at": "1796068604123456789",
        "model": "claude-3-5-sonnet-20241022",
        "checkpoint_ns": "tools:3f2a9c1e-77aa-4c1e-9b1e-0f6d2a4b8c11|agent:1",
    }
    assert REDACTOR.value(value) == (value, ())
    assert REDACTOR.text(json.dumps(value)) == (json.dumps(value), ())
