"""Everything that replaying pool specs tells, as one result."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from evaluation.core.comparison.rank_drop import RankDrop

SHARES = (5, 10, 20, 30, 50, 75, 100)
"""Budgets unless others are given, in percent of what the deepest spec would judge."""
RECALLS = (50, 80, 90)
"""Percent of the known relevant documents that somebody may want to find."""
MEASURES = ("map", "bpref", "ndcg_cut_10", "P_10")
SEEDS = 5

Progress = Callable[[str, int, int], None]
"""``(what, done, of)``, called after each piece of work."""


@dataclass(frozen=True)
class SeedRange:
    """Mean, lowest and highest over the seeds where the value is defined, ``n`` of them.

    All None where it is with no seed, and ``reason`` says why.
    """

    mean: float | None
    low: float | None
    high: float | None
    n: int
    reason: str | None = None

    @classmethod
    def of(cls, values: Sequence[float | None], reason: str | None = None) -> SeedRange:
        known = [value for value in values if value is not None]
        if not known:
            return cls(None, None, None, 0, reason)
        return cls(float(np.mean(known)), min(known), max(known), len(known))

    @property
    def is_one(self) -> bool:
        """Whether chance makes no difference."""
        return self.low == self.high


@dataclass(frozen=True)
class FullQrelsAgreement:
    """The ranking of all runs by what is judged, against that by the full qrels: tau-b, tau_AP,
    the places that a run falls at most, and the run that fell furthest with any seed.
    """

    tau_b: SeedRange
    tau_ap: SeedRange
    drop: SeedRange
    worst: RankDrop | None


@dataclass(frozen=True)
class BudgetPoint:
    """One spec at one budget. ``share`` is of all known relevant documents; ``holes`` are
    judgments of documents that have no grade. ``rankings`` by measure.
    """

    budget: int
    spent: SeedRange
    relevant: SeedRange
    share: SeedRange
    holes: SeedRange
    rankings: dict[str, FullQrelsAgreement]


@dataclass(frozen=True)
class RecallEffort:
    """Judgments to find ``percent`` of the known relevant documents: of all topics together,
    in all; and of each topic, the mean over those ``reached``, the topics that get there.
    """

    percent: int
    total: SeedRange
    by_topic: SeedRange
    reached: SeedRange


@dataclass(frozen=True)
class SpecResult:
    """One spec. ``steps`` are its steps in words, ``runs`` how many feed it; ``judged``,
    ``relevant`` and ``holes`` hold when it is done.
    """

    name: str
    steps: str
    spec: dict[str, Any]
    runs: int
    judged: SeedRange
    relevant: SeedRange
    holes: SeedRange
    points: tuple[BudgetPoint, ...]
    efforts: tuple[RecallEffort, ...]


@dataclass(frozen=True)
class SimulationFacts:
    """What was simulated on. ``judged`` and ``relevant`` pairs of the full qrels; ``answered``
    topics have a relevant document. ``tau_ap`` is by measure which tau_AP is defined.
    """

    runs: int
    pooled: int
    topics: int
    answered: int
    judged: int
    relevant: int
    level: int
    seeds: int
    tau_ap: dict[str, str]


@dataclass(frozen=True)
class Simulation:
    facts: SimulationFacts
    budgets: tuple[int, ...]
    measures: tuple[str, ...]
    specs: tuple[SpecResult, ...]

    def as_dict(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self)
