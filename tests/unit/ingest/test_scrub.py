"""No secret gets past the door, wherever in a span it stands; and nothing else is lost."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord, ResourceLogs, ScopeLogs
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

from tests.otlp import PROTOBUF, a_span, message, pairs, value
from toolwatch import conventions as c
from toolwatch.redaction import Redactor
from toolwatch_server.ingest.otlp.records import Decoded, decode_logs, decode_traces
from toolwatch_server.ingest.otlp.scrub import Scrubber
from toolwatch_server.ingest.redact import TextRedactor

SECRET = "p0stgres-Secret-9"
LEAK = f"cannot reach postgresql://admin:{SECRET}@db.example.com/orders"
KEY = "c0123456789abcdef01234567"


def scrubber(max_value_bytes: int = 10_000) -> Scrubber:
    return Scrubber(TextRedactor(Redactor.default()), max_value_bytes)


def decoded(span: Span, max_value_bytes: int = 10_000, **fields: Any) -> Decoded:
    return decode_traces(message(span, **fields).SerializeToString(), PROTOBUF, scrubber(max_value_bytes))


def put(change: Callable[[Span], object]) -> Span:
    span = a_span()
    change(span)
    return span


@pytest.mark.parametrize(
    "span",
    [
        a_span(name=LEAK),
        a_span({"anything": LEAK}),
        a_span({"list": ["fine", [LEAK]]}),
        a_span({"map": {"deep": {"er": LEAK}}}),
        a_span({"db.password": SECRET}),
        a_span({"config": {"password": SECRET}}),
        a_span({c.TOOL_CALL_ARGUMENTS: json.dumps({"password": SECRET})}),
        a_span({LEAK: "a key that is a value"}),
        put(lambda s: s.status.CopyFrom(Status(code=Status.STATUS_CODE_ERROR, message=LEAK))),
        put(lambda s: s.events.add(name=LEAK)),
        put(lambda s: s.events.add(name="exception", attributes=pairs({c.EXCEPTION_MESSAGE: LEAK}))),
        put(lambda s: s.links.add(attributes=pairs({"l": LEAK}))),
        put(lambda s: setattr(s, "trace_state", LEAK)),
    ],
    ids=[
        "name", "attribute", "list", "map", "named so", "named so in a map", "JSON", "key", "status",
        "event name", "exception", "link", "trace state",
    ],
)  # fmt: skip
def test_a_secret_is_gone_from_the_span_and_from_what_is_kept_raw(span: Span) -> None:
    found = decoded(span)

    ((read, raw),) = found.spans
    assert SECRET not in repr(read)
    assert SECRET.encode() not in raw
    assert sum(found.marks.hidden.values()) >= 1


def test_a_secret_is_gone_from_resource_and_scope() -> None:
    body = message(a_span(), resource={"db": LEAK})
    body.resource_spans[0].scope_spans[0].scope.attributes.extend(pairs({"s": LEAK}))
    body.resource_spans[0].schema_url = LEAK

    found = decode_traces(body.SerializeToString(), PROTOBUF, scrubber())

    ((read, raw),) = found.spans
    assert SECRET not in repr(read)
    assert SECRET.encode() not in raw


def test_a_secret_is_gone_from_the_body_of_a_log_record() -> None:
    log = LogRecord(
        body=value({"message": {"content": LEAK}}), attributes=pairs({"event.name": "gen_ai.choice"})
    )
    body = ExportLogsServiceRequest(resource_logs=[ResourceLogs(scope_logs=[ScopeLogs(log_records=[log])])])

    ((read, raw),) = decode_logs(body.SerializeToString(), PROTOBUF, scrubber()).logs

    assert (read.event_name, SECRET in repr(read), SECRET.encode() in raw) == ("gen_ai.choice", False, False)


def test_what_was_hidden_is_written_beside_it() -> None:
    ((read, _),) = decoded(a_span({c.TOOL_CALL_RESULT: LEAK})).spans

    ((mark),) = json.loads(str(read.attributes[c.REDACTIONS]))
    assert (mark["where"], mark["count"], "key" in mark) == ("result", 1, False)


def test_what_the_sender_had_hidden_already_is_kept_in_the_account() -> None:
    told = {"where": "arguments", "rule": "own-rule", "count": 3}

    ((read, _),) = decoded(a_span({c.TOOL_CALL_RESULT: LEAK, c.REDACTIONS: json.dumps([told])})).spans

    marks = json.loads(str(read.attributes[c.REDACTIONS]))
    assert (marks[0], len(marks)) == (told, 2)


def test_a_record_of_several_calls_says_which_of_them_held_the_secret() -> None:
    answers = [{"key": "c" + "0" * 24, "content": "fine"}, {"key": KEY, "content": LEAK, "id": "call_1"}]

    ((read, _),) = decoded(a_span({c.ANSWERS: json.dumps(answers)})).spans

    (mark,) = json.loads(str(read.attributes[c.REDACTIONS]))
    kept = json.loads(str(read.attributes[c.ANSWERS]))
    assert (mark["where"], mark["key"]) == ("answer", KEY)
    assert (kept[0], kept[1]["id"], SECRET in str(kept)) == (answers[0], "call_1", False)


def test_ids_are_never_touched() -> None:
    ids = {
        c.TOOL_CALL_ID: f"call_{SECRET}",
        c.CALL_KEY: KEY,
        c.CONVERSATION_ID: "49f5a555-a2a5-4a73-84a5-2e973bf3a8b8",
        c.RUN_ID: "0f" * 16,
    }

    ((read, _),) = decoded(a_span(ids)).spans

    assert dict(read.attributes) == ids


def test_threads_named_by_people_are_hidden_and_still_told_apart() -> None:
    names = ["alice@example.com", "bob@example.com", "alice@example.com"]
    rules = Redactor.default()
    redactor = TextRedactor(rules, rules.for_names(b"any key"))
    body = message(*(a_span({c.CONVERSATION_ID: name}) for name in names)).SerializeToString()

    found = decode_traces(body, PROTOBUF, Scrubber(redactor, 10_000))

    alice, bob, again = [str(span.attributes[c.CONVERSATION_ID]) for span, _ in found.spans]
    assert alice == again != bob
    assert "example" not in alice + bob


def test_a_secret_in_bytes_that_are_a_text_is_gone() -> None:
    span = a_span()
    span.attributes.add(key="note").value.bytes_value = LEAK.encode()
    span.attributes.add(key="image").value.bytes_value = b"\x89PNG\xff"

    ((read, raw),) = decoded(span).spans

    assert SECRET.encode() not in raw
    assert read.attributes["image"] == b"\x89PNG\xff"


def test_fields_we_do_not_know_are_kept_unless_they_hold_a_secret() -> None:
    def raw_of(unknown: bytes) -> bytes:
        body = message(a_span(name="work"))
        span = body.resource_spans[0].scope_spans[0].spans[0]
        span.MergeFromString(b"\xa2\x3e" + bytes([len(unknown)]) + unknown)  # field 1000, of bytes
        ((_, raw),) = decode_traces(body.SerializeToString(), PROTOBUF, scrubber()).spans
        return raw

    assert b"calm" in raw_of(b"calm")
    assert SECRET.encode() not in raw_of(LEAK.encode())


def test_a_service_with_rules_of_its_own_is_judged_by_them() -> None:
    own = TextRedactor(Redactor.build(extra_patterns={"order-number": r"A-\d+"}))
    rules = Scrubber(TextRedactor(Redactor.default()), 10_000, {"shop": Scrubber(own, 10_000)})

    def name_from(service: str) -> str:
        body = message(a_span(name="order A-117"), service=service).SerializeToString()
        ((read, _),) = decode_traces(body, PROTOBUF, rules).spans
        return read.name

    assert (name_from("shop"), name_from("other")) == ("order [order-number]", "order A-117")


def test_clean_spans_are_kept_byte_for_byte() -> None:
    body = message(a_span({"a": "b", "n": [1, 2.5, True]}))

    ((_, raw),) = decode_traces(body.SerializeToString(), PROTOBUF, scrubber()).spans

    assert raw == body.resource_spans[0].SerializeToString(deterministic=True)


def test_a_secret_on_the_cut_leaves_no_half() -> None:
    text = "x " * 490 + LEAK + " y" * 20_000
    limit = text.index(SECRET) + 5

    ((read, raw),) = decoded(a_span({"long": text}), max_value_bytes=limit).spans

    assert SECRET[:5] not in str(read.attributes["long"])
    assert SECRET[:5].encode() not in raw


def test_a_redactor_that_fails_hides_everything() -> None:
    class Broken:
        def value(self, value: object) -> tuple[object, tuple[()]]:
            raise RuntimeError("no")

    found = decode_traces(
        message(a_span({"k": LEAK})).SerializeToString(), PROTOBUF, Scrubber(TextRedactor(Broken()), 10_000)
    )

    ((read, raw),) = found.spans
    assert read.attributes["[redaction failed]"] == "[redaction failed]"
    assert SECRET.encode() not in raw
