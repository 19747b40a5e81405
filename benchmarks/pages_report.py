"""The figures of the pages as a table, and its place in docs/performance.md."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

DOCUMENT: Final = Path(__file__).resolve().parents[1] / "docs" / "performance.md"
TARGETS_MS: Final = {"trace of 5,000 spans, first screen": 300}
TARGET_MS: Final = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    name: str
    took_ms: list[float]  # sorted
    cpu_ms: list[float]  # of the server, sorted
    size_bytes: int

    def at(self, share: float) -> float:
        return self.took_ms[min(round(share * len(self.took_ms)), len(self.took_ms) - 1)]


def table(rows: Sequence[Row], *, calls: int, rounds: int, database: str) -> str:
    lines = [
        f"{calls:,} calls in {database}, {rounds} rounds.",
        "",
        "| page | median | 95 of 100 | target | CPU of the server | packed |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for row in rows:
        target = TARGETS_MS.get(row.name, TARGET_MS)
        mark = "" if row.at(0.95) <= target else " **missed**"
        lines.append(
            f"| {row.name} | {row.at(0.5):.0f} ms | {row.at(0.95):.0f} ms | {target} ms{mark} "
            f"| {row.cpu_ms[len(row.cpu_ms) // 2]:.0f} ms | {row.size_bytes / 1000:.1f} kB |"
        )
    return "\n".join(lines)


def write(found: str, *, database: str, calls: int) -> None:
    """Between the marks of this database and number of calls; the marks must be in the document."""
    name = f"pages-{database}-{calls}"
    pattern = re.compile(rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)", re.DOTALL)
    text = DOCUMENT.read_text(encoding="utf-8")
    if not pattern.search(text):
        raise SystemExit(f"{DOCUMENT.name} has no place marked {name}")
    DOCUMENT.write_text(pattern.sub(lambda m: f"{m[1]}{found}\n{m[2]}", text), encoding="utf-8")
