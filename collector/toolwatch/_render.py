"""What all records have in common: where they belong, how they fail, what was hidden (docs/wire.md)."""

from dataclasses import dataclass
from typing import Any

from toolwatch import conventions as c
from toolwatch._failures import MESSAGE_CHARS, STACK_CHARS, Failure
from toolwatch._records import Root, Run
from toolwatch._redact import Ledger
from toolwatch._spans import Part

FRAMEWORK = "langgraph"
Attributes = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Closing:
    """How a record of several calls ends."""

    ledger: Ledger
    full: bool  # contents are captured
    end_ns: int
    failure: Failure | None = None


def common(root: Root, run: Run | None) -> Part:
    """Where a record belongs; the same for all records of one node run."""
    known = run.common if run is not None else root.common
    if known is not None:
        return known
    found: Attributes = {c.FRAMEWORK: FRAMEWORK}
    if not root.loose:
        found[c.RUN_ID] = root.id
    if root.thread_id is not None:
        found[c.CONVERSATION_ID] = root.thread_id
    if root.name and root.name != "LangGraph":
        found[c.AGENT_NAME] = root.name
    node = run.node_run if run is not None else None
    if node is not None:
        found |= present({c.NODE: node.node, c.STEP: node.step, c.TASK: node.ns})
    (run or root).common = part = Part(found)
    return part


def present(attributes: Attributes) -> Attributes:
    return {name: value for name, value in attributes.items() if value is not None}


def failure_tuple(
    failure: Failure, ledger: Ledger, full: bool, key: str | None = None
) -> tuple[str, str, str | None]:
    """(type, message, stack), redacted. Without content: the type alone."""
    if not full:
        return failure.type, "", None
    message = ledger.text("error", failure.message, key, MESSAGE_CHARS)
    return failure.type, message, ledger.text("error", failure.stack(), key, STACK_CHARS)


def note(found: Attributes, ledger: Ledger, full: bool) -> None:
    """What is missing from the record on purpose."""
    if not full:
        found[c.CONTENT_CAPTURED] = False
    marks = ledger.dump()
    if marks is not None:
        found[c.REDACTIONS] = marks
