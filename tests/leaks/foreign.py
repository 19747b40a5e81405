"""Each text wherever another SDK's OTLP can hold one."""

import json
from collections.abc import Sequence
from typing import Final

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord, ResourceLogs, ScopeLogs
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from tests.otlp import a_tool_span, ids, message, pairs, value

FIRST_TRACE: Final = 7_000


def call_id(number: int) -> str:
    return f"call_foreign_{number}"


def traces(texts: Sequence[str]) -> bytes:
    whole = ExportTraceServiceRequest()
    for number, text in enumerate(texts):
        sent = message(_span(number, text), service=f"orders {text}", resource={"host.note": text, text: 1})
        sent.resource_spans[0].scope_spans[0].scope.attributes.extend(pairs({"note": text}))
        whole.resource_spans.extend(sent.resource_spans)
    return whole.SerializeToString()


def _span(number: int, text: str) -> Span:
    span = a_tool_span(
        "look_up",
        call_id(number),
        more={
            "gen_ai.tool.call.arguments": json.dumps({"note": text}),
            "gen_ai.tool.call.result": text,
            "gen_ai.tool.description": text,
            "gen_ai.agent.name": text,
            "gen_ai.conversation.id": f"talk {text}",
            "session.id": text,
            "error.type": "RuntimeError",
            "note": text,
            "notes": ["fine", text],
            "deep": {"deeper": {"note": text}},
        },
        failed=text,
        **ids(FIRST_TRACE + number),
    )
    span.name = f"execute_tool {text}"
    stack = f'Traceback (most recent call last):\n  File "a.py", line 1, in f\n    f("""{text}""")\nE: {text}'
    told = {"exception.type": "RuntimeError", "exception.message": text, "exception.stacktrace": stack}
    span.events.add(name="exception", attributes=pairs(told))
    span.events.add(name=text, attributes=pairs({text: text}))
    span.links.add(attributes=pairs({"note": text}))
    return span


def logs(texts: Sequence[str]) -> bytes:
    records = [
        LogRecord(
            trace_id=bytes.fromhex(ids(FIRST_TRACE + number)["trace_id"]),
            body=value(body),
            severity_text=text,
            attributes=pairs({"event.name": "gen_ai.choice", "note": text}),
        )
        for number, text in enumerate(texts)
        for body in (text, {"message": {"content": text, "role": "assistant"}})
    ]
    scoped = [ScopeLogs(log_records=records)]
    return ExportLogsServiceRequest(resource_logs=[ResourceLogs(scope_logs=scoped)]).SerializeToString()
