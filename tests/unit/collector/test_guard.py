import asyncio
import logging

import pytest

from toolwatch import _guard
from toolwatch._guard import guarded


@pytest.fixture(autouse=True)
def _nothing_reported_yet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_guard, "_reported", set())


def test_a_fault_of_ours_costs_one_log_line_however_often_it_happens(
    caplog: pytest.LogCaptureFixture,
) -> None:
    @guarded
    def broken() -> int:
        raise ValueError("postgres://user:hunter2@db")

    with caplog.at_level(logging.DEBUG):
        found = [broken() for _ in range(5)]

    assert found == [None] * 5
    assert len(caplog.records) == 1
    assert "hunter2" not in caplog.text
    assert __file__ in caplog.text


@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit, asyncio.CancelledError, GeneratorExit])
def test_what_is_not_an_exception_is_never_held_back(kind: type[BaseException]) -> None:
    @guarded
    def stopped() -> None:
        raise kind

    with pytest.raises(kind):
        stopped()
