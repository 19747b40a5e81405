"""Zero code: ``opentelemetry-instrument python agent.py`` finds this class by the project's entry point."""

from collections.abc import Collection
from typing import Any

from opentelemetry.instrumentation.instrumentor import (  # type: ignore[attr-defined]
    BaseInstrumentor,
)

import toolwatch


class ToolwatchInstrumentor(BaseInstrumentor):  # type: ignore[misc]
    def instrumentation_dependencies(self) -> Collection[str]:
        """None: the hooks wait for LangChain and LangGraph to be imported, if ever."""
        return ()

    def _instrument(self, **kwargs: Any) -> None:
        toolwatch.instrument(tracer_provider=kwargs.get("tracer_provider"))

    def _uninstrument(self, **kwargs: Any) -> None:
        toolwatch.uninstrument()
