"""The records of several calls: a model's turn, a node's step, an outermost run, a sign of life."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from opentelemetry.trace import SpanKind

from toolwatch import conventions as c
from toolwatch._failures import MESSAGE_CHARS, Failure
from toolwatch._records import CallInfo, Dispatch, Root, Run
from toolwatch._redact import Ledger, to_json
from toolwatch._render import FRAMEWORK, Attributes, Closing, common, failure_tuple, note, present
from toolwatch._results import Shown
from toolwatch._spans import Part, SpanData

NAMES: Final = (c.PROVIDER, c.REQUEST_MODEL, c.RESPONSE_MODEL)


def step(
    run: Run, outcome: str, answers: list[Attributes], orphans: list[Attributes], end: Closing
) -> SpanData:
    ledger, full = end.ledger, end.full
    found: Attributes = {c.RECORD: c.RECORD_STEP, c.OUTCOME: outcome}
    dispatches = [_dispatch(d, ledger, full) for d in run.dispatches]
    answered = _answers(answers, ledger, full)
    found |= _lists(
        {c.DISPATCHES: dispatches, c.ANSWERS: answered, c.ORPHANS: _orphans(orphans, ledger, full)}
    )
    if end.failure is not None and outcome == "error":
        found[c.ERROR_TYPE] = end.failure.type
    note(found, ledger, full)
    parts = (common(run.root, run),)
    return SpanData(f"step {run.node or 'tools'}", found, end.end_ns, parts, failed=outcome == "error")


def _lists(values: dict[str, list[Attributes]]) -> Attributes:
    return {name: to_json(items) for name, items in values.items() if items}


def _dispatch(d: Dispatch, ledger: Ledger, full: bool) -> Attributes:
    call, told = d.call, None
    if full and not call.announced:
        told = ledger.json("arguments", call.arguments, call.key)
    interrupt = None
    if d.interrupt is not None:
        interrupt = ledger.safe_json("interrupt", d.interrupt[0], call.key) if full else "null"
    return {
        "key": call.key,
        "id": call.id,
        "name": _name(call.name, ledger, call.key),
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
        "raised_by_wrapper": d.raised_by_wrapper,
        "handled_by": d.handled_by,
        "error": _failure_json(d.error, ledger, full, call.key) if d.interrupt is None else None,
        "masked": _failure_json(d.masked, ledger, full, call.key),
        "handler_did_not_match": d.handler_did_not_match,
        "interrupt": interrupt,
        "taken_up": d.taken_up,
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
        | {
            "name": _name(item["name"], ledger),
            "content": ledger.text("answer", item["shown"].text) if full and item["shown"].text else None,
        }
        for item in orphans
    ]


def _name(name: str | None, ledger: Ledger, key: str | None = None) -> str | None:
    return None if name is None else ledger.name(name, key)


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
    found = {c.RECORD: c.RECORD_TURN, c.OPERATION: c.CHAT} | present(attributes)
    found |= {name: ledger.name(found[name]) for name in NAMES if name in found}
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
    data = _failed(name, found, end, common(root, run))
    data.kind = SpanKind.CLIENT
    return data


def _failed(name: str, found: Attributes, end: Closing, where: Part) -> SpanData:
    """A record that failed with end.failure, if there is one."""
    failure = None
    if end.failure is not None:
        failure = failure_tuple(end.failure, end.ledger, end.full)
        found[c.ERROR_TYPE] = failure[0]
    note(found, end.ledger, end.full)
    return SpanData(name, found, end.end_ns, (where,), failure, failure is not None)


def requests(asked: list[Attributes], ledger: Ledger, full: bool) -> list[Attributes]:
    """asked: wire shapes whose "arguments" are still values, and whose "raw" is not yet redacted."""
    return [_request(dict(item), ledger, full) for item in asked]


def _request(item: Attributes, ledger: Ledger, full: bool) -> Attributes:
    item["name"] = _name(item["name"], ledger, item["key"])
    arguments, raw, error, key = item["arguments"], item["raw"], item["error"], item["key"]
    if not full:
        return item | {"arguments": None, "raw": None, "error": None}
    if isinstance(arguments, str):
        item["arguments"] = ledger.text("arguments", arguments, key)
    else:
        item["arguments"] = ledger.safe_json("arguments", arguments, key)
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
    found: Attributes = {c.RECORD: c.RECORD_RUN, c.OPERATION: c.INVOKE_AGENT, c.OUTCOME: outcome}
    found |= {c.CALLS: told.keys} if told.keys else {}
    asked, answered = requests(told.asked, ledger, full), _answers(told.answers, ledger, full)
    orphans = _orphans(told.orphans, ledger, full)
    found |= _lists({c.REQUESTS: asked, c.ANSWERS: answered, c.ORPHANS: orphans})
    return _failed(f"invoke_agent {root.name or 'graph'}", found, end, common(root, None))


def alive(keys: tuple[str, ...], dropped: int, missing: tuple[str, ...], now_ns: int) -> SpanData:
    found: Attributes = {c.RECORD: c.RECORD_ALIVE, c.FRAMEWORK: FRAMEWORK}
    found |= {c.CALLS: keys} if keys else {}
    found |= {c.DROPPED: dropped} if dropped else {}
    found |= {c.MISSING_HOOKS: missing} if missing else {}
    return SpanData("toolwatch.alive", found, now_ns)


def _failure_json(
    failure: Failure | None, ledger: Ledger, full: bool, key: str
) -> dict[str, str | None] | None:
    if failure is None:
        return None
    return dict(zip(("type", "message", "stack"), failure_tuple(failure, ledger, full, key), strict=True))
