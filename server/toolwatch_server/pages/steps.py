"""The seven steps of a call: requested, parsed, validated, executed, error handling, answer, delivered."""

from typing import Final

from toolwatch_server.domain.call import Call
from toolwatch_web.format import duration, plural, ran_how_often, since, size
from toolwatch_web.models.call import Step

NEVER_RAN: Final = frozenset(
    {"invalid_args", "inject_error", "unknown_tool", "malformed", "not_started", "rejected"}
)
_NOT_VALIDATED: Final = frozenset(
    {"unknown_tool", "malformed", "not_started", "rejected", "answered", "external"}
)


def steps_of(call: Call) -> tuple[Step, ...]:
    return (
        _requested(call),
        _parsed(call),
        _validated(call),
        _executed(call),
        _handled(call),
        _answered(call),
        _delivered(call),
    )


def _requested(call: Call) -> Step:
    if call.requested_ns is None and call.message_id is None:
        return Step(name="Requested", state="unknown", text="The model's request was not seen.")
    place = ""
    if call.group and call.position is not None and call.group.size > 1:
        place = f"Number {call.position + 1} of {call.group.size} in one message."
    finish = f" The model stopped with “{call.finish_reason}”." if call.finish_reason else ""
    after = "start" if call.requested_ns is not None else ""
    return Step(name="Requested", state="done", text=place + finish, at_ns=call.requested_ns, after=after)


def _parsed(call: Call) -> Step:
    if call.outcome == "malformed":
        reasons = "; ".join(problem.reason for problem in call.arguments.problems)
        return Step(name="Parsed", state="failed", text=reasons or "The model's text is not JSON.")
    if any(warning.code == "arguments_repaired" for warning in call.warnings):
        return Step(
            name="Parsed", state="done", text="The JSON was cut off and was completed by the framework."
        )
    known = call.arguments.value is not None or call.arguments.raw is not None or call.attempts
    text = f"JSON, {size(call.arguments_bytes)}." if call.arguments_bytes else ""
    return Step(name="Parsed", state="done" if known else "unknown", text=text)


def _validated(call: Call) -> Step:
    if call.outcome == "invalid_args":
        problems = call.arguments.problems
        return Step(
            name="Validated", state="failed", text="; ".join(f"{p.field}: {p.reason}" for p in problems[:3])
        )
    if call.outcome == "inject_error":
        return Step(name="Validated", state="failed", text="State, store or runtime could not be injected.")
    if call.outcome in _NOT_VALIDATED:
        text = "There is no tool of that name." if call.outcome == "unknown_tool" else ""
        return Step(name="Validated", state="failed" if text else "skipped", text=text)
    ran = any(attempt.body_ran for attempt in call.attempts)
    return Step(name="Validated", state="done" if ran else "unknown", text="")


def _executed(call: Call) -> Step:
    state = {"running": "running", "interrupted": "waiting", "external": "unknown", "unknown": "unknown"}.get(
        call.outcome
    )
    if state is None:
        state = "unknown" if call.outcome == "abandoned" else "failed" if _body_failed(call) else "done"
        if not call.executions:
            state = "skipped"
    return Step(
        name="Executed",
        state=state,
        text=_ran(call),
        at_ns=call.started_ns,
        after=since(call.requested_ns, call.started_ns),
    )


def _body_failed(call: Call) -> bool:
    last = call.attempts[-1] if call.attempts else None
    return last is not None and last.outcome != "ok"


def _ran(call: Call) -> str:
    if call.outcome == "external":
        return "By the model's provider, out of sight."
    ran = f"The tool's body {ran_how_often(call.executions)}"
    took = (
        f", {duration(call.duration_ms)} in all" if call.duration_ms is not None and call.executions else ""
    )
    waited = f", and waited {duration(call.waited_ms)} for a person" if call.waited_ms else ""
    only = call.attempts[0] if len(call.attempts) == 1 else None
    where = f" Thread {only.thread_name}." if only and only.thread_name else ""
    return f"{ran}{took}{waited}.{where}"


def _handled(call: Call) -> Step:
    name = "Error handling"
    if call.error is None and not call.failed:
        return Step(name=name, state="skipped", text="There was no error to handle.")
    if call.handled_by is not None:
        who = {"tool": "the tool itself", "toolnode": "its ToolNode", "wrapper": "a wrapper"}.get(
            call.handled_by, call.handled_by
        )
        return Step(name=name, state="done", text=f"Turned into an answer by {who}.")
    if call.outcome in ("running", "unknown", "abandoned"):
        return Step(name=name, state="unknown", text="")
    if call.error is None:
        return Step(name=name, state="skipped", text="No error reached a handler.")
    if call.outcome == "ok":
        return Step(name=name, state="done", text="A later attempt succeeded.")
    return Step(name=name, state="failed", text=f"Nobody handled {call.error.type}.")


def _answered(call: Call) -> Step:
    answer = call.answer
    if answer.status is None and answer.content is None and call.answered_ns is None:
        state = {
            "running": "running",
            "interrupted": "waiting",
            "unknown": "unknown",
            "external": "unknown",
        }.get(call.outcome, "missing")
        return Step(
            name="Answer", state=state, text="No message answers this call." if state == "missing" else ""
        )
    parts = f" with {plural(len(answer.parts), 'part')}" if answer.parts else ""
    text = f"{'An error' if answer.status == 'error' else 'A success'} message, {size(answer.bytes)}{parts}."
    after = since(call.requested_ns, call.answered_ns)
    return Step(name="Answer", state="done", text=text, at_ns=call.answered_ns, after=after)


def _delivered(call: Call) -> Step:
    if call.seen_ns is not None:
        text = "A later request showed it to the model."
        return Step(
            name="Delivered",
            state="done",
            text=text,
            at_ns=call.seen_ns,
            after=since(call.requested_ns, call.seen_ns),
        )
    if call.answer.delivered is False:
        return Step(
            name="Delivered",
            state="failed",
            text="The answer was thrown away before it reached the conversation.",
        )
    if call.answer.delivered:
        return Step(
            name="Delivered",
            state="done",
            text="It stands in the conversation; no later request of the model was seen.",
        )
    state = {"running": "running", "interrupted": "waiting"}.get(
        call.outcome, "missing" if call.failed else "unknown"
    )
    return Step(
        name="Delivered", state=state, text="Nothing reached the model." if state == "missing" else ""
    )
