"""One pass of an RE2 set over the text, then only the rules that hit: linear time, whatever the text."""

from collections.abc import Generator, Iterator, Sequence
from typing import Any, Final

from toolwatch.redaction.checks import Part
from toolwatch.redaction.engine import LONGEST_REFUSED_BYTES, Found, Judge
from toolwatch.redaction.rules import InvalidRule, Rule

# One DFA state per position keeps a set fast; over 16 kB a single hit would make its rule scan all the rest.
_CHUNK_BYTES: Final = 16_384
_OVERLAP_BYTES: Final = 2_048
_MEMORY_BYTES: Final = 64 << 20


class Linear:
    limit_bytes: int | None = None

    def __init__(self, re2: Any, rules: Sequence[Rule], names: str) -> None:
        options = re2.Options()
        options.encoding = re2.Options.Encoding.LATIN1  # patterns see bytes, so classes stay small
        options.log_errors = False
        options.max_mem = _MEMORY_BYTES
        self._set = re2.Set.SearchSet(options)
        self._gate = re2.Set.SearchSet(options)
        self._patterns: list[Any] = []
        for rule in rules:
            pattern = rule.pattern.encode()
            try:
                self._patterns.append(re2.compile(pattern, options))
                self._set.Add(pattern)
                self._gate.Add(pattern)
            except re2.error as error:
                raise InvalidRule(f"rule {rule.name!r}: {_reason(error)}") from None
        self._groups = [range(1, pattern.groups + 1) for pattern in self._patterns]
        try:
            self._names = re2.compile(names.encode(), options)
            self._gate.Add(names.encode())
            self._set.Compile()
            self._gate.Compile()
        except re2.error as error:
            raise InvalidRule(f"the rules together are too large: {_reason(error)}") from None

    def find(self, data: bytes, judge: Judge) -> Iterator[Found]:
        if len(data) <= _CHUNK_BYTES + _OVERLAP_BYTES:
            for rule in self._set.Match(data) or ():
                yield from self._parts(rule, data, judge, 0, len(data))
            return
        done: dict[int, int] = {}  # how far each rule has looked, so that nothing is looked at twice
        for begin in range(0, len(data), _CHUNK_BYTES):
            end = begin + _CHUNK_BYTES
            for rule in self._set.Match(data[begin : end + _OVERLAP_BYTES]) or ():
                since = max(begin, done.get(rule, 0))
                done[rule] = yield from self._parts(rule, data, judge, since, end)

    def touches(self, data: bytes) -> bool:
        """Whether any rule may match, or any name of a secret field stands before a quotation mark."""
        if len(data) <= _CHUNK_BYTES + _OVERLAP_BYTES:
            return bool(self._gate.Match(data))
        return any(
            self._gate.Match(data[begin : begin + _CHUNK_BYTES + _OVERLAP_BYTES])
            for begin in range(0, len(data), _CHUNK_BYTES)
        )

    def names(self, data: bytes) -> bool:
        return self._names.search(data) is not None

    def _parts(
        self, rule: int, data: bytes, judge: Judge, begin: int, end: int
    ) -> Generator[Found, None, int]:
        """Parts of matches that begin within [begin, end), however far they reach; returns where it ended."""
        while begin < end:
            match = self._search(rule, data, begin, end)
            if match is None:
                break
            at = match.start()
            if at >= end:
                break
            start, reach = self._hidden(rule, match)
            part = judge(rule, data, at, start, reach)
            if part is not None:
                yield Found(*part, rule)
            again = part is None and start > at and reach - start <= LONGEST_REFUSED_BYTES
            begin = max(start if again else reach, at + 1)
        return begin

    def _hidden(self, rule: int, match: Any) -> Part:
        """The first group that took part, or the whole match."""
        for group in self._groups[rule]:
            span: Part = match.span(group)
            if span[0] >= 0:
                return span
        whole: Part = match.span()
        return whole

    def _search(self, rule: int, data: bytes, begin: int, end: int) -> Any:
        """The next match, seen whole even where it leaves the chunk."""
        pattern = self._patterns[rule]
        stop = min(len(data), end + _OVERLAP_BYTES)
        match = pattern.search(data, begin, stop)
        while match is not None and match.end() == stop < len(data):
            stop = min(len(data), stop + 4 * (stop - match.start()))
            match = pattern.search(data, match.start(), stop)
        return match


def _reason(error: Exception) -> str:
    first = error.args[0] if error.args else error
    return first.decode() if isinstance(first, bytes) else str(first)
