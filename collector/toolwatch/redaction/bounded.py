"""The same rules on the standard library: literals first, then one bounded match at each of them.

``re`` backtracks, so a pattern is only tried where one of its literals stands, forward, within a window.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from toolwatch.redaction.engine import LONGEST_REFUSED_BYTES, Found, Judge
from toolwatch.redaction.rules import Rule

_LIMIT_BYTES: Final = 32_768
_BEHIND_BYTES: Final = 64


class Bounded:
    limit_bytes: int | None = _LIMIT_BYTES

    def __init__(self, rules: Sequence[Rule]) -> None:
        self._rules = tuple(rules)
        self._patterns = [re.compile(rule.pattern.encode()) for rule in rules]
        self._behind = [
            re.compile(f"(?:{rule.behind})*\\Z".encode()) if rule.behind else None for rule in rules
        ]
        self._anchors = [tuple(text.encode() for text in rule.anchors) for rule in rules]
        self._no_anchor = [i for i, texts in enumerate(self._anchors) if not texts]

    def find(self, data: bytes, judge: Judge) -> Iterator[Found]:
        lower = data.lower()
        for rule in self._no_anchor:
            yield from self._scan(rule, data, judge)
        for rule, anchors in enumerate(self._anchors):
            if anchors and any(text in lower for text in anchors):
                yield from self._at_anchors(rule, anchors, data, lower, judge)

    def touches(self, data: bytes) -> bool:
        return True

    def names(self, data: bytes) -> bool:
        return True

    def _scan(self, rule: int, data: bytes, judge: Judge) -> Iterator[Found]:
        for match in self._patterns[rule].finditer(data):
            part = judge(rule, data, match.start(), *match.span(match.lastindex or 0))
            if part is not None:
                yield Found(*part, rule)

    def _at_anchors(
        self, rule: int, anchors: tuple[bytes, ...], data: bytes, lower: bytes, judge: Judge
    ) -> Iterator[Found]:
        done = 0
        for anchor in _positions(lower, anchors):
            if anchor < done:
                continue
            match = self._match(rule, data, anchor, done)
            if match is None:
                continue
            start, reach = match.span(match.lastindex or 0)
            part = judge(rule, data, match.start(), start, reach)
            if part is not None:
                yield Found(*part, rule)
            again = part is None and match.lastindex and reach - start <= LONGEST_REFUSED_BYTES
            done = start if again else reach

    def _match(self, rule: int, data: bytes, anchor: int, done: int) -> re.Match[bytes] | None:
        pattern, behind = self._patterns[rule], self._behind[rule]
        begin = anchor
        if behind is not None:
            before = behind.search(data, max(done, anchor - _BEHIND_BYTES), anchor)
            begin = before.start() if before else anchor
        ahead = self._rules[rule].ahead_bytes
        for start in range(begin, anchor + 1):
            match = pattern.match(data, start, anchor + ahead)
            while match is not None and match.end() == anchor + ahead < len(data):
                ahead *= 4
                match = pattern.match(data, start, anchor + ahead)
            if match is not None:
                return match
        return None


def _positions(lower: bytes, anchors: tuple[bytes, ...]) -> list[int]:
    found: set[int] = set()
    for text in anchors:
        at = lower.find(text)
        while at >= 0:
            found.add(at)
            at = lower.find(text, at + 1)
    return sorted(found)
