"""The two records of one run of a tool: that it has started, and how it ended."""

from functools import lru_cache

from toolwatch import conventions as c
from toolwatch._records import Attempt, CallInfo
from toolwatch._redact import to_json
from toolwatch._render import Attributes, common, failure_tuple, note, present
from toolwatch._spans import Part, SpanData

FAILED = frozenset({"tool_error", "invalid_args", "cancelled"})
STARTED = Part({c.RECORD: c.RECORD_STARTED})


@lru_cache(maxsize=64)
def _ended(outcome: str | None, body_ran: bool | None) -> Part:
    return Part(present({c.RECORD: c.RECORD_ATTEMPT, c.ATTEMPT_OUTCOME: outcome, c.BODY_RAN: body_ran}))


def call_part(call: CallInfo, cause: str, thread_name: str, arguments: str | None, size_bytes: int) -> Part:
    """What both records say; arguments are redacted JSON."""
    found: Attributes = {
        c.CALL_KEY: call.key,
        c.ATTEMPT_CAUSE: cause,
        c.THREAD_NAME: thread_name,
    }
    if call.id:
        found[c.TOOL_CALL_ID] = call.id
    else:
        found[c.ID_ABSENT] = "null" if call.id is None else "empty"
    if call.parent_key is not None:
        found[c.PARENT_KEY] = call.parent_key
    if arguments is not None:
        found[c.TOOL_CALL_ARGUMENTS] = arguments
        found[c.ARGUMENTS_BYTES] = size_bytes
    return Part(found)


def started(a: Attempt, full: bool) -> SpanData:
    found: Attributes = {c.STARTED_SPAN_ID: f"{a.span.context.span_id:016x}"}
    if (call := a.call).message_id is not None:  # its turn may be lost with the process
        found[c.MESSAGE_ID], found[c.POSITION] = call.message_id, call.position
        if call.group_id is not None:
            found[c.GROUP_ID], found[c.GROUP_SIZE] = call.group_id, call.group_size
    note(found, a.ledger, full)
    parts = (STARTED, common(a.root, a.run), a.tool.name_part, a.part)
    return SpanData(a.tool.span_name, found, a.span.start_ns, parts)


def attempt(a: Attempt, full: bool) -> SpanData:
    found: Attributes = {}
    if a.late:
        found[c.ATTEMPT_LATE] = True
    if a.handled is not None:
        found[c.HANDLED_BY] = "tool"
    if full:
        _contents(a, found)
    _result(a, found, full)
    failure = None
    if a.failure is not None and a.outcome != "interrupted":
        failure = failure_tuple(a.failure, a.ledger, full)
        found[c.ERROR_TYPE] = failure[0]
    elif a.outcome == "tool_error":
        found[c.ERROR_TYPE] = "tool_error"
    note(found, a.ledger, full)
    ended = _ended(a.outcome, a.body_ran)
    parts = (ended, common(a.root, a.run), a.tool.name_part, a.tool.about_part, a.part)
    end_ns = a.ended_ns or a.span.start_ns
    return SpanData(a.tool.span_name, found, end_ns, parts, failure, a.outcome in FAILED)


def _contents(a: Attempt, found: Attributes) -> None:
    if a.validated is not None:
        same = a.validated == a.arguments
        found[c.ARGUMENTS_VALIDATED] = (
            a.arguments_text if same else a.ledger.safe_json("arguments", a.validated)
        )
    if a.interrupt is not None:
        found[c.INTERRUPT_VALUE] = a.ledger.safe_json("interrupt", a.interrupt[0])
    if a.resume is not None:
        found[c.RESUME_VALUE] = a.ledger.safe_json("resume", a.resume[0])


def _result(a: Attempt, found: Attributes, full: bool) -> None:
    if a.problems:
        problems = a.ledger.safe_json("error", a.problems) if full else to_json(a.problems)
        found[c.ARGUMENTS_PROBLEMS] = problems
    if a.interrupt is not None and not full:
        found[c.INTERRUPT_VALUE] = "null"
    if a.result is None:
        return
    found[c.RESULT_BYTES] = a.result.bytes
    if a.result.status is not None:
        found[c.RESULT_STATUS] = a.result.status
    if a.result.parts:
        found[c.RESULT_PARTS] = to_json(list(a.result.parts))
    if full and a.result.text is not None:
        found[c.TOOL_CALL_RESULT] = a.ledger.text("result", a.result.text)
        a.call.result_hits = a.ledger.hits("result")
