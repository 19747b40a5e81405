"""What the environment says about redaction in the collector."""

import pytest

from toolwatch import _guard
from toolwatch._redact import Redaction
from toolwatch._redact_settings import load_rules, name_key

TEXT = "ana@example.com, db.internal, password=hunter2x"


def hidden(**environment: str) -> str:
    return load_rules({f"TOOLWATCH_REDACT_{name}": value for name, value in environment.items()}).text(TEXT)[
        0
    ]


def test_without_settings_everything_is_hidden() -> None:
    assert hidden() == "[email-address], [internal-host], password=[secret-pair]"


def test_tiers_are_chosen_and_credentials_go_all_the_same() -> None:
    assert hidden(TIERS="personal") == "[email-address], db.internal, password=[secret-pair]"
    assert hidden(TIERS="credentials") == "ana@example.com, db.internal, password=[secret-pair]"


def test_credentials_stay_only_where_a_setting_of_their_own_says_so(caplog: pytest.LogCaptureFixture) -> None:
    assert hidden(CREDENTIALS="false", TIERS="personal") == "[email-address], db.internal, password=hunter2x"
    assert "secrets will be stored as they are" in caplog.text


def test_own_keys_and_allowed_values() -> None:
    rules = load_rules({"TOOLWATCH_REDACT_KEYS": "employeeBadge, lot"})
    assert rules.value({"employee_badge": "blue", "lot": "7a"})[0] == {
        "employee_badge": "[secret-field]",
        "lot": "[secret-field]",
    }
    assert hidden(ALLOW="ana@example.com").startswith("ana@example.com, ")


def test_an_unknown_tier_is_told_and_nothing_is_hidden_less(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_guard, "_reported", set())
    assert hidden(TIERS="persona") == hidden()
    assert "unknown tier 'persona'" in caplog.text


def test_fingerprints_are_equal_wherever_the_key_is() -> None:
    key = "an invented key of more than 16 bytes"
    one = hidden(FINGERPRINTS="true", FINGERPRINT_KEY=key)
    assert one == hidden(FINGERPRINTS="true", FINGERPRINT_KEY=key)
    assert one != hidden(FINGERPRINTS="true", FINGERPRINT_KEY=f"{key}!")
    assert name_key({"TOOLWATCH_REDACT_FINGERPRINT_KEY": "short"}) == name_key({})


def test_two_threads_named_by_secrets_stay_two() -> None:
    redaction = Redaction()
    ana, bob, again = (redaction.thread(f"{name}@example.com") for name in ("ana", "bob", "ana"))
    assert ana == again != bob
    assert "example" not in ana + bob
    assert redaction.thread("thread-7") == "thread-7"
