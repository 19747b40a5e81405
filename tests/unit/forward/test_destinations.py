"""What may stand in TOOLWATCH_FORWARD, and what is said about mistakes."""

import json
from pathlib import Path

import pytest

from toolwatch_server.errors import CannotStart
from toolwatch_server.forward.backoff import LONGEST_S, Backoff
from toolwatch_server.forward.destinations import destinations


def test_nothing_set_means_nothing_is_passed_on() -> None:
    assert destinations("") == ()


def test_a_destination_needs_a_name_and_an_address() -> None:
    (found,) = destinations('[{"name": "jaeger", "endpoint": "http://127.0.0.1:14318"}]')

    assert (found.name, found.speaks_grpc, found.failures, found.service) == ("jaeger", False, False, None)


def test_only_failures_or_one_service_may_be_passed_on() -> None:
    given = [
        {"name": "a", "endpoint": "grpcs://x:4317", "only": "failures"},
        {"name": "b", "endpoint": "https://x/v1/traces", "only": {"service": "shop"}},
    ]

    failures, service = destinations(json.dumps(given))

    assert (failures.failures, failures.speaks_grpc, service.service) == (True, True, "shop")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("nonsense", "it is not JSON"),
        ('{"name": "a"}', "it must be a list"),
        ('[{"name": "a"}]', "destination 1, endpoint: Field required"),
        ('[{"name": "a b", "endpoint": "http://x"}]', "destination 1, name: "),
        ('[{"name": "a", "endpoint": "x:4317"}]', "destination 1, endpoint: it must begin with http://"),
        ('[{"name": "a", "endpoint": "grpc://x"}]', "for gRPC it must be grpc://HOST:PORT"),
        ('[{"name": "a", "endpoint": "http://u:s3cret@x"}]', "it must hold no password"),
        ('[{"name": "a", "endpoint": "http://x", "header": {}}]', "destination 1, header: there is no such"),
        ('[{"name": "a", "endpoint": "http://x", "headers": {"k": ["s3cret"]}}]', "destination 1, headers"),
        ('[{"name": "a", "endpoint": "http://x", "only": "errors"}]', 'only: it must be "failures" or'),
        ('[{"name": "a", "endpoint": "https://x", "ca_file": "/nowhere"}]', "ca_file: it cannot be read"),
        (
            '[{"name": "a", "endpoint": "http://x"}, {"name": "a", "endpoint": "http://y"}]',
            "two destinations",
        ),
    ],
)
def test_a_mistake_is_named_with_its_place_and_without_secrets(given: str, said: str) -> None:
    with pytest.raises(CannotStart) as refusal:
        destinations(given)

    assert refusal.value.code == "S014"
    assert said in refusal.value.message
    assert "s3cret" not in refusal.value.message


def test_a_certificate_needs_its_key(tmp_path: Path) -> None:
    (tmp_path / "cert.pem").touch()
    given = [{"name": "a", "endpoint": "https://x", "cert_file": str(tmp_path / "cert.pem")}]

    with pytest.raises(CannotStart, match="cert_file and key_file go together"):
        destinations(json.dumps(given))


def test_waiting_grows_to_a_minute_and_is_different_for_everybody() -> None:
    patient, hasty = Backoff(dice=lambda: 1.0), Backoff(dice=lambda: 0.0)

    assert [patient.failed(None) for _ in range(9)] == [1, 2, 4, 8, 16, 32, LONGEST_S, LONGEST_S, LONGEST_S]
    assert [hasty.failed(None) for _ in range(3)] == [0.5, 1, 2]
    patient.succeeded()
    assert patient.failed(None) == 1


def test_what_the_destination_asks_for_is_waited_at_least() -> None:
    backoff = Backoff(dice=lambda: 1.0)

    assert backoff.failed(30) == 30
    assert backoff.failed(0) == 2
    assert backoff.failed(1e9) == 3600
