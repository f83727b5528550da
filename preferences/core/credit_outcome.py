"""The outcome of many interleaved lists or choices: wins, ties, sign test, shares, ΔAB."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from campaigns.core.cards import Card
from common.statistics.bootstrap import bootstrap_values, percentile_estimates
from common.statistics.draws import ResamplingOptions, resample_counts
from common.statistics.estimate import Estimate
from common.statistics.proportions import sign_test_probability, wilson_estimate

OUTCOME = Card(
    name="interleaving_outcome",
    title="Outcome of interleaved lists",
    formula="a list is won by the ranking with more credit\n"
    "win share = wins(A) / (wins(A) + wins(B)), with Wilson's interval\n"
    "p = min(1, 2 · P(X ≤ min(wins))), X binomial with wins(A) + wins(B) lists and "
    "probability ½\nΔAB = (wins(A) + ½ ties) / (wins(A) + wins(B) + ties) − ½",
    reading="Whether users prefer ranking A to ranking B: above 0 for A, below 0 for B.",
    source="Joachims 2003 (sign test); Chapelle, Joachims, Radlinski & Yue, ACM TOIS 2012 (ΔAB); "
    "Wilson, JASA 1927.",
    range="ΔAB −½ to ½",
    edge_cases=(
        (
            "Equal credits are a tie, also 0 and 0; ties count in ΔAB but neither in the sign test "
            "nor in the win share."
        ),
        (
            "Wilson's interval and the sign test take lists as independent. Several lists of a "
            "topic or a judge are not; the interval of ΔAB resamples topics."
        ),
    ),
    undefined="no list was shown; the win share: every list was a tie.",
    example="Credits 3:1, 1:0, 0:2, 1:1: A wins 2, B wins 1, 1 tie. Win share 2/3; "
    "p = min(1, 2 · (1 + 3)/8) = 1; ΔAB = (2 + ½)/4 − ½ = 1/8.",
)


@dataclass(frozen=True)
class InterleavingOutcome:
    """``share`` is A's part of the lists that were won, ``delta`` the ΔAB over topics."""

    wins_a: int
    wins_b: int
    ties: int
    p_value: float | None
    share: Estimate
    delta: Estimate

    @property
    def lists(self) -> int:
        return self.wins_a + self.wins_b + self.ties


def compare_credits(
    credits_by_topic: Mapping[str, Iterable[tuple[float, float]]],
    sampling: ResamplingOptions | None = None,
) -> InterleavingOutcome:
    """The outcome of lists with the credits of A and B, by topic.

    A judge's choice is the credit (1, 0), (0, 1) or, for a tie, (1, 1).
    """
    counted = [_count_wins(list(pairs)) for pairs in credits_by_topic.values()]
    table = np.array([row for row in counted if any(row)], np.float64).reshape(-1, 3)
    wins_a, wins_b, ties = (int(total) for total in table.sum(axis=0))
    decided = wins_a + wins_b
    probability = sign_test_probability(np.array([float(wins_a)]), np.array([decided]))
    return InterleavingOutcome(
        wins_a,
        wins_b,
        ties,
        float(probability[0]) if decided else None,
        wilson_estimate(wins_a, decided),
        _estimate_delta(table, sampling or ResamplingOptions()),
    )


def _count_wins(pairs: Sequence[tuple[float, float]]) -> tuple[int, int, int]:
    return (
        sum(a > b for a, b in pairs),
        sum(b > a for a, b in pairs),
        sum(a == b for a, b in pairs),
    )


def _estimate_delta(table: np.ndarray, sampling: ResamplingOptions) -> Estimate:
    """ΔAB of wins of A, wins of B and ties by topic, with an interval over topics."""
    if not len(table):
        return Estimate(None, 0, why="no list was shown")

    def compute(counts: np.ndarray) -> np.ndarray:
        sums = counts @ table
        delta: np.ndarray = (sums[:, 0] + sums[:, 2] / 2) / sums.sum(axis=1) - 0.5
        return delta

    value = compute(np.ones((1, len(table))))
    draws = bootstrap_values(compute, resample_counts(len(table), sampling))
    return percentile_estimates(value, draws[None], np.array([len(table)]))[0]
