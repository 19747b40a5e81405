"""How true the calls of a recorded payload are: each fact of its truth file is said, not said, or wrong."""

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from toolwatch_server.domain.call import Call

CORPUS = Path(__file__).parent / "corpus/otlp"
NAMES = sorted(path.name.removesuffix(".truth.json") for path in CORPUS.glob("*.truth.json"))
ABSENT = frozenset({"absent", "no id exists"})
# How the words of the truth files are said here. A failure whose kind nobody tells is a tool_error.
OUTCOMES = {
    "ok": {"ok", "answered"},
    "tool_exception": {"tool_error"},
    "invalid_arguments": {"invalid_args", "tool_error"},
    "malformed_arguments": {"malformed", "invalid_args", "tool_error"},
    "unknown_tool": {"unknown_tool", "tool_error"},
    "paused": {"interrupted"},
}
# Words of the truth files that name no exception.
NO_TYPE = frozenset({"unknown tool", "invalid JSON", "missing argument", "argument parsing"})


@dataclass
class Score:
    said: int = 0
    unsaid: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    def add(self, right: bool, known: bool, what: str) -> None:
        """known: the product claims something."""
        if right:
            self.said += 1
        else:
            (self.wrong if known else self.unsaid).append(what)

    @property
    def share(self) -> float:
        total = self.said + len(self.unsaid) + len(self.wrong)
        return self.said / total if total else math.nan


def truth(name: str) -> Any:
    return json.loads((CORPUS / f"{name}.truth.json").read_text())


def judge(name: str, calls: Sequence[Call]) -> Score:
    score, left = Score(), list(calls)
    payload = b"".join(p.read_bytes() for p in CORPUS.glob(f"{name}.*") if "truth" not in p.name)
    for run in truth(name)["runs"]:
        for expected in run["calls"]:
            found = _find(expected, set(run["trace_ids"]), left)
            if found is not None:
                left.remove(found)
            expected["type_is_hidden"] = str(expected.get("error_type")).encode() not in payload
            _compare(score, f"{name}: {expected['tool_call_id']} {expected['tool_name']}", expected, found)
    for call in left:
        score.wrong.append(f"{name}: invented {call.tool_call_id} {call.tool} {call.outcome}")
    return score


def _find(expected: Any, traces: set[str], calls: Iterable[Call]) -> Call | None:
    def rank(call: Call) -> tuple[bool, bool, bool]:
        spans = {attempt.span_id for attempt in call.attempts}
        return (
            bool(spans & set(expected["tool_spans"])),
            call.tool_call_id == expected["tool_call_id"] and call.tool_call_id is not None,
            call.arguments.value == expected["arguments"],
        )

    near = [c for c in calls if traces & set(c.trace_ids) and c.tool in (expected["tool_name"], None)]
    spans = set(expected["tool_spans"])
    if spans:  # a call with tool spans is known by them
        near = [c for c in near if any(attempt.span_id in spans for attempt in c.attempts)]
    best = max(near, key=lambda c: (*rank(c), -(c.requested_ns or 0)), default=None)
    return best if best is not None and any(rank(best)) else None


def _compare(score: Score, who: str, expected: Any, call: Call | None) -> None:
    hidden = {"absent"} >= {expected["id_found"], expected["arguments_found"]} and not expected["tool_spans"]
    if call is None:
        if not hidden:  # what the payload does not show cannot be shown
            score.unsaid.append(f"{who}: not there")
        return
    score.add(True, True, who)
    score.add(call.tool == expected["tool_name"], call.tool is not None, f"{who}: tool {call.tool}")
    _compare_id(score, who, expected, call)
    _compare_content(score, who, expected, call)
    _compare_failure(score, who, expected, call)
    attempts = expected.get("attempts")
    if attempts is not None:
        said = [attempt.outcome for attempt in call.attempts]
        wanted = [OUTCOMES[attempt["outcome"]] for attempt in attempts]
        right = len(said) == len(wanted) and all(s in w for s, w in zip(said, wanted, strict=True))
        score.add(right, True, f"{who}: attempts {said}")


def _compare_id(score: Score, who: str, expected: Any, call: Call) -> None:
    wanted = None if expected["id_found"] in ABSENT else expected["tool_call_id"]
    score.add(call.tool_call_id == wanted, call.tool_call_id is not None, f"{who}: id {call.tool_call_id}")


def _compare_content(score: Score, who: str, expected: Any, call: Call) -> None:
    said = call.arguments.raw if isinstance(expected["arguments"], str) else call.arguments.value
    wanted = None if expected["arguments_found"] in ABSENT else expected["arguments"]
    score.add(said == wanted, said is not None, f"{who}: arguments {said!r}")
    if "result" in expected:
        result = call.result if call.result is not None else call.answer.content
        wanted = None if expected["result_found"] in ABSENT else expected["result"]
        score.add(result == wanted, result is not None, f"{who}: result {result!r}")


def _compare_failure(score: Score, who: str, expected: Any, call: Call) -> None:
    wanted = OUTCOMES[expected["outcome"]]
    score.add(
        call.outcome in wanted, call.outcome not in ("unknown", "answered"), f"{who}: outcome {call.outcome}"
    )
    score.add(
        call.failed == (expected["outcome"] != "ok"),
        call.outcome != "unknown",
        f"{who}: failed {call.failed}",
    )
    if "error_message" in expected and expected["error_message_found"] not in ABSENT:
        message = call.error.message if call.error else ""
        right = expected["error_message"] in message
        score.add(right, False, f"{who}: message {message[:80]!r}")
    kind = expected.get("error_type")
    if kind is not None and kind not in NO_TYPE:
        said = call.error.type.rpartition(".")[2] if call.error else "unknown"
        if said != "unknown" or not expected["type_is_hidden"]:
            score.add(said == kind, said != "unknown", f"{who}: error type {said}")
