"""A scenario's truth against what the API tells: a list of sentences, empty when all is as it happened."""

from collections import Counter
from typing import Any, TypeAlias

Json: TypeAlias = Any


def differences(truth: Json, calls: list[Json], orphans: list[Json]) -> list[str]:
    """calls and orphans are those of the API, for one scenario."""
    found: list[str] = []
    left, pairs = list(calls), []
    for expected in truth["calls"]:
        call = _best(expected, left, calls)
        if call is None:
            found.append(f"{expected['tool_call_id']!r} {expected['tool']}: not there")
            continue
        left.remove(call)
        pairs.append((expected, call))
        found += [f"{expected['tool_call_id']!r}: {line}" for line in _call(expected, call, calls)]
    found += [f"{call['tool_call_id']!r} {call['tool']}: nobody asked ({call['outcome']})" for call in left]
    found += _groups(pairs)
    if (ids := sorted(orphan["tool_call_id"] for orphan in orphans)) != truth.get("orphans", []):
        found.append(f"orphans: got {ids}, expected {truth.get('orphans', [])}")
    return found


def _best(expected: Json, left: list[Json], calls: list[Json]) -> Json | None:
    """Of the calls with that id and tool (ids repeat), the one that fits best."""
    same = [c for c in left if (c["tool_call_id"], c["tool"]) == (expected["tool_call_id"], expected["tool"])]
    return min(same, key=lambda c: len(_call(expected, c, calls)), default=None)


def _call(expected: Json, call: Json, calls: list[Json]) -> list[str]:
    answer, arguments = call["answer"], call["arguments"]
    told = {
        "outcome": call["outcome"],
        "error_type": (call["error"] or {}).get("type"),
        "handled_by": call["handled_by"],
        "status": answer["status"],
        "parent": next((c["tool_call_id"] for c in calls if c["key"] == call["parent_key"]), None),
    }
    lines = [_line(name, got, expected.get(name)) for name, got in told.items()]
    written = arguments["raw"] if isinstance(expected["arguments"], str) else arguments["value"]
    lines.append(_line("arguments", written, expected["arguments"]))
    lines.append(_line("told", call["told"], expected.get("told")))
    if expected.get("told") is not None:
        lines.append(_line("answer", answer["content"], expected["told"]))
    if expected.get("status") is not None:
        lines.append(_line("delivered", answer["delivered"], True))
    if expected["attempts"] != "any":
        codes = sorted(warning["code"] for warning in call["warnings"])
        lines.append(_line("warnings", codes, expected.get("warnings", [])))
    lines += _optional(expected, call)
    return [line for line in lines if line] + _attempts(expected["attempts"], call)


def _optional(expected: Json, call: Json) -> list[str | None]:
    """What only some scenarios say anything about."""
    told = {
        "validated": call["arguments"]["validated"],
        "thread_id": call["thread_id"],
        "parts": [part["mime_type"] for part in call["answer"]["parts"]],
        "result_bytes": call["sizes"]["result"],
        "repaired": "arguments_repaired" in [w["code"] for w in call["warnings"]],
    }
    return [_line(name, got, expected[name]) for name, got in told.items() if name in expected]


def _attempts(expected: Json, call: Json) -> list[str]:
    if expected == "any":
        return []
    told = [
        {
            "cause": attempt["cause"],
            "outcome": attempt["outcome"],
            "error_type": (attempt["error"] or {}).get("type"),
            "discarded": attempt["discarded"],
            "late": attempt["late"],
        }
        for attempt in call["attempts"]
    ]
    lines = [_line("number of attempts", len(told), len(expected))]
    for number, (got, wanted) in enumerate(zip(told, expected, strict=False), start=1):
        full = {"error_type": None, "discarded": False, "late": False, **wanted}
        lines += [_line(f"attempt {number} {name}", got[name], full[name]) for name in full]
    ran = sum(attempt["outcome"] != "invalid_args" for attempt in expected)
    lines.append(_line("executions", call["executions"], ran))
    return [line for line in lines if line]


def _line(name: str, got: Json, expected: Json) -> str | None:
    """None where it fits. A trailing … means "begins with", a | means "either"."""
    if isinstance(expected, str) and isinstance(got, str):
        if expected.endswith("…") and got.startswith(expected[:-1]):
            return None
        if name.endswith("outcome") and got in expected.split("|"):
            return None
    if got == expected:
        return None
    shown = repr(got)
    return f"{name}: got {shown[:160]}, expected {expected!r}"


def _groups(pairs: list[tuple[Json, Json]]) -> list[str]:
    """Calls of one message share a group of the right size; calls of two messages do not."""
    labels = [expected.get("group") for expected, _ in pairs]
    ids = [(call["group"] or {}).get("id") for _, call in pairs]
    sizes, found = Counter(labels), []
    for (expected, call), label in zip(pairs, labels, strict=True):
        wanted = None if label is None else sizes[label]
        got = (call["group"] or {}).get("size")
        if got != wanted:
            found.append(f"{expected['tool_call_id']!r}: group size: got {got}, expected {wanted}")
    if len(set(zip(labels, ids, strict=True))) != len(set(labels)) or len(set(ids)) != len(set(labels)):
        found.append(f"groups: got {ids}, expected {labels}")
    return found
