"""Redacts every text that leaves: our rules, then the user's own, and only then the cut. Fails closed."""

import json
import threading
from collections.abc import Callable, Iterable
from typing import Any, Final, Protocol

from toolwatch._capture import MARGIN_CHARS, TEXT_CHARS, Shorten, clean, plain
from toolwatch._guard import report
from toolwatch._redact_settings import load_rules, name_key

CLEARED: Final = 4096  # texts
CLEARED_CHARS: Final = 512
FAILED: Final = "[redaction failed]"
_JSON: Final = json.JSONEncoder(ensure_ascii=False)

_NAMES: Final = 2_048

UserRedact = Callable[[str], str]
Found = tuple[tuple[str, int], ...]


class Hit(Protocol):
    @property
    def rule(self) -> str: ...
    @property
    def count(self) -> int: ...


class Rules(Protocol):
    def text(self, s: str) -> tuple[str, tuple[Hit, ...]]: ...
    def value(self, v: Any) -> tuple[Any, tuple[Hit, ...]]: ...
    def json_text(self, text: str) -> tuple[str, tuple[Hit, ...]]: ...
    def for_names(self, key: bytes) -> "Rules": ...


class Redaction:
    """The rules of one session. The rule set is loaded on first use: compiling it takes a while."""

    def __init__(self, custom: UserRedact | None = None, rules: Rules | None = None) -> None:
        self._custom = custom
        self._rules = rules
        self._lock = threading.Lock()
        self._name_key = name_key()
        self._clean_names: dict[str, None] = {}
        self._cleared: dict[str, None] = {}  # never a text with a secret: none may rest in memory

    def clear(self, texts: Iterable[str]) -> None:
        """Looks at several short texts at once, so that those without any secret need no look of their own.

        The matcher gives up the interpreter's lock at each look, which costs the host a change of threads.
        """
        fresh = [text for text in texts if len(text) <= CLEARED_CHARS and text not in self._cleared]
        if self._custom is not None or len(fresh) < 2:
            return
        together = to_json(fresh)
        if self.rules().json_text(together) == (together, ()):
            if len(self._cleared) > CLEARED:
                self._cleared.clear()
            self._cleared.update(dict.fromkeys(fresh))

    def rules(self) -> Rules:
        """Where they cannot be loaded, rules that hide everything: loading is not tried again."""
        return self._rules if self._rules is not None else self._loaded()

    def _loaded(self) -> Rules:
        with self._lock:
            if self._rules is None:
                self._rules = _load()
            return self._rules

    def text(self, text: str) -> tuple[str, Found]:
        """The redacted text, and (rule, count) of what was removed."""
        if text in self._cleared:
            return text, ()
        try:
            safe, hits = self.rules().text(text)
            found = tuple((hit.rule, hit.count) for hit in hits)
            if self._custom is None:
                return safe, found
            own = self._own(self._custom, safe)
            return own, found if own == safe else (*found, ("custom", 1))
        except Exception as fault:
            report("redaction", fault)
            return FAILED, (("failed", 1),)

    def json(self, value: object) -> tuple[str, Found]:
        """Plain data as redacted JSON, where the name of a field can give its value away."""
        try:
            if self._custom is None and isinstance(value, dict | list):
                text = to_json(value)
                if text in self._cleared:
                    return text, ()
                safe, hits = self.rules().json_text(text)
                return safe, tuple((hit.rule, hit.count) for hit in hits)
            data, hits = self.rules().value(value)
            found = tuple((hit.rule, hit.count) for hit in hits)
            if self._custom is None:
                return to_json(data), found
            own = self._own_value(self._custom, data)
            return to_json(own), found if own == data else (*found, ("custom", 1))
        except Exception as fault:
            report("redaction", fault)
            return to_json(FAILED), (("failed", 1),)

    def name(self, text: str) -> tuple[str, Found]:
        """The same for a name, which many records repeat."""
        if text in self._clean_names:
            return text, ()
        safe, found = self.text(clean(text))
        if safe == text and self._custom is None:
            if len(self._clean_names) >= _NAMES:
                self._clean_names.clear()
            self._clean_names[text] = None
        return safe, found

    def thread(self, text: str) -> str:
        """A thread's name; what is hidden in it leaves a fingerprint, because two threads must stay two."""
        if self.name(text)[0] == text:
            return text
        try:
            safe, _ = self.rules().for_names(self._name_key).text(clean(text))
            return safe if self._custom is None else self._own(self._custom, safe)
        except Exception as fault:
            report("redaction", fault)
            return FAILED

    def _own(self, custom: UserRedact, text: str) -> str:
        answer: object = custom(text)
        return clean(answer) if isinstance(answer, str) else FAILED

    def _own_value(self, custom: UserRedact, value: Any) -> Any:
        if isinstance(value, str):
            return self._own(custom, value)
        if isinstance(value, dict):
            return {self._own(custom, name): self._own_value(custom, item) for name, item in value.items()}
        return [self._own_value(custom, item) for item in value] if isinstance(value, list) else value


