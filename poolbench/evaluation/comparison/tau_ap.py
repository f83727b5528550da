"""AP correlation: a top-weighted Kendall's tau, and its variants for ties."""

from __future__ import annotations

import numpy as np

from poolbench.evaluation.comparison.rank_correlation import (
    ALL_TIED,
    URBANO,
    URBANO_X,
    URBANO_X_TIED,
    URBANO_Y,
    URBANO_Y_TIED,
    Levels,
    RankCorrelation,
    RankingExample,
    has_ties,
)
from poolbench.statistics.draws import Floats
from poolbench.statistics.estimate import Estimate

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
