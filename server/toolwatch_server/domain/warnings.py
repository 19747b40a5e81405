"""What a call's own facts warn of, each warning in plain words.

Warnings that need other calls (id_reused, repeated_call, orphan_answer) are the store's.
"""

import json
from collections.abc import Callable
from typing import Final, TypeAlias

from toolwatch_server.domain.call import Attempt, Call, Warning_
from toolwatch_server.domain.sorted_facts import SortedFacts

CUT_REASONS: Final = frozenset({"length", "max_tokens", "MAX_TOKENS", "max_output_tokens"})
SKEW_NS: Final = 1_000_000_000  # clocks of one machine do not run apart by more than this
UNSEEN: Final = frozenset({"redaction-limit", "failed"})  # removed unread, which says nothing about a secret
RETRIES: Final = frozenset({"wrapper_retry", "node_retry", "rerun"})

Rule: TypeAlias = Callable[[Call, SortedFacts], "str | None"]


def warnings_of(call: Call, known: SortedFacts) -> tuple[Warning_, ...]:
    """In the order of the list below, which is the order of urgency."""
    found = ((code, rule(call, known)) for code, rule in RULES)
    return tuple(Warning_(code=code, text=text) for code, text in found if text is not None)


def _again_after_resume(call: Call, _: SortedFacts) -> str | None:
    again = any(
        attempt.cause == "resume" and attempt.body_ran and any(a.outcome == "ok" for a in before)
        for before, attempt in _with_predecessors(call)
    )
    return (
        f"It had finished, and ran again when the run was resumed: {call.executions} executions."
        if again
        else None
    )


def _again_after_retry(call: Call, _: SortedFacts) -> str | None:
    again = any(
        attempt.cause in RETRIES and attempt.body_ran and any(a.body_ran for a in before)
        for before, attempt in _with_predecessors(call)
    )
    if not again:
        return None
    return f"The tool's code ran {call.executions} times for one request; so may its effects have."


def _with_predecessors(call: Call) -> list[tuple[tuple[Attempt, ...], Attempt]]:
    return [(call.attempts[:index], attempt) for index, attempt in enumerate(call.attempts)]


def _secret(call: Call, known: SortedFacts) -> str | None:
    if not known.answers and not known.shown:
        return None
    rules = sorted({mark.rule for mark in call.redactions if mark.where == "answer"} - UNSEEN)
    return f"What the model was told held a secret ({', '.join(rules)})." if rules else None


def _masked(call: Call, known: SortedFacts) -> str | None:
    told = call.told if call.told is not None else call.answer.content
    if call.error is None or told is None or call.outcome == "interrupted":
        return None
    wanted = call.error.message.strip() or call.error.type.rpartition(".")[2]
    if not wanted or _mentions(told, wanted, call.error.type):
        return None
    return f"The tool raised {call.error.type}; that is not in what the model was told."


def _mentions(told: str, message: str, error_type: str) -> bool:
    """Long messages are often rephrased by the framework: their first line is enough, or the type's name."""
    first_line = message.splitlines()[0]
    return first_line in told or error_type.rpartition(".")[2] in told or error_type == "ValidationError"


def _id_missing(call: Call, known: SortedFacts) -> str | None:
    if not known.tracked or (not known.requests and not known.dispatches):
        return None
    if call.tool_call_id is None:
        return "The model gave this call no id (null)."
    return "The model gave this call an empty id." if call.tool_call_id == "" else None


def _inner_validation(call: Call, _: SortedFacts) -> str | None:
    inner = any(
        a.body_ran and a.error is not None and a.error.type.rpartition(".")[2] == "ValidationError"
        for a in call.attempts
    )
    return "A validation error came from inside the tool, not from the model's arguments." if inner else None


def _not_delivered(call: Call, _: SortedFacts) -> str | None:
    finished = any(attempt.outcome == "ok" for attempt in call.attempts)
    lost = call.outcome in {"discarded", "unanswered", "cancelled", "invalid_result", "not_started"}
    return "The tool finished, but its result never reached the model." if finished and lost else None


def _handler(call: Call, known: SortedFacts) -> str | None:
    missed = any(dispatch.handler_did_not_match for dispatch in known.dispatches)
    return "An error handler is set, but it does not take errors of this type." if missed else None


