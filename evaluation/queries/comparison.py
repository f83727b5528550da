"""Comparisons over the runs of a board: by the test that the campaign fixed, or exploratory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from campaigns.errors import ActionRefused
from campaigns.models import Campaign
from evaluation.core.comparison.compare import Comparisons, compare_all
from evaluation.core.comparison.discriminative import DiscriminativePower, discriminative_power
from evaluation.core.comparison.estimate import ComparisonEstimate, ResamplingOptions
from evaluation.core.comparison.interval import MeanInterval
from evaluation.core.comparison.rank_correlation import correlate_measures
from evaluation.core.comparison.registry import CORRELATIONS, FAMILY_TESTS, INTERVALS, TESTS
from evaluation.queries.leaderboard import Leaderboard, LeaderboardEntry

INTERVAL = "bca"
REMEMBERED = 64
MOST_DRAWN = 5_000_000_000
"""Random draws × pairs × topics that take a few seconds."""


@dataclass(frozen=True)
class SignificanceChoice:
    """A test, its correction and level. ``exploratory``: not what the campaign fixed."""

    test: str
    correction: str
    alpha: float
    exploratory: bool


_known: dict[tuple[object, ...], Comparisons] = {}


def get_fixed_test(campaign: Campaign) -> SignificanceChoice:
    """What the campaign fixed in advance."""
    correction = "none" if campaign.test in FAMILY_TESTS else campaign.correction
    return SignificanceChoice(campaign.test, correction, campaign.alpha, exploratory=False)


def get_test_choice(campaign: Campaign, test: str, correction: str) -> SignificanceChoice:
    """The campaign's choice, or the one asked for; Tukey's tests take no correction."""
    fixed = get_fixed_test(campaign)
    test = test or fixed.test
    correction = "none" if test in FAMILY_TESTS else correction or campaign.correction
    other = (test, correction) != (fixed.test, fixed.correction)
    return SignificanceChoice(test, correction, fixed.alpha, exploratory=other)


def values_by_run_and_topic(
    board: Leaderboard, entries: Sequence[LeaderboardEntry], name: str
) -> np.ndarray[tuple[int, int]]:
    """Runs × topics of one measure, NaN where undefined."""
    at = board.column(name)
    return np.array([entry.table[:, at] for entry in entries]).reshape(len(entries), -1)


def compare_all_runs(board: Leaderboard, name: str, choice: SignificanceChoice) -> Comparisons:
    """Every two runs of the score set, whoever looks, by their numbers: what was tested must
    not depend on the reader. Scores never change, so the answer is kept.
    """
    # The moment too: a database put back gives numbers out again.
    key = (board.score_set.pk, board.score_set.created_at, name, choice.test, choice.alpha)
    if (found := _known.pop(key, None)) is None:
        found = compare_all(
            board.tables[:, :, board.column(name)],
            [str(run) for run in board.runs],
            test=choice.test,
            correction="none",
            alpha=choice.alpha,
            seed=comparison_seed(board),
        )
    # A list, since other threads may change meanwhile what is kept.
    for oldest in list(_known)[: 1 - REMEMBERED]:
        _known.pop(oldest, None)
    _known[key] = found
    return found.corrected(choice.correction)


def check_comparison_size(
    board: Leaderboard, choice: SignificanceChoice, measures: int = 1
) -> None:
    """Refuse what a page cannot wait for: many random draws that nobody fixed in advance."""
    runs, topics, _ = board.tables.shape
    pairs = runs * (runs - 1) // 2
    draws = (
        ResamplingOptions().resamples if (TESTS | FAMILY_TESTS)[choice.test].card.parameters else 0
    )
    if choice.exploratory and draws * pairs * topics * measures > MOST_DRAWN:
        raise ActionRefused(
            "too-many-pairs",
            f"{draws:,} random draws for {pairs:,} pairs of runs take longer than a page may.",
            "`manage.py compare_runs` gives them, and this page the campaign's own test.",
        )


def select_run_pairs(
    board: Leaderboard, entries: Sequence[LeaderboardEntry], name: str, choice: SignificanceChoice
) -> Comparisons:
    """The pairs of ``entries`` by the tags that the reader may know, adjusted for all pairs."""
    return compare_all_runs(board, name, choice).part({str(e.run): e.tag for e in entries})


def comparison_seed(board: Leaderboard) -> int:
    """The seed of resampling. It is told with the answers, so it is not the campaign's own:
    from that one pseudonyms are made.
    """
    return board.score_set.pk


def bootstrap_intervals(
    board: Leaderboard, entries: Sequence[LeaderboardEntry], name: str
) -> list[MeanInterval]:
    """A 95 % bootstrap interval over topics of each run's mean."""
    sampling = ResamplingOptions(seed=comparison_seed(board), resamples=2000)
    values = values_by_run_and_topic(board, entries, name)
    return INTERVALS[INTERVAL].of_columns(values.T, sampling=sampling)


def discriminative_powers(
    board: Leaderboard, names: Sequence[str], choice: SignificanceChoice
) -> list[tuple[str, DiscriminativePower]]:
    """How well each measure tells all runs of the score set apart."""
    return [(name, discriminative_power(compare_all_runs(board, name, choice))) for name in names]


def ranking_correlations(
    board: Leaderboard, names: Sequence[str], coefficient: str
) -> dict[tuple[str, str], ComparisonEstimate]:
    """Between the rankings of all runs of the score set by every two measures.

    A measure of which less is better ranks the other way round.
    """
    means = {
        name: (-1.0 if board.lower_is_better(name) else 1.0)
        * np.array([np.nan if (m := means[name]) is None else m for means in board.means])
        for name in names
    }
    return correlate_measures(means, CORRELATIONS[coefficient])
