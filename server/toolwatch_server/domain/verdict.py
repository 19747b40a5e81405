"""What became of a call, as one sentence that a tired person understands."""

from collections.abc import Callable
from typing import Final

from toolwatch_server.domain.answers import FROM_STATE
from toolwatch_server.domain.call import Call
from toolwatch_server.domain.question import question_text
from toolwatch_server.domain.wording import QUOTE_CHARS, clip, quote, short, times

OK_QUOTE_CHARS: Final = 50  # a result is read below the sentence
_NUMBERS: Final = {0: "never ran", 1: "ran once", 2: "ran twice"}
_NOTHING: Final = "the model was told nothing"
_SOMETHING: Final = "something else"
_RAN_AGAIN: Final = frozenset({"executed_again_after_resume", "executed_again_after_retry"})


def verdict(call: Call) -> str:
    """What happened, what the model was told, how often the tool ran; then what is dangerous about it."""
    main = _SENTENCES.get(call.outcome, _unknown)(call)
    sentence = "; ".join([main, *_dangers(call)])
    named = call.tool is not None and sentence.startswith(call.tool)
    return (sentence if named else sentence[:1].upper() + sentence[1:]) + "."


def _tool(call: Call) -> str:
    return call.tool or "a tool without a name"


def _ok(call: Call) -> str:
    failed = [attempt for attempt in call.attempts if attempt.outcome not in ("ok", "interrupted")]
    paused = any(attempt.outcome == "interrupted" for attempt in call.attempts)
    thrown = sum(attempt.discarded for attempt in call.attempts)
    parts = [f"{_tool(call)} succeeded"]
    if failed:
        parts = [f"{_tool(call)} succeeded on attempt {len(call.attempts)} after {_failures(call)}"]
    elif thrown:
        parts = [f"{_tool(call)} succeeded, but {_thrown(thrown)} thrown away and it ran again"]
    elif paused:
        parts = [f"{_tool(call)} succeeded after a person answered"]
    return "; ".join([*parts, *_told(call, OK_QUOTE_CHARS), _ran(call)])


def _thrown(number: int) -> str:
    return "an earlier result was" if number == 1 else f"{number} earlier results were"


def _failures(call: Call) -> str:
    types = [short(a.error.type) for a in call.attempts if a.outcome not in ("ok", "interrupted") and a.error]
    if not types:
        return "earlier failures"
    return f"{types[-1]} {times(len(types))}" if len(set(types)) == 1 else " and ".join(dict.fromkeys(types))


def _tool_error(call: Call) -> str:
    if call.error is None:
        return "; ".join([f"{_tool(call)} answered with an error of its own", *_told(call), _ran(call)])
    raised = f"{_tool(call)} raised {short(call.error.type)}{_on_attempts(call)}"
    told = _told(call) or [_nobody(call)]
    return "; ".join([raised, *told, _ran(call)])


def _on_attempts(call: Call) -> str:
    number = len(call.attempts)
    if number < 2:
        return ""
    same = all(a.error is not None and call.error and a.error.type == call.error.type for a in call.attempts)
    return (
        f" on {'both' if number == 2 else f'all {number}'} attempts"
        if same
        else f" on attempt {number} of {number}"
    )


def _nobody(call: Call) -> str:
    if call.run_outcome == "crashed":
        return "nobody handled it, and the run crashed"
    return "the model was told nothing"


def _invalid_args(call: Call) -> str:
    problems = call.arguments.problems
    fields = "; ".join(f"{problem.field}: {problem.reason}" for problem in problems[:2])
    more = f" and {len(problems) - 2} more" if len(problems) > 2 else ""
    what = f" ({clip(fields)}{more})" if fields else ""
    told = ["the model was told so"] if _tells_problems(call) else _told(call)
    return "; ".join([f"the arguments for {_tool(call)} failed validation{what}", *told, _ran(call)])