class _HideAll:
    def text(self, s: str) -> tuple[str, tuple[Hit, ...]]:
        return FAILED, ()

    def value(self, v: Any) -> tuple[Any, tuple[Hit, ...]]:
        return FAILED, ()

    def json_text(self, text: str) -> tuple[str, tuple[Hit, ...]]:
        return to_json(FAILED), ()

    def for_names(self, key: bytes) -> "Rules":
        return self


def _load() -> Rules:
    try:
        return load_rules()
    except Exception as fault:
        report("loading the redaction rules", fault)
        return _HideAll()


class Ledger:
    """Redacts the values of one record and keeps the account of what was removed where."""

    __slots__ = ("_marks", "_redaction")

    def __init__(self, redaction: Redaction) -> None:
        self._redaction = redaction
        self._marks: dict[tuple[str, str | None, str], int] = {}

    def text(self, where: str, text: str, key: str | None = None, chars: int = TEXT_CHARS) -> str:
        """The redacted text, at most chars long."""
        seen = clean(text[: chars + MARGIN_CHARS])
        safe, hits = self._redaction.text(seen)
        if hits:
            self.note(where, hits, key)
        if len(seen) < len(text) or len(seen) >= TEXT_CHARS + MARGIN_CHARS:
            safe = safe[:-MARGIN_CHARS]  # the end of what was seen may hold half a secret
        return safe[:chars]

    def name(self, text: str, key: str | None = None) -> str:
        """A name that a model, a framework or a program gave."""
        safe, hits = self._redaction.name(text)
        if hits:
            self.note("attributes", hits, key)
        return safe

    def shortening(self, where: str, key: str | None = None) -> Shorten:
        return lambda text, chars: self.text(where, text, key, chars)

    def json(self, where: str, value: object, key: str | None = None) -> str:
        return self.safe_json(where, plain(value, self.shortening(where, key)), key)

    def safe_json(self, where: str, value: object, key: str | None = None) -> str:
        """Redacted JSON of plain data."""
        safe, hits = self._redaction.json(value)
        if hits:
            self.note(where, hits, key)
        return safe

    def note(self, where: str, hits: Iterable[tuple[str, int]], key: str | None = None) -> None:
        for rule, count in hits:
            place = (where, key, rule)
            self._marks[place] = self._marks.get(place, 0) + count

    def hits(self, where: str) -> tuple[tuple[str, int], ...]:
        return tuple((rule, count) for (place, _, rule), count in self._marks.items() if place == where)

    def dump(self) -> str | None:
        """The value of ``toolwatch.redactions``; None when nothing was removed."""
        if not self._marks:
            return None
        marks = (
            {"where": where, "rule": rule, "count": count} | ({} if key is None else {"key": key})
            for (where, key, rule), count in self._marks.items()
        )
        return to_json(list(marks))


def to_json(value: object) -> str:
    return _JSON.encode(value)
