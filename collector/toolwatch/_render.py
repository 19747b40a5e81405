"""From what was recorded to what is sent (docs/wire.md): redacted, bounded, one span for each record."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from opentelemetry.trace import SpanKind

from toolwatch import conventions as c
from toolwatch._failures import MESSAGE_CHARS, STACK_CHARS, Failure
from toolwatch._records import Attempt, CallInfo, Dispatch, Root, Run
from toolwatch._redact import Ledger, to_json
from toolwatch._results import Shown
from toolwatch._spans import SpanData

FRAMEWORK = "langgraph"
Attributes = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Closing:
    """How a record of several calls ends."""

    ledger: Ledger
    full: bool  # contents are captured
    end_ns: int
    failure: Failure | None = None


def common(root: Root, run: Run | None) -> Attributes:
    """Where a record belongs; the same for all records of one node run."""
    if run is not None and run.common is not None:
        return run.common
    found: Attributes = {c.FRAMEWORK: FRAMEWORK}
    if not root.loose:
        found[c.RUN_ID] = root.id
    if root.thread_id is not None:
        found[c.CONVERSATION_ID] = root.thread_id
    if root.name and root.name != "LangGraph":
        found[c.AGENT_NAME] = root.name
    node = run.node_run if run is not None else None
    if node is not None:
        found |= _present({c.NODE: node.node, c.STEP: node.step, c.TASK: node.ns})
    if run is not None:
        run.common = found
    return found


def _present(attributes: Attributes) -> Attributes:
    return {name: value for name, value in attributes.items() if value is not None}


def failure_tuple(
    failure: Failure, ledger: Ledger, full: bool, key: str | None = None
) -> tuple[str, str, str | None]:
    """(type, message, stack), redacted. Without content: the type alone."""
    if not full:
        return failure.type, "", None
    message = ledger.text("error", failure.message, key, MESSAGE_CHARS)
    return failure.type, message, ledger.text("error", failure.stack(), key, STACK_CHARS)


def _failure_json(
    failure: Failure | None, ledger: Ledger, full: bool, key: str
) -> dict[str, str | None] | None:
    if failure is None:
        return None
    return dict(zip(("type", "message", "stack"), failure_tuple(failure, ledger, full, key), strict=True))


# --- one attempt


def _call_attributes(a: Attempt) -> Attributes:
    call = a.call
    found = common(a.root, a.run) | {
        c.OPERATION: c.EXECUTE_TOOL,
        c.TOOL_NAME: a.tool,
        c.TOOL_TYPE: "function",
        c.CALL_KEY: call.key,
        c.ATTEMPT_CAUSE: a.cause,
        c.THREAD_NAME: a.thread_name,
    }
    if call.id:
        found[c.TOOL_CALL_ID] = call.id
    else:
        found[c.ID_ABSENT] = "null" if call.id is None else "empty"
    if call.parent_key is not None:
        found[c.PARENT_KEY] = call.parent_key
    if a.arguments is not None:
        found[c.TOOL_CALL_ARGUMENTS] = a.arguments
    if a.arguments_bytes is not None:
        found[c.ARGUMENTS_BYTES] = a.arguments_bytes
    return found


def started(a: Attempt, full: bool) -> SpanData:
    attributes = _call_attributes(a)
    attributes[c.RECORD] = c.RECORD_STARTED
    attributes[c.STARTED_SPAN_ID] = f"{a.span.context.span_id:016x}"
    if (call := a.call).message_id is not None:  # its turn may be lost with the process
        attributes |= _present({
            c.MESSAGE_ID: call.message_id,
            c.POSITION: call.position,
            c.GROUP_ID: call.group_id,
            c.GROUP_SIZE: call.group_size,
        })  # fmt: skip
    return _finish(f"execute_tool {a.tool}", attributes, a.ledger, full, a.span.start_ns)


def attempt(a: Attempt, full: bool) -> SpanData:
    found = _call_attributes(a) | _present({
        c.RECORD: c.RECORD_ATTEMPT,
        c.ATTEMPT_OUTCOME: a.outcome,
        c.BODY_RAN: a.body_ran,
        c.ATTEMPT_LATE: a.late or None,
        c.HANDLED_BY: "tool" if a.handled is not None else None,
        c.ARGUMENTS_INJECTED: a.injected or None,
        c.TOOL_DESCRIPTION: a.description,
    })  # fmt: skip
    if full:
        found |= _contents(a)
    _result(a, found, full)
    failed = a.outcome in {"tool_error", "invalid_args", "cancelled"}
    failure = None
    if a.failure is not None and a.outcome != "interrupted":
        failure = failure_tuple(a.failure, a.ledger, full)
        found[c.ERROR_TYPE] = failure[0]
    elif a.outcome == "tool_error":
        found[c.ERROR_TYPE] = "tool_error"
    data = _finish(f"execute_tool {a.tool}", found, a.ledger, full, a.ended_ns or a.span.start_ns)
    data.failure, data.failed = failure, failed
    return data


def _contents(a: Attempt) -> Attributes:
    found: Attributes = {}
    if a.validated is not None:
        same = a.validated == a.arguments_plain
        validated = a.arguments if same else to_json(a.ledger.plain_value("arguments", a.validated))
        found[c.ARGUMENTS_VALIDATED] = validated
    if a.interrupt is not None:
        found[c.INTERRUPT_VALUE] = to_json(a.ledger.plain_value("interrupt", a.interrupt[0]))
    if a.resume is not None:
        found[c.RESUME_VALUE] = to_json(a.ledger.plain_value("resume", a.resume[0]))
    return found


def _result(a: Attempt, found: Attributes, full: bool) -> None:
    if a.problems:
        problems = a.ledger.plain_value("error", a.problems) if full else a.problems
        found[c.ARGUMENTS_PROBLEMS] = to_json(problems)
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


# --- several calls


def step(
    run: Run, outcome: str, answers: list[Attributes], orphans: list[Attributes], end: Closing
) -> SpanData:
    ledger, full = end.ledger, end.full
    found = common(run.root, run) | {c.RECORD: c.RECORD_STEP, c.OUTCOME: outcome}
    dispatches = [_dispatch(d, ledger, full) for d in run.dispatches]
    answered = _answers(answers, ledger, full)
    found |= _lists(
        {c.DISPATCHES: dispatches, c.ANSWERS: answered, c.ORPHANS: _orphans(orphans, ledger, full)}
    )
    if end.failure is not None and outcome == "error":
        found[c.ERROR_TYPE] = end.failure.type
    data = _finish(f"step {run.node or 'tools'}", found, ledger, full, end.end_ns)
    data.failed = outcome == "error"
    return data


def _lists(values: dict[str, list[Attributes]]) -> Attributes:
    return {name: to_json(items) for name, items in values.items() if items}


def _dispatch(d: Dispatch, ledger: Ledger, full: bool) -> Attributes:
    call, told = d.call, None
    if full and not call.announced:
        told = ledger.json("arguments", call.arguments, call.key)
    interrupt = None
    if d.interrupt is not None:
        interrupt = to_json(ledger.plain_value("interrupt", d.interrupt[0], call.key)) if full else "null"
    return {
        "key": call.key,
        "id": call.id,
        "name": call.name,
        "arguments": told,
        "message_id": call.message_id,
        "position": call.position,
        "group_id": call.group_id,
        "group_size": call.group_size,
        "parent_key": call.parent_key,
        "started_ns": d.started_ns,
        "ended_ns": d.ended_ns,
        "cause": d.cause,
        "node_attempt": d.node_attempt,
        "unknown": d.unknown,
        "handled_by": d.handled_by,
        "error": _failure_json(d.error, ledger, full, call.key) if d.interrupt is None else None,
        "masked": _failure_json(d.masked, ledger, full, call.key),
        "handler_did_not_match": d.handler_did_not_match,
        "interrupt": interrupt,
        "attempts": [f"{a.span.context.span_id:016x}" for a in d.attempts],
        "state": d.state,
    }


def answer(call: CallInfo, shown: Shown, by: str, delivered: bool, at_ns: int) -> Attributes:
    """An answer whose text is not yet redacted."""
    return {"call": call, "shown": shown, "by": by, "delivered": delivered, "at_ns": at_ns}


def orphan(tool_call_id: str | None, name: str | None, shown: Shown) -> Attributes:
    """An orphan whose text is not yet redacted."""
    return {"id": tool_call_id or "", "name": name, "status": shown.status or "success", "shown": shown}


def _orphans(orphans: Iterable[Attributes], ledger: Ledger, full: bool) -> list[Attributes]:
    return [
        {name: value for name, value in item.items() if name != "shown"}
        | {"content": ledger.text("answer", item["shown"].text) if full and item["shown"].text else None}
        for item in orphans
    ]


def _answers(answers: Iterable[Attributes], ledger: Ledger, full: bool) -> list[Attributes]:
    return [_answer(item["call"], item["shown"], item, ledger, full) for item in answers]


def _answer(call: CallInfo, shown: Shown, item: Attributes, ledger: Ledger, full: bool) -> Attributes:
    same = shown.same_text(call.result)
    content = None
    if same:
        ledger.note("answer", call.result_hits, call.key)
    elif full and shown.text is not None:
        content = ledger.text("answer", shown.text, call.key)
    return {
        "key": call.key,
        "id": call.id,
        "status": shown.status or "success",
        "content": content,
        "parts": list(shown.parts),
        "bytes": shown.bytes,
        "truncated": shown.truncated,
        "same_as_result": same and full,
        "by": item["by"],
        "delivered": item["delivered"],
        "at_ns": item["at_ns"],
    }


def turn(
    run: Run,
    seen: list[tuple[str, Shown, bool]],
    asked: list[Attributes],
    attributes: Attributes,
    end: Closing,
) -> SpanData:
    """seen: key of the call, what the model was shown of it, and whether that is what its answer said."""
    root, ledger, full = run.root, end.ledger, end.full
    found = common(root, run) | {c.RECORD: c.RECORD_TURN, c.OPERATION: c.CHAT} | _present(attributes)
    sights = [
        {
            "key": key,
            "content": ledger.text("answer", shown.text, key) if full and not known and shown.text else None,
            "status": shown.status,
        }
        for key, shown, known in seen
    ]
    found |= _lists({c.REQUESTS: requests(asked, ledger, full), c.SEEN: sights})
    name = f"chat {attributes.get(c.REQUEST_MODEL) or ''}".strip()
    data = _failed(name, found, end)
    data.kind = SpanKind.CLIENT
    return data


def _failed(name: str, found: Attributes, end: Closing) -> SpanData:
    """A record that failed with end.failure, if there is one."""
    failure = None
    if end.failure is not None:
        failure = failure_tuple(end.failure, end.ledger, end.full)
        found[c.ERROR_TYPE] = failure[0]
    data = _finish(name, found, end.ledger, end.full, end.end_ns)
    data.failure, data.failed = failure, failure is not None
    return data


def requests(asked: list[Attributes], ledger: Ledger, full: bool) -> list[Attributes]:
    """asked: wire shapes whose "arguments" are still values, and whose "raw" is not yet redacted."""
    return [_request(dict(item), ledger, full) for item in asked]


def _request(item: Attributes, ledger: Ledger, full: bool) -> Attributes:
    arguments, raw, error, key = item["arguments"], item["raw"], item["error"], item["key"]
    if not full:
        return item | {"arguments": None, "raw": None, "error": None}
    if isinstance(arguments, str):
        item["arguments"] = ledger.text("arguments", arguments, key)
    else:
        item["arguments"] = to_json(ledger.plain_value("arguments", arguments, key))
    item["raw"] = ledger.text("arguments", raw, key) if raw is not None else None
    item["error"] = ledger.text("error", error, key, MESSAGE_CHARS) if error is not None else None
    if item["raw"] == item["arguments"]:
        item["raw"] = None
    return item


@dataclass(frozen=True, slots=True)
class RunContents:
    """What only the outermost run can tell."""

    asked: list[Attributes]
    answers: list[Attributes]
    orphans: list[Attributes]
    keys: tuple[str, ...]


def run(root: Root, outcome: str, told: RunContents, end: Closing) -> SpanData:
    ledger, full = end.ledger, end.full
    found = common(root, None) | {c.RECORD: c.RECORD_RUN, c.OPERATION: c.INVOKE_AGENT, c.OUTCOME: outcome}
    found |= {c.CALLS: told.keys} if told.keys else {}
    asked, answered = requests(told.asked, ledger, full), _answers(told.answers, ledger, full)
    orphans = _orphans(told.orphans, ledger, full)
    found |= _lists({c.REQUESTS: asked, c.ANSWERS: answered, c.ORPHANS: orphans})
    return _failed(f"invoke_agent {root.name or 'graph'}", found, end)


def alive(keys: tuple[str, ...], dropped: int, missing: tuple[str, ...], now_ns: int) -> SpanData:
    found: Attributes = {c.RECORD: c.RECORD_ALIVE, c.FRAMEWORK: FRAMEWORK}
    found |= {c.CALLS: keys} if keys else {}
    found |= {c.DROPPED: dropped} if dropped else {}
    found |= {c.MISSING_HOOKS: missing} if missing else {}
    return SpanData("toolwatch.alive", found, now_ns)


def _finish(name: str, found: Attributes, ledger: Ledger, full: bool, end_ns: int) -> SpanData:
    if not full:
        found[c.CONTENT_CAPTURED] = False
    marks = ledger.dump()
    if marks is not None:
        found[c.REDACTIONS] = marks
    return SpanData(name, found, end_ns)
