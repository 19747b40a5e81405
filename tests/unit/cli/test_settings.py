"""Settings: where they come from, and what is refused."""

from pathlib import Path

import pytest

from toolwatch_server.errors import CannotStart
from toolwatch_server.settings import CODES, Settings, load


def test_without_any_setting_only_this_machine_is_served() -> None:
    settings = load({})

    assert (settings.host, settings.port, settings.on_loopback, settings.api_keys) == (
        "127.0.0.1",
        4318,
        True,
        (),
    )
    assert settings.database_url.startswith("sqlite:///")


def test_secrets_may_stand_in_files(tmp_path: Path) -> None:
    (tmp_path / "key").write_text("one, two\n")
    (tmp_path / "url").write_text("postgresql://u:p@h/d\n")

    settings = load(
        {
            "TOOLWATCH_API_KEY_FILE": str(tmp_path / "key"),
            "TOOLWATCH_DATABASE_URL_FILE": str(tmp_path / "url"),
        }
    )

    assert (settings.api_keys, settings.database_url) == (("one", "two"), "postgresql://u:p@h/d")


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.1.5", "::", "example.com"])
def test_an_address_that_others_reach_needs_a_key_or_an_explicit_word(host: str) -> None:
    with pytest.raises(CannotStart, match="TOOLWATCH_API_KEY") as refused:
        load({}, host=host)

    assert refused.value.code == "S010"
    assert load({}, host=host, api_key="a-key").host == host
    assert load({}, host=host, allow_open=True).host == host


def test_an_empty_key_is_no_key() -> None:
    with pytest.raises(CannotStart):
        load({}, host="0.0.0.0", api_key=" , ")


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("port", 70_000),
        ("database_url", "mysql://x"),
        ("max_body_bytes", 1),
        ("allow_open", "perhaps"),
        ("host", ""),
    ],
)
def test_a_wrong_value_names_its_variable_and_a_code(name: str, given: object) -> None:
    with pytest.raises(CannotStart, match=f"TOOLWATCH_{name.upper()}") as refused:
        load({}, **{name: given})

    assert refused.value.code == CODES[name]


def test_every_setting_has_a_sentence_and_a_code() -> None:
    assert set(CODES) == set(Settings.model_fields)
    assert all((field.description or "").endswith(".") for field in Settings.model_fields.values())


def test_neither_keys_nor_passwords_are_shown() -> None:
    settings = load({}, api_key="the-secret-key", database_url="postgresql://u:hunter2@h/d")

    assert settings.shown()["TOOLWATCH_API_KEY"] == "set"
    assert "the-secret-key" not in repr(settings) + str(settings.shown())
    assert "hunter2" not in repr(settings) + str(settings.shown())
