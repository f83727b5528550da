"""Rank correlation of two rankings of the same runs: the interface, tau-b and Spearman's rho."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from poolbench.cards import Card
from poolbench.evaluation.comparison.paired_values import TIE, select_common_topics
from poolbench.evaluation.comparison.wilcoxon import mid_ranks
from poolbench.statistics.draws import Floats
from poolbench.statistics.estimate import Estimate

Levels = NDArray[np.intp]

TOO_FEW_RUNS = "fewer than two runs have values for both"
ALL_TIED = "all runs are tied in one of the rankings"


@dataclass(frozen=True)
class RankingExample:
    """Scores of the same runs by two measures, and the expected coefficient."""

    first: tuple[float, ...]
    second: tuple[float, ...]
    value: float
    working: str


@dataclass(frozen=True, kw_only=True)
class RankCorrelation(Card):
    """A selectable rank correlation coefficient.

    ``compute`` takes two arrays of levels (higher is better, equal is tied) and the persistence
    p of rank-biased overlap, which the others ignore. With ``directed`` the first ranking is the
    reference, and swapping the two changes the value.
    """

    compute: Callable[[Levels, Levels, float], Estimate]
    directed: bool = False
    examples: tuple[RankingExample, ...] = ()

    def of_scores(self, first: Floats, second: Floats, persistence: float = 0.9) -> Estimate:
        """Compare the rankings by two arrays of scores of the same runs.

        Runs with NaN in either are left out.
        """
        first, second = select_common_topics(first, second)
        if len(first) < 2:
            return Estimate(None, len(first), why=TOO_FEW_RUNS)
        return self.compute(score_levels(first), score_levels(second), persistence)


def score_levels(scores: Floats) -> Levels:
    """Integers in the order of ``scores``; scores that differ only by noise are tied."""
    scale = TIE * float(np.abs(scores).max(initial=0.0)) or 1.0
    _, levels = np.unique(np.round(scores / scale), return_inverse=True)
    return np.asarray(levels, np.intp)


def has_ties(levels: Levels) -> bool:
    """Whether any two runs are tied."""
    return len(np.unique(levels)) < len(levels)


def correlate_measures(
    scores: Mapping[str, Floats], correlation: RankCorrelation
) -> dict[tuple[str, str], Estimate]:
    """The coefficient of all pairs of measures, by (first, second); ``scores`` by measure.

    Each array has one mean per run, in the same order of runs.
    """
    return {
        (first, second): correlation.of_scores(scores[first], scores[second])
        for first, second in _pairs(scores, directed=correlation.directed)
    }


def _pairs(names: Iterable[str], *, directed: bool) -> Iterable[tuple[str, str]]:
    listed = list(names)
    for place, first in enumerate(listed):
        for second in listed if directed else listed[place + 1 :]:
            if first != second:
                yield first, second


def tau_b(first: Levels, second: Levels, persistence: float) -> Estimate:  # noqa: ARG001
    """Concordant minus discordant pairs over the geometric mean of the numbers of untied pairs."""
    one, two = (np.sign(levels[:, None] - levels[None, :]).ravel() for levels in (first, second))
    untied = float(np.count_nonzero(one)) * float(np.count_nonzero(two))
    if untied == 0:
        return Estimate(None, len(first), why=ALL_TIED)
    return Estimate(float(one @ two) / float(np.sqrt(untied)), len(first))


def spearman(first: Levels, second: Levels, persistence: float) -> Estimate:  # noqa: ARG001
    """Pearson's correlation of the ranks, ties sharing their mean rank."""
    one, two = (mid_ranks(levels.astype(np.float64))[0] for levels in (first, second))
    one, two = one - one.mean(), two - two.mean()
    spread = float(np.sqrt((one @ one) * (two @ two)))
    if spread == 0:
        return Estimate(None, len(first), why=ALL_TIED)
    return Estimate(float(one @ two) / spread, len(first))


URBANO_X = (0.67, 0.45, 0.29, 0.12, 0.57, 0.24, 0.94, 0.75, 0.08, 0.54)
URBANO_Y = (0.48, 0.68, 0.32, 0.09, 0.06, 0.61, 0.87, 0.22, 0.44, 0.84)
URBANO_Y_TIED = (0.5, 0.7, 0.3, 0.1, 0.1, 0.6, 0.9, 0.2, 0.4, 0.8)
URBANO_X_TIED = (0.7, 0.4, 0.3, 0.1, 0.6, 0.2, 0.9, 0.8, 0.1, 0.5)
URBANO = "the example of Urbano's R package ircor"

TAU_B = RankCorrelation(
    name="tau-b",
    title="Kendall's tau-b",
    formula="(C − D) / √((P − T₁)(P − T₂)), C and D the pairs of runs in the same and in "
    "opposite order, P = n(n − 1)/2 all pairs, T₁ and T₂ those tied in each ranking",
    reading="Run pairs in the same order in both rankings minus those in opposite order; "
    "ties count as neither.",
    source="Kendall 1945.",
    range="-1 to 1",
    edge_cases=(
        "A swap at the bottom weighs as much as a swap at the top.",
        "Without ties it is Kendall's tau.",
    ),
    undefined="fewer than two runs; all runs tied in one of the rankings.",
    compute=tau_b,
    examples=(
        RankingExample(URBANO_X, URBANO_Y, 0.2, f"{URBANO}: 0.2"),
        RankingExample(URBANO_X, URBANO_Y_TIED, 0.2247333, f"{URBANO}, ties: 0.2247333"),
        RankingExample(URBANO_X_TIED, URBANO_Y_TIED, 0.25, f"{URBANO}, ties in both: 0.25"),
    ),
)

SPEARMAN = RankCorrelation(
    name="rho",
    title="Spearman's rho",
    formula="Pearson's correlation of the ranks, ties having the mean of their ranks",
    reading="Linear correlation of the ranks of the runs in the two rankings.",
    source="Spearman 1904.",
    range="-1 to 1",
    edge_cases=("Usually further from 0 than tau for the same rankings.",),
    undefined="fewer than two runs; all runs tied in one of the rankings.",
    compute=spearman,
    examples=(
        RankingExample(
            (4.0, 3.0, 2.0, 1.0),
            (3.0, 4.0, 2.0, 1.0),
            0.8,
            "worked by hand: 1 − 6·(1 + 1) / (4·15)",
        ),
    ),
)