def _tells_problems(call: Call) -> bool:
    """Whether the model was told of every field: then the sentence need not say it again."""
    text = call.told if call.told is not None else call.answer.content
    problems = call.arguments.problems
    return bool(problems) and text is not None and all(problem.field in text for problem in problems)


def _inject_error(call: Call) -> str:
    return _never(call, f"{_tool(call)} could not be given its state, store or runtime{_because(call)}")


def _invalid_result(call: Call) -> str:
    return "; ".join(
        [
            f"{_tool(call)} finished, but what it returned was refused{_because(call)}",
            *_told_or_crashed(call),
            _ran(call),
        ]
    )


def _unknown_tool(call: Call) -> str:
    return _never(call, f"the model asked for {_tool(call)}, and there is no such tool")


def _malformed(call: Call) -> str:
    where = next((p.reason.removeprefix("not JSON: ") for p in call.arguments.problems if p.reason), "")
    broken = f" ({clip(where)})" if where else ""
    sentence = _never(call, f"the arguments the model wrote for {_tool(call)} are not JSON{broken}")
    alone = call.run_outcome == "ok" and call.answer.status is None
    return f"{sentence}; the run ended without an answer to it" if alone else sentence


def _interrupted(call: Call) -> str:
    if call.attempts and call.attempts[-1].outcome == "ok":
        again = "its node is paused and waits for a person; it will run again when that is over"
        return f"{_tool(call)} finished, but {again}; {_ran(call, so_far=True)}"
    asked = next((a.interrupt for a in reversed(call.attempts) if a.interrupt is not None), call.question)
    question = f": {quote(question_text(asked, call))}" if asked else ""
    begun = f"; its code has run {times(call.executions)}, up to the question" if call.executions else ""
    return f"{_tool(call)} is paused and waits for a person{question}{begun}"


def _cancelled(call: Call) -> str:
    when = "was cancelled while it ran" if call.executions else "was cancelled before it could start"
    if call.answer.status is not None and call.attempts and call.attempts[-1].late:
        when = "was not waited for, and its code ran on"
    told = _told(call) or [_NOTHING]
    ran = f"what it had done by then is done; {_ran(call)}" if call.executions else _ran(call)
    return "; ".join([f"{_tool(call)} {when}", *told, ran])


def _discarded(call: Call) -> str:
    reason = "a sibling failed" if _has_siblings(call) else "its step failed"
    if call.run_outcome in {"ok", "cancelled"}:
        reason = "the run was cancelled" if call.run_outcome == "cancelled" else "its step was not kept"
    thrown = f"{_tool(call)} finished, but its result was thrown away because {reason}"
    return "; ".join([thrown, *_told_or_crashed(call, _NOTHING), _ran(call)])


def _not_started(call: Call) -> str:
    first = "a sibling's failure came first" if _has_siblings(call) else "the run failed first"
    return _never(call, f"{_tool(call)} was due, but {first}")


def _has_siblings(call: Call) -> bool:
    return call.group is None or call.group.size > 1


def _answered(call: Call) -> str:
    who = {None: _SOMETHING, FROM_STATE: _SOMETHING, "wrapper": "a wrapper", "tool": _SOMETHING}.get(
        call.answer.by, call.answer.by
    )
    ran = f"{_tool(call)} never ran" if call.dispatched_ns else f"no run of {_tool(call)} was seen"
    if call.executions:
        ran = f"{_tool(call)} was paused and did not go on"
    return "; ".join([f"{ran}: {who} answered in its place", *_told(call)])


def _rejected(call: Call) -> str:
    by = f" by {call.answer.by}" if call.answer.by not in (None, FROM_STATE) else ""
    when = "while it was paused" if call.executions else "before it could run"
    return _never(call, f"{_tool(call)} was refused{by} {when}")


def _unanswered(call: Call) -> str:
    started = f"no answer to {_tool(call)} ever came back"
    return f"{started}; {_ran(call)}; the next request of this conversation may be refused for it"


