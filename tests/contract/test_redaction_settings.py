"""How an operator chooses what a server hides, and how a wrong choice is refused."""

import re
from pathlib import Path
from typing import Any

import pytest

from tests.live import live
from tests.otlp import a_tool_span, message
from toolwatch_server.app import create_app
from toolwatch_server.errors import CannotStart
from toolwatch_server.settings import load

RULES = r"""
keys = ["employeeBadge"]
allow = ["support@example.com"]
[patterns]
order-number = 'order (A-\d+)'
[service.billing]
tiers = ["credentials"]
[service.billing.patterns]
lot-number = 'lot (\d+)'
"""
TEXT = "order A-117, lot 7, ana@example.com, support@example.com, password=hunter2x"


def stored(folder: Path, service: str = "shop", **settings: Any) -> str:
    """What a server with these settings keeps of the text."""
    with live(folder, **settings) as server:
        span = a_tool_span(more={"gen_ai.tool.call.result": TEXT})
        assert server.send(message(span, service=service).SerializeToString()).status_code == 200
        return str(server.calls()[0]["answer"]["content"] or server.calls()[0])


def rules_file(folder: Path, text: str) -> str:
    file = folder / "rules.toml"
    file.write_text(text)
    return str(file)


def refusal(folder: Path, **settings: Any) -> CannotStart:
    with pytest.raises(CannotStart) as refused:
        create_app(load({}, database_url=f"sqlite:///{folder / 'refused.db'}", **settings))
    return refused.value


def test_rules_of_a_file_hold_for_everybody(tmp_path: Path) -> None:
    kept = stored(tmp_path, redact_rules=rules_file(tmp_path, RULES))

    assert "order [order-number], lot 7, [email-address], support@example.com, password=[secret-pair]" in kept


def test_a_service_can_have_rules_of_its_own(tmp_path: Path) -> None:
    kept = stored(tmp_path, "billing", redact_rules=rules_file(tmp_path, RULES))

    assert "order [order-number], lot [lot-number], ana@example.com, support@" in kept
    assert "password=[secret-pair]" in kept


def test_tiers_keys_and_allowed_values_come_from_the_environment(tmp_path: Path) -> None:
    kept = stored(tmp_path, redact_tiers="infrastructure", redact_keys="lot")

    assert "ana@example.com, support@example.com, password=[secret-pair]" in kept
    assert "ana@example.com" in stored(tmp_path, redact_allow="x, ana@example.com")


def test_credentials_are_kept_only_by_a_setting_of_their_own_that_is_logged(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "password=hunter2x" in stored(tmp_path, redact_credentials=False)
    assert "passwords and tokens are stored as they are" in capsys.readouterr().out


def test_fingerprints_outlive_a_restart_by_a_key_beside_the_database(tmp_path: Path) -> None:
    before, after = (stored(tmp_path, redact_fingerprints=True) for _ in range(2))

    marks = [re.findall(r"\[secret-pair:[0-9a-f]{6}\]", kept)[0] for kept in (before, after)]
    assert marks[0] == marks[1]
    assert (tmp_path / "redaction.key").stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[patterns]\norder-number = '(A'", "rule 'order-number': missing )"),
        ("[patterns]\norder = 'A'", "rule 'order': a name is lower-case words joined by hyphens"),
        ("keys = 'one'", "keys must be a list of texts"),
        ("tokens = []", "there is no 'tokens'"),
        ("[service.billing]\ntiers = ['persona']", "unknown tier 'persona'"),
        ("not toml", "cannot read"),
    ],
)
def test_a_broken_rule_stops_the_start_with_its_reason(tmp_path: Path, text: str, reason: str) -> None:
    error = refusal(tmp_path, redact_rules=rules_file(tmp_path, text))

    assert error.code == "S034"
    assert reason in error.message


def test_wrong_settings_stop_the_start_with_a_code(tmp_path: Path) -> None:
    assert refusal(tmp_path, redact_rules=str(tmp_path / "missing.toml")).code == "S034"
    unknown = refusal(tmp_path, redact_tiers="persona")
    assert (unknown.code, "there is no tier 'persona'" in unknown.message) == ("S030", True)
    assert refusal(tmp_path, redact_fingerprint_key="short").code == "S036"
    (tmp_path / "redaction.key").write_text("half")
    assert refusal(tmp_path).code == "S037"
