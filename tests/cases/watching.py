"""Watch what runs in a block, and look at it afterwards as a user would."""

import json
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import toolwatch
from tests.scenarios.product import Product


class Case:
    """What a server knows of the calls of one service."""

    def __init__(self, product: Product, service: str) -> None:
        self.product = product
        self.service = service

    def calls(self, **filters: Any) -> list[Any]:
        """Oldest first, with everything that is known of each."""
        return self.product.calls(service=self.service, **filters)

    def call(self, tool_call_id: str) -> Any:
        (found,) = self.calls(tool_call_id=tool_call_id)
        return found

    def page(self, call: Any) -> str:
        return self.product.page(f"/calls/{call['key']}")

    def trace(self, call: Any) -> Any:
        return self.product.get(f"/api/v1/traces/{call['trace_id']}")

    def spans(self, call: Any) -> list[Any]:
        """The exported spans of the call's trace that tell of a run of a tool, attributes as a plain dict."""
        path = f"/api/v1/traces/{call['trace_id']}/export"
        sent = json.loads(self.product.page(path, format="otlp-json"))
        found = [
            span
            for resource in sent["resourceSpans"]
            for scope in resource["scopeSpans"]
            for span in scope["spans"]
        ]
        for span in found:
            span["attributes"] = {a["key"]: _plain(a["value"]) for a in span.get("attributes", ())}
        return [s for s in found if s["attributes"].get("toolwatch.record") == "attempt"]


def _plain(value: dict[str, Any]) -> Any:
    return next(iter(value.values()), None)


@contextmanager
def watching(product: Product, service: str, *, through: str | None = None) -> Iterator[Case]:
    """All that agents do in the block, and nothing older, is on the server when it has ended.

    through: the address to send to, where it is not the server's own.
    """
    for call in product.calls(service=service):  # tests in random order may set a story up twice
        for trace_id in call["trace_ids"]:
            product.http.delete(f"/api/v1/traces/{trace_id}")
    toolwatch.instrument(endpoint=through or product.url, service_name=service)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # deprecations of the watched libraries are not what is tested
            yield Case(product, service)
        assert toolwatch.flush(20.0)
    finally:
        toolwatch.uninstrument()


def codes(call: Any) -> list[str]:
    """Of the call's warnings."""
    return [warning["code"] for warning in call["warnings"]]


def attempts(call: Any) -> list[tuple[str, str]]:
    return [(attempt["cause"], attempt["outcome"]) for attempt in call["attempts"]]
