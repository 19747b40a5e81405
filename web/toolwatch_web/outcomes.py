"""How outcomes, warnings and causes are worded and drawn: a shape, a word and a tone for each.

Shapes are names of symbols in static/icons.svg. No two outcomes share one, so that nothing hangs on colour.
"""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    word: str
    shape: str
    tone: str  # ok | fail | warn | wait | live | mute
    meaning: str


def _look(word: str, shape: str, tone: str, meaning: str) -> Look:
    return Look(word=word, shape=shape, tone=tone, meaning=meaning)


LOOKS: Final = {
    "ok": _look("OK", "check", "ok", "The tool ran and its result answers the call."),
    "tool_error": _look("Tool error", "cross", "fail", "The tool's body failed in its last attempt."),
    "invalid_args": _look(
        "Invalid arguments", "braces", "fail", "The arguments failed validation; the tool never ran."
    ),
    "inject_error": _look(
        "Injection failed", "plug", "fail", "State, store or runtime was missing; the tool never ran."
    ),
    "invalid_result": _look(
        "Result refused", "return", "fail", "The tool ran, but what it returned was refused."
    ),
    "unknown_tool": _look("Unknown tool", "ghost", "fail", "There is no tool of that name."),
    "malformed": _look("Not JSON", "broken", "fail", "The arguments were not JSON; nothing ran."),
    "interrupted": _look("Waiting for a person", "pause", "wait", "Paused for a person, not resumed yet."),
    "cancelled": _look("Cancelled", "slash", "fail", "Cancelled, timed out, or its stream was abandoned."),
    "discarded": _look(
        "Result discarded", "bin", "fail", "The tool ran to its end, but its result was thrown away."
    ),
    "not_started": _look(
        "Never started", "hollow", "fail", "It was due, but a sibling's failure came first."
    ),
    "answered": _look("Answered without running", "short", "mute", "A success answer although no tool ran."),
    "rejected": _look(
        "Rejected", "hand", "warn", "An error answer although no tool ran: a person or a limit said no."
    ),
    "unanswered": _look("Unanswered", "silent", "fail", "No answer ever carried this id."),
    "running": _look("Running", "spin", "live", "Started, and its process is alive."),
    "abandoned": _look("Abandoned", "lost", "fail", "Started, no end recorded, and its process is gone."),
    "external": _look("Run by the provider", "cloud", "mute", "Executed by the model's provider."),
    "unknown": _look("Not known", "ask", "mute", "The sender's data do not say."),
}

WARNINGS: Final = {
    "executed_again_after_resume": "Ran again after a resume",
    "executed_again_after_retry": "Ran again after a retry",
    "repeated_call": "Same call, again and again",
    "secret_reached_model": "A secret reached the model",
    "error_masked": "The model was told something else",
    "id_reused": "This id was used before",
    "id_missing": "The model gave no id",
    "orphan_answer": "An answer nobody asked for",
    "inner_validation_error": "The tool's own validation failed, not the model's arguments",
    "not_delivered": "The answer was not delivered",
    "handler_did_not_match": "The error handler did not match",
    "output_cut": "The model's output was cut",
    "arguments_repaired": "Cut-off arguments were completed and run",
    "double_encoded_arguments": "JSON inside a string",
    "still_running_after_run": "Still running after its run ended",
    "run_crashed": "The run crashed",
    "step_limit": "The run hit its step limit",
    "content_not_captured": "Contents were not captured",
    "clock_skew": "Clocks disagree",
}
CAUSES: Final = {
    "first": "first attempt",
    "wrapper_retry": "retried by a wrapper",
    "node_retry": "retried by its node",
    "resume": "after a resume",
    "rerun": "run again",
}


def look(outcome: str) -> Look:
    return LOOKS.get(outcome) or _look(outcome, "ask", "mute", "An outcome this version does not know.")


def warning(code: str) -> str:
    return WARNINGS.get(code, code.replace("_", " "))


def cause(name: str) -> str:
    return CAUSES.get(name, name.replace("_", " "))
