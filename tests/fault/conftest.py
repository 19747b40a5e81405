from tests.unit.collector.conftest import receiver

__all__ = ["receiver"]
