import sys

import pytest

from toolwatch.redaction import Redactor


@pytest.fixture
def redactor() -> Redactor:
    return Redactor.default()


@pytest.fixture
def without_re2(monkeypatch: pytest.MonkeyPatch) -> Redactor:
    """A redactor as it is where google-re2 cannot be imported."""
    monkeypatch.setitem(sys.modules, "re2", None)
    return Redactor.build()