def _output_cut(call: Call, known: SortedFacts) -> str | None:
    request = known.request
    if request is None:
        return None
    if request.finish_reason in CUT_REASONS:
        return f"The model's output was cut at its limit (finish reason {request.finish_reason})."
    if request.max_tokens and request.output_tokens and request.output_tokens >= request.max_tokens:
        return f"The model used {request.output_tokens} of {request.max_tokens} output tokens: perhaps cut."
    return None


def _repaired(call: Call, known: SortedFacts) -> str | None:
    repaired = any(request.repaired for request in known.requests)
    return (
        "The arguments were cut off; the framework completed the JSON, and the tool ran with it."
        if repaired
        else None
    )


def _double_encoded(call: Call, _: SortedFacts) -> str | None:
    value = call.arguments.value
    if isinstance(value, str) and _holds_json(value):
        return "The arguments are a text that holds JSON, not JSON."
    fields = [
        problem.field
        for problem in call.arguments.problems
        if isinstance(value, dict) and isinstance(sent := value.get(problem.field), str) and _holds_json(sent)
    ]
    return f"Sent as text that holds JSON: {', '.join(fields)}." if fields else None


def _holds_json(text: str) -> bool:
    if text[:1] not in {"{", "["}:
        return False
    try:
        return isinstance(json.loads(text), list | dict)
    except (ValueError, RecursionError):
        return False


def _after_run(call: Call, known: SortedFacts) -> str | None:
    for attempt in call.attempts:
        ends = [end.at_ns for end in known.run_ends if end.origin.trace_id == attempt.trace_id]
        if attempt.late or any(_spans(attempt, end_ns) for end_ns in ends):
            return "The tool was still running when its run had ended."
    return None


def _spans(attempt: Attempt, moment_ns: int) -> bool:
    return attempt.started_ns < moment_ns and (attempt.ended_ns is None or attempt.ended_ns > moment_ns)


def _run_crashed(call: Call, known: SortedFacts) -> str | None:
    if call.run_outcome != "crashed" or (call.answer.delivered and not call.failed):
        return None
    return "This call's error ended it." if _is_to_blame(call, known) else "An error elsewhere ended it."


def _is_to_blame(call: Call, known: SortedFacts) -> bool:
    """A call that was cancelled with the run, or failed in another way than the run, did not end it."""
    if call.error is None or call.handled_by is not None or call.outcome == "cancelled":
        return False
    left = next((d.error for d in reversed(known.dispatches) if d.error is not None), call.error)
    ended_by = known.run_ends[-1].error_type if known.run_ends else None
    return ended_by is None or _last_name(left.type) == _last_name(ended_by)


def _last_name(error_type: str) -> str:
    return error_type.rpartition(".")[2]


def _step_limit(call: Call, _: SortedFacts) -> str | None:
    return "The run was ended by its step limit." if call.run_outcome == "step_limit" else None


def _not_captured(call: Call, known: SortedFacts) -> str | None:
    hidden = any(not attempt.content_captured for attempt in known.attempts)
    return (
        "The sender is set to send names only; arguments and results were not captured." if hidden else None
    )


def _clock_skew(call: Call, _: SortedFacts) -> str | None:
    backwards = any(a.ended_ns is not None and a.ended_ns < a.started_ns for a in call.attempts)
    requested_ns, started_ns = call.requested_ns, call.started_ns
    early = requested_ns is not None and started_ns is not None and started_ns < requested_ns - SKEW_NS
    return "Clocks disagree: something ended before it began." if backwards or early else None


RULES: Final[tuple[tuple[str, Rule], ...]] = (
    ("executed_again_after_resume", _again_after_resume),
    ("executed_again_after_retry", _again_after_retry),
    ("secret_reached_model", _secret),
    ("error_masked", _masked),
    ("not_delivered", _not_delivered),
    ("run_crashed", _run_crashed),
    ("step_limit", _step_limit),
    ("still_running_after_run", _after_run),
    ("inner_validation_error", _inner_validation),
    ("handler_did_not_match", _handler),
    ("output_cut", _output_cut),
    ("arguments_repaired", _repaired),
    ("double_encoded_arguments", _double_encoded),
    ("id_missing", _id_missing),
    ("content_not_captured", _not_captured),
    ("clock_skew", _clock_skew),
)
