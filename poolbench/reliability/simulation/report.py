"""The result of a pool simulation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from poolbench.evaluation.comparison.rank_drop import RankDrop
from poolbench.evaluation.measures.names import parse_measures
from poolbench.notebooks import Frame, ResultTable, make_frame

if TYPE_CHECKING:
    from poolbench.charts.chart import Chart

SHARES = (5, 10, 20, 30, 50, 75, 100)
"""Default budgets, in percent of the judgments of the deepest spec."""
RECALLS = (50, 80, 90)
"""Recall targets, in percent of the known relevant documents."""
MEASURES = ("map", "bpref", "ndcg_cut_10", "P_10")
SEEDS = 5


@dataclass(frozen=True)
class SeedRange:
    """Mean, minimum and maximum over the ``n`` seeds for which the value is defined.

    All None, with a ``reason``, if it is undefined for every seed.
    """

    mean: float | None
    low: float | None
    high: float | None
    n: int
    reason: str | None = None

    @classmethod
    def from_values(cls, values: Sequence[float | None], reason: str | None = None) -> SeedRange:
        defined = [value for value in values if value is not None]
        if not defined:
            return cls(None, None, None, 0, reason)
        return cls(float(np.mean(defined)), min(defined), max(defined), len(defined))

    @property
    def is_one(self) -> bool:
        """Whether all seeds give the same value."""
        return self.low == self.high


@dataclass(frozen=True)
class FullQrelsAgreement:
    """The ranking of all runs by the simulated qrels against that by the full qrels: tau-b,
    tau_AP, the largest drop in ranks, and the run with the largest drop over all seeds.
    """

    tau_b: SeedRange
    tau_ap: SeedRange
    drop: SeedRange
    worst: RankDrop | None


@dataclass(frozen=True)
class BudgetPoint:
    """One spec at one budget. ``share`` is of all known relevant documents; ``holes`` are
    documents without a grade. ``rankings`` by measure.
    """

    budget: int
    spent: SeedRange
    relevant: SeedRange
    share: SeedRange
    holes: SeedRange
    rankings: dict[str, FullQrelsAgreement]


@dataclass(frozen=True)
class RecallEffort:
    """Judgments to find ``percent`` of the known relevant documents: in ``total``, over all
    topics together; and ``by_topic``, the mean over the ``reached`` topics.
    """

    percent: int
    total: SeedRange
    by_topic: SeedRange
    reached: SeedRange


@dataclass(frozen=True)
class SpecResult:
    """One spec. ``steps`` in words, ``runs`` the number of contributing runs; ``judged``,
    ``relevant`` and ``holes`` are final counts.
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
    """The finished campaign. ``judged`` and ``relevant`` pairs of the full qrels; ``answered``
    topics have a relevant document. ``tau_ap``: the defined variant of tau_AP, by measure.
    ``label`` is that of the qrels.
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
    label: str = ""


@dataclass(frozen=True, repr=False)
class Simulation(ResultTable):
    """Each spec at each budget, against the full qrels."""

    facts: SimulationFacts
    budgets: tuple[int, ...]
    measures: tuple[str, ...]
    specs: tuple[SpecResult, ...]

    def __repr__(self) -> str:
        names = ", ".join(spec.name for spec in self.specs)
        return f"<Simulation of {names}: {len(self.budgets)} budgets, {self.facts.seeds} seeds>"

    def to_frame(self) -> Frame:
        """One row per spec, budget and measure, each value the mean over the seeds; NaN where
        undefined."""
        rows = [
            {
                "spec": spec.name,
                "budget": point.budget,
                "measure": measure,
                "spent": point.spent.mean,
                "relevant": point.relevant.mean,
                "share": point.share.mean,
                "holes": point.holes.mean,
                "tau_b": ranking.tau_b.mean,
                "tau_ap": ranking.tau_ap.mean,
                "drop": ranking.drop.mean,
            }
            for spec in self.specs
            for point in spec.points
            for measure, ranking in point.rankings.items()
        ]
        return make_frame(rows)

    def chart(self, measure: str = "") -> Chart:
        """Relevant documents found by number of judgments, a line per spec; of a ``measure`` the
        tau-b of the ranking of all runs."""
        from poolbench.reliability.simulation import figures

        name = parse_measures([measure])[0].name if measure else ""
        if name not in ("", *self.measures):
            raise ValueError(f"{measure} was not simulated; use one of {', '.join(self.measures)}")
        return next(figures.iter_simulation_charts(self, name))

    def as_dict(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self)
