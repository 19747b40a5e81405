"""The JSON values that our own spans carry (docs/wire.md), as typed shapes. What does not fit is left out."""

from typing import TypeVar

import msgspec


class Request(msgspec.Struct, kw_only=True):
    key: str
    id: str | None = None
    name: str | None = None
    kind: str = "model"
    position: int | None = None
    arguments: str | None = None
    raw: str | None = None
    repaired: bool = False
    error: str | None = None
    parent_key: str | None = None
    message_id: str | None = None
    group_id: str | None = None
    group_size: int | None = None


class Sight(msgspec.Struct, kw_only=True):
    key: str
    content: str | None = None
    status: str | None = None


class Failure(msgspec.Struct, kw_only=True):
    type: str
    message: str = ""
    stack: str | None = None


class Dispatch(msgspec.Struct, kw_only=True):
    key: str
    started_ns: int
    id: str | None = None
    name: str | None = None
    arguments: str | None = None
    message_id: str | None = None
    position: int | None = None
    group_id: str | None = None
    group_size: int | None = None
    parent_key: str | None = None
    ended_ns: int | None = None
    cause: str | None = None
    unknown: bool = False
    raised_by_wrapper: bool = False
    handled_by: str | None = None
    error: Failure | None = None
    masked: Failure | None = None
    handler_did_not_match: bool = False
    interrupt: str | None = None
    taken_up: bool = True
    attempts: tuple[str, ...] = ()
    state: str = "pending"


class ContentPart(msgspec.Struct, kw_only=True):
    type: str
    mime_type: str | None = None
    bytes: int | None = None


class Answer(msgspec.Struct, kw_only=True):
    key: str
    at_ns: int
    status: str | None = None
    content: str | None = None
    parts: tuple[ContentPart, ...] = ()
    bytes: int | None = None
    truncated: bool = False
    same_as_result: bool = False
    by: str | None = None
    delivered: bool | None = None


class Stray(msgspec.Struct, kw_only=True):
    id: str
    name: str | None = None
    status: str | None = None
    content: str | None = None


class FieldProblem(msgspec.Struct, kw_only=True):
    field: str
    reason: str
    expected: str | None = None
    received: str | None = None


class Mark(msgspec.Struct, kw_only=True):
    where: str
    rule: str
    count: int = 1
    key: str | None = None


T = TypeVar("T")


def listed(body: str | None, shape: type[T]) -> tuple[T, ...]:
    """The items of a JSON array that have the shape; items of other shapes are left out."""
    if not body:
        return ()
    try:
        items = msgspec.json.decode(body)
    except msgspec.DecodeError:
        return ()
    return (
        tuple(fit for item in items if (fit := _fitted(item, shape)) is not None)
        if isinstance(items, list)
        else ()
    )


def _fitted(item: object, shape: type[T]) -> T | None:
    try:
        return msgspec.convert(item, shape)
    except msgspec.ValidationError:
        return None
