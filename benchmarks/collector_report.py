"""The table of the collector's benchmark, on the terminal and in docs/performance.md."""

import os
import platform
import re
import statistics
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

# by variant and case: (wall, CPU) microseconds for each time, one pair a round
Samples = dict[str, dict[str, list[tuple[float, float]]]]

PAGE = Path(__file__).resolve().parent.parent / "docs" / "performance.md"
WALL, CPU = 0, 1


def per_call(samples: Samples, variant: str, which: int) -> list[float]:
    """What each of the calls 2 to 9 of one batch adds to a run."""
    of = samples[variant]
    pairs = zip(of["graph9"], of["graph1"], strict=True)
    return [(nine[which] - one[which]) / 8 for nine, one in pairs]


def column(samples: Samples, variant: str, case: str, which: int) -> list[float]:
    if case == "call":
        return per_call(samples, variant, which)
    return [pair[which] for pair in samples[variant][case]]


def least(samples: Samples, variant: str, case: str, which: int) -> float:
    """Of all rounds; for a call of a batch it is made of the least of both sizes."""
    if case == "call":
        nine, one = (min(column(samples, variant, size, which)) for size in ("graph9", "graph1"))
        return (nine - one) / 8
    return min(column(samples, variant, case, which))


def cell(samples: Samples, variant: str, case: str, which: int) -> str:
    """Median and least; as such without instrumentation, else what it is more, round by round."""
    own, low = column(samples, variant, case, which), least(samples, variant, case, which)
    if variant == "none":
        return f"{statistics.median(own):,.0f} / {low:,.0f}"
    base = column(samples, "none", case, which)
    more = [mine - its for mine, its in zip(own, base, strict=True)]
    return f"{statistics.median(more):+,.0f} / {low - least(samples, 'none', case, which):+,.0f}"


HEADS = {
    "call": "a call in a batch of 9",
    "graph1": "a graph run of one call",
    "tool": "a bare `tool.invoke`",
}


def table(samples: Samples) -> str:
    heads = [f"{title}, {kind}" for title in HEADS.values() for kind in ("CPU", "wall")]
    lines = ["| microseconds, median / least | " + " | ".join(heads) + " |", "|---" * 7 + "|"]
    for variant in samples:
        cells = [cell(samples, variant, case, which) for case in HEADS for which in (CPU, WALL)]
        lines.append(f"| {variant} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def write(text: str) -> None:
    """Between the marks of the page, with the machine and the day."""
    about = (
        f"{datetime.now(UTC):%Y-%m-%d}, Python {platform.python_version()}, {os.cpu_count()} cores, "
        f"load {os.getloadavg()[0]:.0f}, langgraph {version('langgraph')}, "
        f"langchain-core {version('langchain-core')}."
    )
    marked = f"<!-- collector -->\n{about}\n\n{text}\n<!-- /collector -->"
    page = PAGE.read_text(encoding="utf-8")
    changed = re.sub(r"<!-- collector -->.*<!-- /collector -->", lambda _: marked, page, flags=re.DOTALL)
    PAGE.write_text(changed, encoding="utf-8")
