"""A tool call reported by OpenTelemetry alone, as any language can: GenAI conventions over OTLP.

Start `toolwatch serve`, then run this file. Neither LangGraph nor the collector of Toolwatch is involved.
"""

import json
import uuid

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

provider = TracerProvider(resource=Resource.create({"service.name": "any-sdk-example"}))
provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
tracer = provider.get_tracer("example")


def multiply(a: int, b: int) -> int:
    return a * b


def run_tool(call_id: str, arguments: dict[str, int]) -> int:
    with tracer.start_as_current_span("execute_tool multiply") as span:
        span.set_attribute("gen_ai.operation.name", "execute_tool")
        span.set_attribute("gen_ai.tool.name", "multiply")
        span.set_attribute("gen_ai.tool.call.id", call_id)
        span.set_attribute("gen_ai.tool.call.arguments", json.dumps(arguments))
        result = multiply(**arguments)
        span.set_attribute("gen_ai.tool.call.result", json.dumps(result))
        return result


if __name__ == "__main__":
    call_id = f"call_{uuid.uuid4().hex}"
    run_tool(call_id, {"a": 6, "b": 7})
    provider.shutdown()
    print(f"Paste this into the search box: {call_id}")