def _running(call: Call) -> str:
    started = call.attempts or call.started_ns
    return (
        f"{_tool(call)} is running now; {_ran(call, so_far=True)}"
        if started
        else f"{_tool(call)} is about to run"
    )


def _abandoned(call: Call) -> str:
    if not call.attempts:
        return f"{_tool(call)} was asked for and its process is gone; no start of it was ever reported"
    gone = f"{_tool(call)} started, and then its process was gone; whether it finished is not known"
    if call.executions < 2:
        return f"{gone}; its side effects may have happened"
    return f"{gone}; the tool may have run {times(call.executions)}"


def _external(call: Call) -> str:
    return "; ".join([f"{_tool(call)} was run by the model's provider, out of sight", *_told(call)])


def _unknown(call: Call) -> str:
    return f"what became of {_tool(call)} is not known: the sender's data do not say"


def _never(call: Call, what: str) -> str:
    return "; ".join([what, *_told_or_crashed(call), _ran(call)])


def _told_or_crashed(call: Call, *otherwise: str) -> list[str]:
    """What the model was told; where it was told nothing because the run crashed, that."""
    crashed = "the run crashed before the model was told anything"
    return _told(call) or ([crashed] if call.run_outcome == "crashed" else list(otherwise))


def _because(call: Call) -> str:
    return f" ({short(call.error.type)})" if call.error else ""


def _told(call: Call, chars: int = QUOTE_CHARS) -> list[str]:
    """What the model was told, in quotes; nothing when that is not known."""
    if call.answer.delivered is False:
        return ["its answer never reached the model"]
    text = call.told if call.told is not None else call.answer.content
    if text is None:
        return []
    whom = "the model was told" if call.told is not None else "the answer was"
    return [f"{whom} {quote(text, chars)}" if text.strip() else f"{whom} nothing but an empty text"]


def _ran(call: Call, *, so_far: bool = False) -> str:
    number = call.executions
    said = f"the tool {_NUMBERS.get(number, f'ran {number} times')}"
    return said + (" so far" if so_far and number else "")


def _dangers(call: Call) -> list[str]:
    codes = {warning.code for warning in call.warnings}
    dangers = [sentence for code, sentence in _DANGERS if code in codes]
    if rules := _leaked(call):
        dangers = [rules if danger == _LEAK else danger for danger in dangers]
    if codes & _RAN_AGAIN and call.executions > 1:
        dangers.insert(0, f"its side effects may have happened {times(call.executions)}")
    return dangers


def _leaked(call: Call) -> str:
    """Which kind of secret: an e-mail address keeps nobody awake, an API key does."""
    rules = dict.fromkeys(mark.rule.replace("-", " ") for mark in call.redactions if mark.where == "answer")
    return f"{_LEAK} ({', '.join(rules)})" if rules else ""


_SENTENCES: Final[dict[str, Callable[[Call], str]]] = {
    "ok": _ok,
    "tool_error": _tool_error,
    "invalid_args": _invalid_args,
    "inject_error": _inject_error,
    "invalid_result": _invalid_result,
    "unknown_tool": _unknown_tool,
    "malformed": _malformed,
    "interrupted": _interrupted,
    "cancelled": _cancelled,
    "discarded": _discarded,
    "not_started": _not_started,
    "answered": _answered,
    "rejected": _rejected,
    "unanswered": _unanswered,
    "running": _running,
    "abandoned": _abandoned,
    "external": _external,
    "unknown": _unknown,
}
# Only what changes what one must do now; all other warnings are listed below the sentence.
_LEAK: Final = "a secret was in what the model was told"
_DANGERS: Final = (
    ("secret_reached_model", _LEAK),
    (
        "inner_validation_error",
        "the validation error came from inside the tool, not from the model's arguments",
    ),
    ("output_cut", "the model's output had been cut off"),
    ("arguments_repaired", "it ran with arguments that were cut off and then completed"),
    ("still_running_after_run", "it was still running when its run had ended"),
    ("step_limit", "the run stopped at its step limit"),
)
