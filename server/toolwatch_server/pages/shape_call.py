"""A call and its neighbours as the page of one call."""

import json
from collections.abc import Sequence

from toolwatch_server.domain.call import Call, Part
from toolwatch_server.domain.rows import CallRow, CallView
from toolwatch_server.domain.verdict import verdict
from toolwatch_server.pages import payloads, stack
from toolwatch_server.pages.shape_attempts import attempts_of
from toolwatch_server.pages.shape_rows import rows_of
from toolwatch_server.pages.steps import steps_of
from toolwatch_web import links, outside
from toolwatch_web.format import duration, plural, size, times
from toolwatch_web.models.call import CallPage, Failure, Related
from toolwatch_web.models.parts import Fact, Notice, Payload

NOT_CAPTURED = "Not captured by the sender."
SHOWN_MAX = 20


def call_page(view: CallView, link_templates: Sequence[tuple[str, str]] = ()) -> CallPage:
    call = view.call
    happened, told = _happened(call), _told(call)
    return CallPage(
        key=call.key,
        tool=call.tool,
        tool_call_id=call.tool_call_id,
        outcome=call.outcome,
        verdict=verdict(call),
        facts=_facts(call),
        notices=tuple(_notice(w.code, w.text, w.keys) for w in call.warnings),
        steps=steps_of(call),
        attempts=attempts_of(call),
        outside=outside.filled(link_templates, _places(call)),
        happened=happened,
        happened_title=_happened_title(call),
        told=told,
        told_title=f"{call.answer.status} message" if call.answer.status else "",
        differs=any(w.code == "error_masked" for w in call.warnings),
        parts=tuple(map(_part, call.answer.parts)),
        written=_written(call),
        received=_received(call),
        injected=call.arguments.injected,
        problems=tuple((p.field, p.reason, p.expected, p.received) for p in call.arguments.problems),
        failure=_failure(call),
        siblings=_siblings(view),
        related=tuple(_related(view)),
        redactions=tuple((r.where, r.rule, r.count) for r in call.redactions),
        details=tuple(_details(call)),
        trace_href=links.trace(call.trace_id) if call.trace_id else None,
        thread_href=links.thread(call.thread_id) if call.thread_id else None,
        running=call.outcome == "running",
    )


def _places(call: Call) -> dict[str, str | None]:
    """What a link to another tool may name. The span is that of the last attempt, where there is one."""
    first = call.requested_ns or call.started_ns
    last = call.attempts[-1] if call.attempts else None
    return {
        "trace_id": last.trace_id if last else call.trace_id,
        "span_id": last.span_id if last else call.span_id,
        "service": call.service,
        "environment": call.environment,
        "thread_id": call.thread_id,
        "run_id": call.run_id,
        "tool": call.tool,
        "tool_call_id": call.tool_call_id,
        **outside.around(first, call.answered_ns or call.ended_ns),
    }


def raw_href(call: Call, what: str) -> str:
    return f"{links.call(call.key)}/raw/{what}"


def raw_text(call: Call, what: str) -> str | None:
    """The whole of a value that a page previews: arguments, received, result, answer or error."""
    arguments, error = call.arguments, call.error
    texts = {
        "arguments": arguments.raw if arguments.raw is not None else _json(arguments.value),
        "received": _json(arguments.received if arguments.received is not None else arguments.validated),
        "result": call.result,
        "answer": call.told if call.told is not None else call.answer.content,
        "error": f"{error.type}: {error.message}\n\n{error.stack or ''}" if error else None,
    }
    return texts.get(what)


def _json(value: object) -> str | None:
    return None if value is None else json.dumps(value, indent=2, ensure_ascii=False, default=str)


def _facts(call: Call) -> tuple[Fact, ...]:
    again = "fail" if call.executions > 1 else ""
    took = "still running" if call.outcome == "running" else duration(call.duration_ms)
    facts = [
        Fact(
            label="Ran", text=times(call.executions), tone=again, title="How often the tool's body really ran"
        ),
        Fact(label="Took", text=took, title="The sum of what ran; waiting for a person is not in it"),
    ]
    if call.waited_ms:
        facts.append(Fact(label="Waited for a person", text=duration(call.waited_ms)))
    if call.agent:
        facts.append(Fact(label="Agent", text=call.agent))
    if call.thread_id:
        facts.append(Fact(label="Thread", text=call.thread_id, href=links.thread(call.thread_id), mono=True))
    for number, trace_id in enumerate(call.trace_ids, 1):
        label = "Trace" if len(call.trace_ids) == 1 else f"Trace {number}"
        facts.append(
            Fact(label=label, text=trace_id[:16], href=links.trace(trace_id), mono=True, title=trace_id)
        )
    first = call.requested_ns or call.started_ns or call.answered_ns
    if first is not None:
        facts.append(Fact(label="When", text="", at_ns=first))
    return tuple(facts)


def _notice(code: str, text: str, keys: Sequence[str]) -> Notice:
    shown = tuple((f"Call {number}", links.call(key)) for number, key in enumerate(keys[:5], 1))
    return Notice(code=code, text=text, links=shown)


