"""What earlier runs measured, as values: made from traces, read by whoever shows a plan.

Lecture: Step Reliability with Verification. A step is right at the first attempt with probability `p`; a gate detects a
faulty one with `d` and flags a right one with `φ`. One retry then gives p' = p + p(1 - p)(d - φ): a gate is worth
having exactly when d > φ.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median

from piflows.ir.frozen import frozen


@frozen
class Span:
    """Least, middle and most of some measurements."""

    least: float
    middle: float
    most: float


@frozen
class Rate:
    """`hits` of `of` observations, `of` at least 1."""

    hits: int
    of: int

    @property
    def share(self) -> float:
        """Between 0 and 1."""
        return self.hits / self.of


@frozen
class Measured:
    """Child runs alike. An amount is None where no run told it; `cost_unknown` counts those that told no cost."""

    runs: int
    failed: int
    ms: Span | None
    tokens: Span | None
    cost: Span | None
    cost_unknown: int


@frozen
class GateFigures:
    """What the verdicts of one gate come to. `first` is how often its first verdict of a run was a pass, as the gate
    says itself; `p`, `d`, `phi` are None where nothing but the gate judged the step, `is_truth` says that it is a
    deterministic check, by which others are judged."""

    mode: str
    name: str
    verdicts: int
    first: Rate
    p: Rate | None
    d: Rate | None
    phi: Rate | None
    is_truth: bool = False

    @property
    def with_gate(self) -> float | None:
        """The success probability with the gate and one retry; without it, it is `p`."""
        if self.p is None or self.edge is None:
            return None
        return self.p.share + self.p.share * (1 - self.p.share) * self.edge

    @property
    def edge(self) -> float | None:
        """d - φ; 1 of what is taken as the truth, None where it is not measurable."""
        if self.is_truth:
            return 1.0
        return None if self.d is None or self.phi is None else self.d.share - self.phi.share

    @property
    def worth(self) -> bool | None:
        """Whether the gate catches more real faults than it makes; None where that is not measurable."""
        return None if self.edge is None else self.edge > 0


@frozen
class History:
    """Earlier runs: child runs by (mode, unit key, agent) and by agent, and gates by the name of their event."""

    calls: int
    unread: int
    units: Mapping[tuple[str, str, str], Measured]
    agents: Mapping[str, Measured]
    gates: tuple[GateFigures, ...]


def span(values: Sequence[float]) -> Span | None:
    """Least, middle and most; None of nothing."""
    return Span(min(values), median(values), max(values)) if values else None


def rate(observed: Sequence[bool]) -> Rate | None:
    """How many are true; None of nothing."""
    return Rate(sum(observed), len(observed)) if observed else None
