"""Spans as a collector sends them, telling small stories that a person then reads on the pages."""

import hashlib
import json
from dataclasses import dataclass, field
from typing import Any

from toolwatch import conventions as c

MS = 1_000_000
SECOND = 1_000 * MS


def hex_id(*parts: object, digits: int = 16) -> str:
    return hashlib.sha256("|".join(map(str, parts)).encode()).hexdigest()[:digits]


@dataclass
class Story:
    """One run of an agent in one trace. at_ns is when it began; times below are milliseconds after that."""

    name: str
    at_ns: int
    thread: str | None = None
    agent: str = "assistant"
    service: str = "shop-agents"
    run: str = "1"
    spans: list[dict[str, Any]] = field(default_factory=list)

    @property
    def trace_id(self) -> str:
        return hex_id("trace", self.name, self.run, digits=32)

    def key(self, call_id: str | None) -> str:
        return "c" + hex_id("call", self.name, call_id, digits=24)

    def turn(
        self, at: float, *calls: tuple[str | None, str, Any], message: str = "m1", **more: Any
    ) -> "Story":
        """The model asked for calls: (id, tool, arguments). Arguments given as text are malformed."""
        requests = [
            {
                "key": self.key(id_),
                "id": id_,
                "name": tool,
                "position": place,
                "raw": None,
                "repaired": False,
                "kind": "malformed" if isinstance(arguments, str) else "model",
                "error": None,
                "parent_key": None,
                "arguments": arguments
                if isinstance(arguments, str)
                else json.dumps(arguments, ensure_ascii=False),
            }
            for place, (id_, tool, arguments) in enumerate(calls)
        ]
        attributes = {
            c.RECORD: c.RECORD_TURN,
            c.RESPONSE_MODEL: "scripted-1",
            c.MESSAGE_ID: f"{self.name}-{message}",
            c.GROUP_ID: f"{self.name}-{message}",
            c.REQUESTS: json.dumps(requests),
            **more,
        }
        return self.span(f"turn {message}", "chat scripted-1", at - 120, at, attributes)

    def seen(self, at: float, *call_ids: str) -> "Story":
        sights = [{"key": self.key(id_), "content": None, "status": None} for id_ in call_ids]
        attributes = {c.RECORD: c.RECORD_TURN, c.RESPONSE_MODEL: "scripted-1", c.SEEN: json.dumps(sights)}
        return self.span(f"seen {at}", "chat scripted-1", at, at + 90, attributes)

    def attempt(
        self, id_: str, tool: str, start: float, end: float | None, number: int = 1, **more: Any
    ) -> "Story":
        """One run of a tool; without an end it has only announced its start. more: see the keys below."""
        error = more.pop("error", None)
        own = self.attempt_id(id_, number)
        attributes = {
            c.RECORD: c.RECORD_STARTED if end is None else c.RECORD_ATTEMPT,
            c.TOOL_NAME: tool,
            c.TOOL_CALL_ID: id_,
            c.CALL_KEY: self.key(id_),
            c.ATTEMPT_CAUSE: more.pop("cause", "first"),
            c.THREAD_NAME: f"worker-{number}",
            c.BODY_RAN: more.pop("ran", True),
            c.ATTEMPT_OUTCOME: more.pop("outcome", "ok"),
        }
        names = {
            "arguments": c.TOOL_CALL_ARGUMENTS,
            "result": c.TOOL_CALL_RESULT,
            "problems": c.ARGUMENTS_PROBLEMS,
            "interrupt": c.INTERRUPT_VALUE,
            "resume": c.RESUME_VALUE,
            "validated": c.ARGUMENTS_VALIDATED,
        }
        attributes |= {
            names[name]: value if isinstance(value, str) else json.dumps(value)
            for name, value in more.items()
        }
        if end is None:
            attributes[c.STARTED_SPAN_ID] = own
            own = hex_id(own, "started")
        return self.span(
            own,
            f"execute_tool {tool}",
            start,
            start if end is None else end,
            attributes,
            error=error,
            id_=own,
        )

    def attempt_id(self, id_: str, number: int) -> str:
        return hex_id("attempt", self.name, self.run, id_, number)

    def step(
        self,
        start: float,
        end: float,
        *dispatches: dict[str, Any],
        answers: tuple[dict[str, Any], ...] = (),
        outcome: str = "ok",
    ) -> "Story":
        attributes = {
            c.RECORD: c.RECORD_STEP,
            c.NODE: "tools",
            c.OUTCOME: outcome,
            c.DISPATCHES: json.dumps(dispatches),
            c.ANSWERS: json.dumps(answers),
        }
        return self.span(f"step {start}", "step tools", start, end, attributes)

    def dispatch(
        self, id_: str, tool: str, start: float, end: float | None, attempts: int = 1, **more: Any
    ) -> dict[str, Any]:
        return {
            "key": self.key(id_),
            "id": id_,
            "name": tool,
            "started_ns": self.ns(start),
            "ended_ns": None if end is None else self.ns(end),
            "cause": "first",
            "attempts": [self.attempt_id(id_, n) for n in range(1, attempts + 1)],
            "state": "returned",
            **more,
        }

    def answer(
        self,
        id_: str,
        at: float,
        content: str | None = None,
        *,
        status: str = "success",
        by: str = "tool",
        **more: Any,
    ) -> dict[str, Any]:
        return {
            "key": self.key(id_),
            "id": id_,
            "status": status,
            "content": content,
            "parts": [],
            "bytes": len(content.encode()) if content is not None else None,
            "truncated": False,
            "same_as_result": content is None,
            "by": by,
            "delivered": True,
            "at_ns": self.ns(at),
            **more,
        }

    def end(
        self,
        at: float,
        outcome: str = "ok",
        calls: tuple[str, ...] = (),
        error: tuple[str, str, str] | None = None,
    ) -> "Story":
        attributes = {c.RECORD: c.RECORD_RUN, c.OUTCOME: outcome, c.CALLS: [self.key(id_) for id_ in calls]}
        return self.span("run", f"invoke_agent {self.agent}", -150, at, attributes, error=error)

    def span(
        self,
        what: str,
        name: str,
        start: float,
        end: float,
        attributes: dict[str, Any],
        *,
        error: tuple[str, str, str] | None = None,
        id_: str | None = None,
    ) -> "Story":
        common = {
            c.FRAMEWORK: "langgraph",
            c.RUN_ID: hex_id("run", self.name, self.run),
            c.AGENT_NAME: self.agent,
            c.CONVERSATION_ID: self.thread,
        }
        run_span = hex_id("span", self.name, self.run, "run")
        span: dict[str, Any] = {
            "traceId": self.trace_id,
            "spanId": id_ or hex_id("span", self.name, self.run, what),
            "name": name,
            "kind": 1,
            "startTimeUnixNano": str(self.ns(start)),
            "endTimeUnixNano": str(self.ns(end)),
            "attributes": [
                _pair(key, value) for key, value in {**common, **attributes}.items() if value is not None
            ],
        }
        if what != "run":
            span["parentSpanId"] = run_span
        if error is not None:
            kind, message, stack = error
            said = {c.EXCEPTION_TYPE: kind, c.EXCEPTION_MESSAGE: message, c.EXCEPTION_STACKTRACE: stack}
            span["attributes"].append(_pair(c.ERROR_TYPE, kind))
            span["status"] = {"code": 2, "message": message}
            span["events"] = [
                {
                    "name": "exception",
                    "timeUnixNano": str(self.ns(end)),
                    "attributes": [_pair(k, v) for k, v in said.items()],
                }
            ]
        self.spans.append(span)
        return self

    def ns(self, after_ms: float) -> int:
        return self.at_ns + round(after_ms * MS)

    def body(self) -> bytes:
        resource = {
            "service.name": self.service,
            "service.instance.id": f"{self.service}-1",
            "telemetry.distro.name": "toolwatch",
        }
        scope = {"scope": {"name": "toolwatch"}, "spans": self.spans}
        request = {
            "resourceSpans": [
                {
                    "resource": {"attributes": [_pair(k, v) for k, v in resource.items()]},
                    "scopeSpans": [scope],
                }
            ]
        }
        return json.dumps(request).encode()


def _pair(key: str, value: Any) -> dict[str, Any]:
    if isinstance(value, bool):
        return {"key": key, "value": {"boolValue": value}}
    if isinstance(value, int):
        return {"key": key, "value": {"intValue": str(value)}}
    if isinstance(value, list):
        return {"key": key, "value": {"arrayValue": {"values": [{"stringValue": item} for item in value]}}}
    return {"key": key, "value": {"stringValue": value}}