def _happened(call: Call) -> Payload:
    if call.error is not None:
        return payloads.of_text(call.error.message, absent="", all_href=raw_href(call, "error"))
    if call.result is not None:
        return payloads.of_result(call.result, absent="", all_href=raw_href(call, "result"))
    if call.outcome == "interrupted":
        asked = next((a.interrupt for a in reversed(call.attempts) if a.interrupt is not None), None)
        return payloads.of_json(asked, absent="It waits for a person; what was asked is not known.")
    return Payload(
        absent="The tool returned nothing that was seen." if call.executions else "The tool did not run."
    )


def _happened_title(call: Call) -> str:
    if call.error is not None:
        return call.error.type
    if call.result is not None:
        return f"the tool returned {size(call.result_bytes)}"
    return "a person was asked" if call.outcome == "interrupted" else ""


def _told(call: Call) -> Payload:
    if call.answer.delivered is False:
        return Payload(absent="Nothing: the answer was thrown away before it reached the conversation.")
    text = call.told if call.told is not None else call.answer.content
    if text is not None and call.error is None and text == call.result:
        return Payload(absent="The same, word for word.")
    absent = "Nothing yet." if call.outcome in ("running", "interrupted") else "Nothing that was seen."
    return payloads.of_result(text, absent=absent, all_href=raw_href(call, "answer"))


def _part(part: Part) -> str:
    return f"{part.type}, {part.mime_type or 'type not given'}, {size(part.bytes)}; its bytes are not kept"


def _written(call: Call) -> Payload:
    arguments, href = call.arguments, raw_href(call, "arguments")
    if arguments.value is None:
        return payloads.of_text(arguments.raw, absent=NOT_CAPTURED, all_href=href)
    return payloads.of_value(
        arguments.value, bytes_=call.arguments_bytes, all_href=href, problems=arguments.problems
    )


def _received(call: Call) -> Payload:
    arguments = call.arguments
    value = arguments.received if arguments.received is not None else arguments.validated
    if value is not None:
        return payloads.of_value(value, bytes_=len(_json(value) or ""), all_href=raw_href(call, "received"))
    if not call.attempts or not call.executions:
        return Payload(absent="Nothing: the tool did not run.")
    return Payload(absent="The same.")


def _failure(call: Call) -> Failure | None:
    error = call.error
    if error is None:
        return None
    chain = stack.read(error.stack) if error.stack else ()
    return Failure(
        type=error.type,
        message=payloads.of_text(
            error.message, absent="It carries no message.", all_href=raw_href(call, "error")
        ),
        chain=chain,
        plain=error.stack[: payloads.PREVIEW_CHARS] if error.stack and not chain else None,
        stack_href=raw_href(call, "error") if error.stack else None,
    )


def _siblings(view: CallView) -> Related | None:
    if len(view.siblings) < 2:
        return None
    title, text = "Asked for in one message", plural(len(view.siblings), "call")
    return Related(title=title, text=text, rows=rows_of(view.siblings, current=view.call.key))


def _related(view: CallView) -> list[Related]:
    call = view.call
    same_id_href = links.calls(tool_call_id=call.tool_call_id) if call.tool_call_id else None
    groups = (
        ("Corrected by", "the next call of this tool after the refusal", _one(view.corrected_by), None),
        ("Corrects", "the call that was refused before", _one(view.corrects), None),
        ("Ran inside it", "calls that were made while this one ran", view.nested, None),
        ("Same arguments", "other calls of this tool in the same conversation", view.same_arguments, None),
        ("Same id", "other calls that carry this tool_call_id", view.same_id, same_id_href),
    )
    return [
        Related(
            title=title,
            text=text,
            rows=rows_of(rows[:SHOWN_MAX]),
            more_href=href if len(rows) > SHOWN_MAX else None,
        )
        for title, text, rows, href in groups
        if rows
    ]


def _one(row: CallRow | None) -> tuple[CallRow, ...]:
    return () if row is None else (row,)


# How a run that another SDK reported was found to answer its request.
LINKED_BY = {
    "id": "its id",
    "name_and_arguments": "tool and arguments (inferred: the run gives no id)",
    "order": "tool and order (a guess: arguments are not known)",
}


def _details(call: Call) -> list[Fact]:
    texts = (
        ("Key", call.key),
        ("Run", call.run_id),
        ("Message", call.message_id),
        ("Node", call.node),
        ("Service", call.service),
        ("Environment", call.environment),
        ("Process", call.instance_id),
        ("Framework", call.framework),
        ("SDK", call.sdk),
        ("Joined to its request by", LINKED_BY.get(call.linked_by or "")),
        ("Handled by", call.handled_by),
        ("Run ended", call.run_outcome),
    )
    facts = [Fact(label=label, text=text, mono=True) for label, text in texts if text]
    if call.parent_key:
        facts.append(
            Fact(label="Inside the call", text=call.parent_key, href=links.call(call.parent_key), mono=True)
        )
    facts.append(Fact(label="Arguments", text=size(call.arguments_bytes)))
    facts.append(Fact(label="Result", text=size(call.result_bytes)))
    return facts
