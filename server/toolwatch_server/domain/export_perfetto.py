"""Spans as Chrome trace events, which Perfetto and chrome://tracing open. Times are microseconds."""

from typing import Any, Final

from toolwatch_server.domain.span import Span

Json = dict[str, Any]
_NAMES: Final = ("toolwatch.record", "gen_ai.operation.name", "openinference.span.kind")


class Lanes:
    """Gives each span of a trace a row, so that bars on one row are apart or inside one another.

    A span lies in its parent's row where it is the only one there; what runs beside another gets a row below.
    """

    def __init__(self) -> None:
        self._open: list[list[tuple[int, str]]] = []

    def place(self, span: Span) -> int:
        """Spans must come in the order of their starts."""
        end_ns = max(span.end_ns, span.start_ns)
        for row in self._open:
            while row and row[-1][0] <= span.start_ns:
                row.pop()
        number = self._fit(span, end_ns)
        if number == len(self._open):
            self._open.append([])
        self._open[number].append((end_ns, span.span_id))
        return number

    def _fit(self, span: Span, end_ns: int) -> int:
        for number, row in enumerate(self._open):
            if row and row[-1][1] == span.parent_span_id and end_ns <= row[-1][0]:
                return number
        return next((number for number, row in enumerate(self._open) if not row), len(self._open))


def chrome_event(span: Span, *, pid: int, tid: int, args: Json) -> Json:
    """A complete event; args are the attributes as JSON can hold them."""
    kinds = (span.attributes.get(name) for name in _NAMES)
    said = {"span_id": span.span_id, "parent_span_id": span.parent_span_id or None, **args}
    if span.status_code == 2:
        said["error"] = span.status_message or True
    return {
        "name": span.name,
        "cat": next((kind for kind in kinds if isinstance(kind, str)), "span"),
        "ph": "X",
        "ts": span.start_ns / 1_000,
        "dur": max(0, span.end_ns - span.start_ns) / 1_000 if span.end_ns else 0,
        "pid": pid,
        "tid": tid,
        "args": said,
    }


def name_of_trace(pid: int, trace_id: str) -> Json:
    return {"name": "process_name", "ph": "M", "pid": pid, "tid": 0, "args": {"name": f"trace {trace_id}"}}
