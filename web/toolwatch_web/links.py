"""Addresses of the pages. Ids come from other people's programs, so every one of them is quoted."""

from urllib.parse import quote, urlencode


def call(key: str) -> str:
    return f"/calls/{quote(key, safe='')}"


def trace(trace_id: str) -> str:
    return f"/traces/{quote(trace_id, safe='')}"


def thread(thread_id: str) -> str:
    return f"/threads/{quote(thread_id, safe='')}"


def tool(name: str) -> str:
    return f"/tools/{quote(name, safe='')}"


def compare(a: str, b: str) -> str:
    return "/compare?" + urlencode({"a": a, "b": b})


def find(text: str) -> str:
    return "/find?" + urlencode({"q": text})


def calls(**filters: object) -> str:
    """The list of calls, narrowed; a filter that is None is left out."""
    return with_query("/calls", filters)


def with_query(path: str, filters: dict[str, object]) -> str:
    said = {name: value for name, value in filters.items() if value not in (None, "", (), [])}
    return f"{path}?{urlencode(said, doseq=True)}" if said else path
