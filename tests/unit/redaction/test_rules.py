"""Every rule of the table keeps the promise of its own examples, in both engines."""

import pytest

from tests.unit.redaction.examples import filled
from toolwatch.redaction import CREDENTIALS, PERSONAL, InvalidRule, Redactor, describe
from toolwatch.redaction.rules import Rule, shipped

HITS = [(rule, filled(text)) for rule in shipped() for text in rule.hit]
MISSES = [(rule, filled(text)) for rule in shipped() for text in rule.miss]


def name(case: object) -> str:
    return case.name if isinstance(case, Rule) else ""


@pytest.mark.parametrize(("rule", "text"), HITS, ids=name)
def test_what_a_rule_promises_to_hide_is_hidden(rule: Rule, text: str, redactor: Redactor) -> None:
    hidden, hits = redactor.text(text)
    assert hits, f"{rule.name} missed {text}"
    assert hidden != text


@pytest.mark.parametrize(("rule", "text"), HITS, ids=name)
def test_a_rule_hides_its_example_on_its_own(rule: Rule, text: str) -> None:
    from toolwatch.redaction.engine import best
    from toolwatch.redaction.scrub import Scrubber

    scrubber = Scrubber(best((rule,), (), "never"), (rule,), frozenset(), None)
    _, hits = scrubber.text(text)
    assert rule.check in ("base64", "percent") or [hit.rule for hit in hits] == [rule.name]


@pytest.mark.parametrize(("rule", "text"), MISSES, ids=name)
def test_what_a_rule_promises_to_keep_survives(rule: Rule, text: str, redactor: Redactor) -> None:
    assert redactor.text(text) == (text, ())


def test_the_matcher_without_re2_hides_and_keeps_the_same_examples(without_re2: Redactor) -> None:
    missed = [(rule.name, text) for rule, text in HITS if not without_re2.text(text)[1]]
    touched = [(rule.name, text) for rule, text in MISSES if without_re2.text(text)[1]]
    assert (missed, touched) == ([], [])


@pytest.mark.parametrize("rule", shipped(), ids=name)
def test_every_rule_has_an_example_and_no_wide_repeat(rule: Rule) -> None:
    import re

    bounds = [int(high) for high in re.findall(r"\{\d+,(\d+)\}", rule.pattern)]
    assert rule.hit
    assert max(bounds, default=0) <= 40  # wider ones make RE2's set run out of memory on base64


def test_every_rule_is_described_with_tier_and_example() -> None:
    rows = describe()
    assert len(rows) == len(shipped())
    assert all(row["rule"] and row["tier"] and row["example"] for row in rows)
    assert {
        "rule": "npm-token",
        "tier": "credentials",
        "example": "//registry.example/:_authToken=npm_…",
    } in rows


def test_credentials_go_although_the_other_tiers_are_off() -> None:
    hidden, _ = Redactor.build(tiers={CREDENTIALS}).text("ana@example.org password=hunter2x 10.1.2.3")
    assert hidden == "ana@example.org password=[secret-pair] 10.1.2.3"


def test_an_unknown_tier_is_refused_with_the_known_ones() -> None:
    with pytest.raises(InvalidRule, match="unknown tier 'all'; there are credentials, "):
        Redactor.build(tiers={"all"})


def test_credentials_cannot_be_left_out_by_choosing_tiers() -> None:
    hidden, _ = Redactor.build(tiers={PERSONAL}).text("password=hunter2x")
    assert hidden == "password=[secret-pair]"


def test_a_broken_pattern_is_refused_with_its_reason() -> None:
    with pytest.raises(InvalidRule, match=r"rule 'order-number': missing \)"):
        Redactor.build(extra_patterns={"order-number": "A-(\\d+"})


def test_a_rule_name_without_a_hyphen_is_refused() -> None:
    with pytest.raises(InvalidRule, match="rule 'Order': a name is lower-case words"):
        Redactor.build(extra_patterns={"Order": "x"})


def test_own_patterns_hide_their_first_group() -> None:
    redactor = Redactor.build(extra_patterns={"order-number": r"order (A-\d+)"})
    assert redactor.text("order A-117 is late")[0] == "order [order-number] is late"


@pytest.mark.parametrize("spelling", ["employee_badge", "EmployeeBadge", "employee-badge"])
def test_own_keys_are_dropped_in_any_spelling(spelling: str) -> None:
    redactor = Redactor.build(extra_keys=["employeeBadge"])
    assert redactor.value({spelling: "blue"})[0] == {spelling: "[secret-field]"}
    assert redactor.json_text(f'{{"{spelling}": 7}}')[0] == f'{{"{spelling}": "[secret-field]"}}'
    assert redactor.text(f"{spelling}=blue77")[0] == f"{spelling}=[own-key]"


def test_own_patterns_without_re2_are_refused_and_say_what_to_install(
    without_re2: Redactor,
) -> None:
    with pytest.raises(InvalidRule, match=r"need google-re2: pip install 'toolwatch\[redact\]'"):
        Redactor.build(extra_patterns={"order-number": r"A-\d+"})


def test_allowed_values_stay() -> None:
    redactor = Redactor.build(allow=["support@example.com"])
    assert redactor.text("write to support@example.com or ana@example.com")[0] == (
        "write to support@example.com or [email-address]"
    )


def test_equal_secrets_are_seen_to_be_equal_only_under_the_same_key() -> None:
    one, other = (Redactor.build(fingerprint_key=key) for key in (b"a", b"b"))
    first = one.text("password=hunter2x then password=hunter2x")[0]
    marks = [word for word in first.split() if "[" in word]
    assert marks[0] == marks[1]
    assert "[secret-pair:" in marks[0]
    assert other.text("password=hunter2x")[0] != marks[0]
