"""What a tool returned or a model was told, as bounded text, parts and sizes."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from toolwatch._capture import TEXT_CHARS, Shorten, plain, utf8_size, window
from toolwatch._redact import to_json

MEDIA: Final = frozenset({
    "image", "image_url", "input_image", "audio", "input_audio", "video", "file", "input_file", "media",
    "document",
})  # fmt: skip
DATA_FIELDS: Final = (
    "data",
    "base64",
    "url",
    "image_url",
    "input_audio",
    "source",
    "file",
    "file_data",
    "bytes",
)
MAX_PARTS: Final = 100


@dataclass(frozen=True, slots=True)
class Shown:
    """text is bounded but not redacted. bytes is the original size; parts are what is not text."""

    text: str | None
    bytes: int
    status: str | None = None
    parts: tuple[dict[str, Any], ...] = ()
    truncated: bool = False

    def same_text(self, other: "Shown | None") -> bool:
        return other is not None and self.text == other.text and self.bytes == other.bytes


def shown_message(message: Any, shorten: Shorten) -> Shown:
    """shorten(text, chars) redacts and cuts a text inside structured content that is too long."""
    status = getattr(message, "status", None)
    return _shown(message.content, status if isinstance(status, str) else None, shorten)


def shown_value(value: object, shorten: Shorten) -> Shown:
    """What a tool returned that was called without an id, so that no message was made of it."""
    return _shown(value, None, shorten)


def _shown(content: object, status: str | None, shorten: Shorten) -> Shown:
    if isinstance(content, str):
        text = str.__str__(content)
        return Shown(window(text), utf8_size(text), status, truncated=len(text) > TEXT_CHARS)
    if isinstance(content, list) and any(_is_block(item) for item in content[:MAX_PARTS]):
        return _blocks(content, status, shorten)
    lost: list[int] = []
    text = to_json(plain(content, _counting(shorten, lost)))
    size = utf8_size(text) + sum(lost)
    return Shown(window(text), size, status, truncated=bool(lost) or len(text) > TEXT_CHARS)


def _counting(shorten: Shorten, lost: list[int]) -> Shorten:
    def count(text: str, chars: int) -> str:
        lost.append(len(text) - chars)
        return shorten(text, chars)

    return count


def _is_block(item: object) -> bool:
    return type(item) is dict and isinstance(item.get("type"), str)


def _blocks(content: list[Any], status: str | None, shorten: Shorten) -> Shown:
    lost: list[int] = []
    shown: list[object] = []
    parts: list[dict[str, Any]] = []
    for block in content[:MAX_PARTS]:
        if _is_block(block) and block["type"] in MEDIA:
            part = _part(block)
            parts.append(part)
            shown.append({name: value for name, value in part.items() if value is not None})
        else:
            shown.append(plain(block, _counting(shorten, lost)))
    text = to_json(shown)
    size = utf8_size(text) + sum(lost) + sum(part["bytes"] or 0 for part in parts)
    truncated = bool(lost) or len(text) > TEXT_CHARS or len(content) > MAX_PARTS
    return Shown(window(text), size, status, tuple(parts), truncated)


def _part(block: dict[str, Any]) -> dict[str, Any]:
    mime, size = _mime(block), None
    for data in _payloads(block):
        if isinstance(data, str):
            head, comma, body = data.partition(",") if data.startswith("data:") else ("", "", data)
            mime = mime or (head[5:].split(";")[0] or None if comma else None)
            remote = not comma and data.startswith(("http://", "https://"))
            size = None if remote else len(body) * 3 // 4 - body[-2:].count("=")
        elif isinstance(data, bytes | bytearray):
            size = len(data)
    return {"type": block["type"], "mime_type": mime, "bytes": size}


def _mime(block: dict[str, Any]) -> str | None:
    inner = block.get("source")
    for place in (block, inner if isinstance(inner, dict) else {}):
        for name in ("mime_type", "media_type"):
            if isinstance(place.get(name), str):
                return str(place[name])[:100]
    return None


def _payloads(block: dict[str, Any], depth: int = 0) -> Iterator[object]:
    for name in DATA_FIELDS:
        value = block.get(name)
        if isinstance(value, dict) and depth < 2:
            yield from _payloads(value, depth + 1)
        elif isinstance(value, str | bytes | bytearray):
            yield value
