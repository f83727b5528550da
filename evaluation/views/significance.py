"""Significance of the difference of two runs: the preregistered test, then exploratory ones."""

from __future__ import annotations

from dataclasses import dataclass

from campaigns.core.cards import Card
from evaluation.core.comparison.compare import PairComparison, PairRow, compare_pair
from evaluation.core.comparison.effect import EFFECTS
from evaluation.core.comparison.interval import INTERVALS, MeanInterval
from evaluation.core.comparison.registry import CORRECTIONS, FAMILY_TESTS, TESTS
from evaluation.queries.comparison import (
    INTERVAL,
    SignificanceChoice,
    comparison_seed,
    get_fixed_test,
    select_run_pairs,
    values_by_run_and_topic,
)
from evaluation.queries.leaderboard import Leaderboard, LeaderboardEntry
from evaluation.views.cells import format_p, format_signed

RESAMPLES = 10_000


@dataclass(frozen=True)
class SignificanceLine:
    """A table line: title, value, a note, and how to interpret it."""

    title: str
    value: str
    note: str
    reading: str


@dataclass(frozen=True)
class SignificanceOfPair:
    """``verdict`` is by the preregistered test, ``fixed`` and ``corrected`` (None: the same run);
    its p value is adjusted over ``pairs_tested`` run pairs.
    """

    choice: SignificanceChoice
    fixed: Card
    corrected: Card
    verdict: PairRow | None
    pairs_tested: int
    p_value: str
    adjusted_p: str
    interval: MeanInterval
    interval_text: str | None
    interval_card: Card
    other_tests: list[SignificanceLine]
    effects: list[SignificanceLine]


def assess_significance(
    leaderboard: Leaderboard, a: LeaderboardEntry, b: LeaderboardEntry, name: str
) -> SignificanceOfPair:
    """The preregistered test first; its p value is adjusted for all run pairs of the score set."""
    first, second = values_by_run_and_topic(leaderboard, [a, b], name)
    seed, choice = comparison_seed(leaderboard), get_fixed_test(leaderboard.score_set.campaign)
    compared = {
        test: compare_pair(first, second, test=test, seed=seed, resamples=RESAMPLES)
        for test in TESTS
    }
    paired_t = compared["t"]
    interval = paired_t.intervals[INTERVAL]
    comparisons = select_run_pairs(leaderboard, [a, b], name, choice)
    row = comparisons.rows[0] if comparisons.rows else None
    return SignificanceOfPair(
        choice=choice,
        fixed=(TESTS | FAMILY_TESTS)[choice.test].card,
        corrected=CORRECTIONS[choice.correction].card,
        verdict=row,
        pairs_tested=comparisons.corrected_over,
        p_value=format_p(row.p_value) if row else "",
        adjusted_p=format_p(row.adjusted) if row else "",
        interval=interval,
        interval_text=None
        if interval.low is None or interval.high is None
        else f"{format_signed(interval.low)} to {format_signed(interval.high)}",
        interval_card=INTERVALS[INTERVAL].card,
        other_tests=[
            significance_line(test, compared[test]) for test in TESTS if test != choice.test
        ],
        effects=effect_lines(paired_t),
    )


def significance_line(test: str, compared: PairComparison) -> SignificanceLine:
    card, outcome = TESTS[test].card, compared.outcome
    return SignificanceLine(
        card.title, format_p(outcome.p_value), outcome.reason or outcome.note, card.reading
    )


def effect_lines(compared: PairComparison) -> list[SignificanceLine]:
    lines = []
    for name, estimate in compared.effects.items():
        card = EFFECTS[name].card
        value = "–" if estimate.value is None else format_signed(estimate.value)
        lines.append(SignificanceLine(card.title, value, estimate.reason or "", card.reading))
    return lines
