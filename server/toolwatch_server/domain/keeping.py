"""How long what is kept."""

from dataclasses import dataclass, field

NS_PER_DAY = 86_400_000_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """None: no such limit. Pinned traces are kept whatever these say."""

    days: float | None = None  # since a trace was last heard of
    failures_days: float | None = None  # for traces with a failed call; as the others when None
    bodies_days: float | None = None  # for texts; the calls themselves stay
    calls: int | None = None
    size_bytes: int | None = None

    def __bool__(self) -> bool:
        return any(limit is not None for limit in (self.days, self.bodies_days, self.calls, self.size_bytes))

    @property
    def spare_failures(self) -> bool:
        return self.failures_days is not None

    def cutoffs_ns(self, days: float, now_ns: int) -> tuple[int, int]:
        """Before when a trace is old, and before when it is even if a call of it failed."""
        longer = max(days, self.failures_days or 0)
        return now_ns - round(days * NS_PER_DAY), now_ns - round(longer * NS_PER_DAY)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pruned:
    """What went, or would go. bodies: traces that lost their texts."""

    traces: int = 0
    bodies: int = 0

    def __add__(self, other: "Pruned") -> "Pruned":
        return Pruned(traces=self.traces + other.traces, bodies=self.bodies + other.bodies)


@dataclass(frozen=True, slots=True, kw_only=True)
class Weight:
    """Of traces: how many there are, the calls that only they speak of, spans, and bytes of spans."""

    traces: int = 0
    calls: int = 0
    spans: int = 0
    span_bytes: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """What retention has done since the start of this process."""

    rules: Rules
    pruned: Pruned = field(default_factory=Pruned)
    last_run_ns: int | None = None
    error: str | None = None  # of the last run
