"""Significance of the difference of two runs: the preregistered test, then exploratory ones."""

from typing import NamedTuple

from evaluation.queries.comparison import (
    INTERVAL,
    compare_by_all_tests,
    estimate_run_difference,
    get_fixed_test,
    select_run_pairs,
)
from evaluation.queries.leaderboard import Leaderboard, LeaderboardEntry
from poolbench.cards import Card
from poolbench.evaluation.comparison.effect import EFFECTS
from poolbench.evaluation.comparison.interval import INTERVALS
from poolbench.evaluation.comparison.registry import CORRECTIONS, TESTS, get_test_card


class SignificanceLine(NamedTuple):
    """Another test or an effect size: its p value or value, and a note."""

    card: Card
    value: float | None
    note: str


def assess_significance(
    leaderboard: Leaderboard, a: LeaderboardEntry, b: LeaderboardEntry, name: str
) -> dict[str, object]:
    """The preregistered test first; its p value is adjusted for all run pairs of the score set.

    ``verdict`` is by this test, ``fixed`` and ``corrected`` (None: the same run).
    """
    if leaderboard.score_set.is_estimate:
        return assess_estimates(leaderboard, a, b, name)
    choice = get_fixed_test(leaderboard.score_set)
    compared = compare_by_all_tests(leaderboard, a, b, name)
    paired_t = compared["t"]
    comparisons = select_run_pairs(leaderboard, [a, b], name, choice)
    return {
        "choice": choice,
        "fixed": get_test_card(choice.test),
        "corrected": CORRECTIONS[choice.correction].card,
        "verdict": comparisons.rows[0] if comparisons.rows else None,
        "pairs_tested": comparisons.corrected_over,
        "interval": paired_t.intervals[INTERVAL],
        "interval_card": INTERVALS[INTERVAL].card,
        "other_tests": [
            SignificanceLine(each.card, outcome.p_value, outcome.reason or outcome.note)
            for name, each in TESTS.items()
            if name != choice.test and (outcome := compared[name].outcome)
        ],
        "effects": [
            SignificanceLine(EFFECTS[name].card, estimate.value, estimate.why or "")
            for name, estimate in paired_t.effects.items()
        ],
    }


def assess_estimates(
    leaderboard: Leaderboard, a: LeaderboardEntry, b: LeaderboardEntry, name: str
) -> dict[str, object]:
    """Two estimates by the interval of their difference. There are no other tests."""
    choice = get_fixed_test(leaderboard.score_set)
    comparisons = select_run_pairs(leaderboard, [a, b], name, choice)
    row = comparisons.rows[0] if comparisons.rows else None
    return {
        "choice": choice,
        "fixed": get_test_card(choice.test),
        "corrected": CORRECTIONS[choice.correction].card,
        "verdict": row,
        "pairs_tested": comparisons.corrected_over,
        "interval": row and estimate_run_difference(leaderboard, a, b, name, row),
        "interval_card": get_test_card(choice.test),
        "other_tests": [],
        "effects": [],
    }
