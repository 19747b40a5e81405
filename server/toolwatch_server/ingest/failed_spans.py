"""Why a span failed: from its exceptions, its status, or the result of the tool."""

from dataclasses import replace
from typing import Final

from toolwatch_server.domain.call import Error
from toolwatch_server.domain.clues import Refusal
from toolwatch_server.domain.failures import NO_TYPE, UNKNOWN, kind_of_failure, type_in
from toolwatch_server.domain.span import Span
from toolwatch_server.ingest.attributes import ERROR_STATUS, text
from toolwatch_server.ingest.results import Result
from toolwatch_server.ingest.values import mapping, printed

TRACEBACK: Final = "Traceback (most recent call last)"
CAUSED: Final = "The above exception was the direct cause of the following exception"
OPENAI_AGENTS: Final = "Error running tool"
ANY_EXCEPTION: Final = frozenset({"Exception", "BaseException"})
REFUSALS: Final = frozenset({"invalid_args", "unknown_tool"})


def completed(error: Error, error_text: str | None, found: Result) -> Error:
    """The message and the type, from the result where the error itself says nothing."""
    message = error.message
    if not message or message in NO_TYPE:
        message = error_text or message_in(found.text) or message
    kind = error.type if error.type.rpartition(".")[2] not in NO_TYPE else type_in(message) or UNKNOWN
    return replace(error, type=kind, message=message)


def message_in(result: str | None) -> str:
    said = mapping(result).get("error") if result and result[:1] == "{" else None
    return said if isinstance(said, str) else result or ""


def failure_of(span: Span) -> Error | None:
    """The first exception, which is the one the tool raised; else what status and error.type say."""
    a = span.attributes
    event = next((e for e in span.events if e.name == "exception"), None)
    if event is not None:
        raised = text(event.attributes, "exception.type") or text(a, "error.type") or UNKNOWN
        message = text(event.attributes, "exception.message") or ""
        if TRACEBACK in message:  # LangSmith knows the error only as a printed text
            return error_in(message, None if raised in ANY_EXCEPTION else raised)
        return _unwrapped(
            Error(type=raised, message=message, stack=text(event.attributes, "exception.stacktrace"))
        )
    kind = text(a, "error.type")
    if kind is None and span.status_code != ERROR_STATUS:
        return None
    return error_in(span.status_message, kind)


def _unwrapped(error: Error) -> Error:
    """The OpenAI Agents SDK raises an error of its own from the tool's, which its traceback begins with."""
    first, caused, _ = (error.stack or "").partition(CAUSED)
    if not caused or not error.message.startswith(OPENAI_AGENTS):
        return error
    kind, _, message = first.strip().rpartition("\n")[2].partition(": ")
    return replace(error, type=kind, message=message) if kind and " " not in kind else error


def error_in(message: str, kind: str | None = None) -> Error:
    """An error out of a status message: some print the exception, some add its traceback, some wrap it."""
    head, found, stack = message.partition(TRACEBACK)
    head = head.strip()
    named = kind if kind is not None and kind not in NO_TYPE else None
    if OPENAI_AGENTS in head[:40]:
        inner = printed(head, "error")
        return Error(type=named or UNKNOWN, message=inner if isinstance(inner, str) else head)
    kind = named or type_in(head) or _type_at_end(stack) or UNKNOWN
    return Error(type=kind, message=_without_type(head, kind), stack=found + stack if found else None)


def _type_at_end(stack: str) -> str | None:
    """The type that the last line of a traceback that begins a line names."""
    return next((kind for line in reversed(stack.splitlines()[-40:]) if (kind := type_in(line))), None)


def _without_type(message: str, kind: str) -> str:
    """The message alone, out of `PaymentError: …` and `PaymentError('…')`."""
    short = kind.rpartition(".")[2]
    head = message.removeprefix(kind).removeprefix(short)
    if head == message:
        return message
    if head.startswith(": "):
        return head[2:]
    if head[:2] in ("('", '("') and head.endswith(")"):
        inner = printed(f"text={head[1:-1]}", "text")
        return inner if isinstance(inner, str) else message
    return message


def refusal_in(span: Span) -> Refusal | None:
    """Whether a step or an agent failed because a call could not be taken up."""
    error = failure_of(span)
    if error is None:
        return None
    kind = kind_of_failure(error.type, error.message, None)
    return Refusal(kind=kind, error=error) if kind in REFUSALS else None
