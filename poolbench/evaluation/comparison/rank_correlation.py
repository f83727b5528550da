"""Rank correlation of two rankings of the same runs: tau-b, Spearman's rho and AP correlation, a
top-weighted tau with variants for ties.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from poolbench.cards import Card
from poolbench.evaluation.comparison.classical_tests import mid_ranks
from poolbench.evaluation.comparison.paired_values import TIE, select_common_topics
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


TIES = "tied runs: use tau-ap-a for ties in the second ranking only, otherwise tau-ap-b"
REFERENCE_TIES = "tied runs in the first ranking, the reference: use tau-ap-b"


def tau_ap(reference: Levels, estimate: Levels, persistence: float) -> Estimate:
    """Without ties; see the card."""
    if has_ties(reference) or has_ties(estimate):
        return Estimate(None, len(reference), why=TIES)
    return tau_ap_a(reference, estimate, persistence)


def tau_ap_a(reference: Levels, estimate: Levels, persistence: float) -> Estimate:  # noqa: ARG001
    """The mean of tau_AP over all ways to break the ties of ``estimate``, in closed form.

    Two tied runs cancel out. A run in a tie of size t that starts at rank p is equally often at
    each of the ranks p … p + t − 1.
    """
    n = len(reference)
    if has_ties(reference):
        return Estimate(None, n, why=REFERENCE_TIES)
    above = estimate[None, :] > estimate[:, None]
    agreeing = np.where(above, np.sign(reference[None, :] - reference[:, None]), 0).sum(axis=1)
    before = above.sum(axis=1)
    sizes = (estimate[None, :] == estimate[:, None]).sum(axis=1)
    share = _harmonic(before + sizes - 1) - _harmonic(before - 1)
    weight = np.where(before > 0, share / sizes, 0.0)
    return Estimate(float(agreeing @ weight) / (n - 1), n)


def _harmonic(numbers: Levels) -> Floats:
    """1 + 1/2 + … + 1/k for each k; 0 for k below 1."""
    sums = np.concatenate([[0.0], np.cumsum(1 / np.arange(1, numbers.max(initial=1) + 1))])
    harmonic: Floats = sums[np.maximum(numbers, 0)]
    return harmonic


def tau_ap_b(first: Levels, second: Levels, persistence: float) -> Estimate:  # noqa: ARG001
    """The mean over both directions, each for the runs below the top tie."""
    one, two = _below_the_top(first, second), _below_the_top(second, first)
    if one is None or two is None:
        return Estimate(None, len(first), why=ALL_TIED)
    return Estimate((one + two) / 2, len(first))


def _below_the_top(reference: Levels, estimate: Levels) -> float | None:
    above = estimate[None, :] > estimate[:, None]
    before = above.sum(axis=1)
    ranked = before > 0
    if not ranked.any():
        return None
    right = (above & (reference[None, :] > reference[:, None])).sum(axis=1)
    return float(2 * np.mean(right[ranked] / before[ranked]) - 1)


_EDGE = "A swap at the top weighs more than a swap at the bottom."

TAU_AP = RankCorrelation(
    name="tau-ap",
    title="AP correlation, tau_AP",
    formula="2/(n − 1) · Σ over ranks i = 2 … n of C(i)/(i − 1) − 1, C(i) the runs above "
    "rank i in the second ranking that the first, the reference, also has above that run",
    reading="For a random run of the second ranking and a random run above it: the probability "
    "that the reference has the two in this order minus the probability that it does not.",
    source="Yilmaz, Aslam and Robertson, SIGIR 2008.",
    range="-1 to 1",
    edge_cases=(_EDGE, "Not symmetric: the first ranking is the reference."),
    undefined="fewer than two runs; any two runs tied.",
    compute=tau_ap,
    directed=True,
    examples=(
        RankingExample(URBANO_X, URBANO_Y, 0.3928571, f"{URBANO}: 0.3928571"),
        RankingExample(
            (4.0, 3.0, 2.0, 1.0),
            (3.0, 4.0, 2.0, 1.0),
            1 / 3,
            "worked by hand: 2/3 · (0/1 + 2/2 + 3/3) − 1",
        ),
        RankingExample(
            (4.0, 3.0, 2.0, 1.0),
            (4.0, 3.0, 1.0, 2.0),
            7 / 9,
            "worked by hand, a swap at the bottom: 2/3 · (1/1 + 2/2 + 2/3) − 1",
        ),
    ),
)

TAU_AP_A = RankCorrelation(
    name="tau-ap-a",
    title="AP correlation, ties in the second ranking",
    formula="the mean of tau-ap over all ways to break the ties of the second ranking",
    reading="AP correlation with a reference without ties; ties in the second ranking mean "
    "that their order is unknown.",
    source="Urbano and Marrero, ICTIR 2017, tau_AP,a.",
    range="-1 to 1",
    edge_cases=(_EDGE, "Without ties it equals tau-ap."),
    undefined="fewer than two runs; ties in the first ranking.",
    compute=tau_ap_a,
    directed=True,
    examples=(
        RankingExample(URBANO_X, URBANO_Y, 0.3928571, f"{URBANO}: 0.3928571"),
        RankingExample(URBANO_X, URBANO_Y_TIED, 0.39903, f"{URBANO}, ties: 0.39903"),
    ),
)

TAU_AP_B = RankCorrelation(
    name="tau-ap-b",
    title="AP correlation, symmetric, with ties",
    formula="the mean of both directions of 2/(n − t) · Σ C(i)/(p_i − 1) − 1 over the runs i "
    "below the top tie of t runs, p_i the first rank of the tie of i, C(i) the runs above "
    "that tie that the other ranking has strictly above i",
    reading="AP correlation of two rankings, neither of which is a reference.",
    source="Urbano and Marrero, ICTIR 2017, tau_AP,b.",
    range="-1 to 1",
    edge_cases=(
        _EDGE,
        "Without ties it equals the mean of tau-ap in both directions.",
        "A ranking compared with itself gives 1, with or without ties.",
    ),
    undefined="fewer than two runs; all runs tied in one of the rankings.",
    compute=tau_ap_b,
    examples=(
        RankingExample(URBANO_X, URBANO_Y_TIED, 0.3317019, f"{URBANO}, ties: 0.3317019"),
        RankingExample(URBANO_X_TIED, URBANO_Y_TIED, 0.339418, f"{URBANO}, ties in both: 0.339418"),
    ),
)
