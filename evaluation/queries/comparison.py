"""Comparisons of the runs of a leaderboard, by the preregistered test or an exploratory one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from django.utils.translation import gettext as _

from campaigns.errors import ActionRefused, format_thousands
from evaluation.models import ScoreSet
from evaluation.queries.leaderboard import Floats, Leaderboard, LeaderboardEntry
from poolbench.cache import Cache
from poolbench.evaluation.comparison.compare import (
    Comparisons,
    PairComparison,
    compare_all,
    compare_pair_by_tests,
)
from poolbench.evaluation.comparison.discriminative import DiscriminativePower, discriminative_power
from poolbench.evaluation.comparison.estimated import compare_estimates, estimate_difference
from poolbench.evaluation.comparison.marks import (
    LetterGroups,
    SignificanceMarks,
    assign_letters,
    mark_ranking,
    mark_runs,
)
from poolbench.evaluation.comparison.pair_rows import PairRow
from poolbench.evaluation.comparison.rank_correlation import correlate_measures
from poolbench.evaluation.comparison.registry import (
    CORRELATIONS,
    FAMILY_TESTS,
    INTERVALS,
    SAMPLE_INTERVALS,
    get_test_card,
)
from poolbench.evaluation.measures.titles import format_measure_title
from poolbench.statistics.draws import ResamplingOptions
from poolbench.statistics.estimate import Estimate

INTERVAL = "bca"
MOST_PAIRS = 400_000
COMPARISONS: Cache[tuple[object, ...], Comparisons] = Cache(MOST_PAIRS, lambda it: len(it.rows))
"""10,153 pairs of 143 runs take some 4 MB."""
MARKS: Cache[tuple[object, ...], SignificanceMarks] = Cache(500)
"""By score set, measure, test and the run IDs with their visible tags."""
_letters: Cache[tuple[object, ...], LetterGroups] = Cache(100)
"""By comparison, correction and the runs in their order, with their visible tags."""
_intervals: Cache[tuple[object, ...], list[Estimate]] = Cache(20_000, len)
"""By score set, measure and the runs in their order."""
_tests: Cache[tuple[object, ...], Mapping[str, PairComparison]] = Cache(200)
"""By score set, measure and two runs."""
MOST_DRAWS = 5_000_000_000
"""Random draws × run pairs × topics: more take longer than a few seconds."""
MOST_DRAWS_BESIDE = 500_000_000
"""The same for tests that a download computes beside its table."""


@dataclass(frozen=True)
class SignificanceChoice:
    """A test, its correction and level. ``exploratory``: not the preregistered ones."""

    test: str
    correction: str
    alpha: float
    exploratory: bool


def get_fixed_test(score_set: ScoreSet) -> SignificanceChoice:
    """The test, correction and level preregistered by the campaign. Estimates from a sample are
    compared by the intervals of differences in place of the test: their values by topic are not
    what a test over topics takes them for.
    """
    campaign = score_set.campaign
    test = SAMPLE_INTERVALS.name if score_set.is_estimate else campaign.test
    correction = "none" if test in FAMILY_TESTS else campaign.correction
    return SignificanceChoice(test, correction, campaign.alpha, exploratory=False)


def get_test_choice(score_set: ScoreSet, test: str, correction: str) -> SignificanceChoice:
    """The requested or else the preregistered choice; Tukey's tests take no correction. Raises
    ``ActionRefused`` for a test over topics of estimates.
    """
    fixed = get_fixed_test(score_set)
    test = test or fixed.test
    if (test == SAMPLE_INTERVALS.name) != score_set.is_estimate:
        raise ActionRefused(
            "estimated",
            _("Estimates from a sample are compared by the intervals of their differences only."),
            _("Leave the test out."),
        )
    correction = "none" if test in FAMILY_TESTS else correction or score_set.campaign.correction
    exploratory = (test, correction) != (fixed.test, fixed.correction)
    return SignificanceChoice(test, correction, fixed.alpha, exploratory=exploratory)


def values_by_run_and_topic(
    leaderboard: Leaderboard, entries: Sequence[LeaderboardEntry], name: str
) -> np.ndarray[tuple[int, int]]:
    """Runs × topics of one measure, NaN where undefined."""
    at = leaderboard.column(name)
    return np.array([entry.table[:, at] for entry in entries]).reshape(len(entries), -1)


def compare_all_runs(
    leaderboard: Leaderboard, name: str, choice: SignificanceChoice
) -> Comparisons:
    """All run pairs of the score set, by run ID: the tests must not depend on the reader.
    Scores never change, so the result is cached.
    """
    key = identify_comparison(leaderboard, name, choice)

    def compute() -> Comparisons:
        if leaderboard.score_set.is_estimate:
            return compare_estimated_runs(leaderboard, name, choice.alpha)
        return compare_all(
            leaderboard.tables[:, :, leaderboard.column(name)],
            [str(run) for run in leaderboard.runs],
            test=choice.test,
            correction="none",
            alpha=choice.alpha,
            seed=comparison_seed(leaderboard),
        )

    return COMPARISONS.get_or_compute(
        (*key, choice.correction),
        lambda: COMPARISONS.get_or_compute(key, compute).corrected(choice.correction),
    )


def compare_estimated_runs(leaderboard: Leaderboard, name: str, alpha: float) -> Comparisons:
    """All pairs of a score set of estimates, by run ID, without a correction."""
    return compare_estimates(
        [str(run) for run in leaderboard.runs],
        [estimates[name].estimate for estimates in leaderboard.estimates],
        find_difference_errors(leaderboard, name),
        topics=len(leaderboard.topics),
        alpha=alpha,
    )


def find_difference_errors(leaderboard: Leaderboard, name: str) -> Floats:
    """Runs × runs of one measure, of a score set of estimates."""
    return leaderboard.difference_errors[:, leaderboard.column(name)]


def estimate_run_difference(
    leaderboard: Leaderboard, a: LeaderboardEntry, b: LeaderboardEntry, name: str, row: PairRow
) -> Estimate:
    """The interval of a difference of estimates, which ``row`` compares."""
    first, second = (leaderboard.runs.index(entry.run) for entry in (a, b))
    return estimate_difference(row, float(find_difference_errors(leaderboard, name)[first, second]))


def identify_comparison(
    leaderboard: Leaderboard, name: str, choice: SignificanceChoice
) -> tuple[object, ...]:
    """The key of a comparison before its correction."""
    # With the time of creation: a restored database reuses IDs.
    score_set = leaderboard.score_set
    return score_set.pk, score_set.created_at, name, choice.test, choice.alpha


def check_comparison_size(
    leaderboard: Leaderboard, choice: SignificanceChoice, measures: int = 1
) -> None:
    """Refuse exploratory tests whose random draws take too long for a page."""
    draws, pairs, topics = count_draws(leaderboard, choice)
    if choice.exploratory and draws * pairs * topics * measures > MOST_DRAWS:
        raise ActionRefused(
            "too-many-pairs",
            _("%(draws)s random draws for %(pairs)s run pairs take too long for a page.")
            % {"draws": format_thousands(draws), "pairs": format_thousands(pairs)},
            _("Use `poolbench compare`, or the campaign's preregistered test on this page."),
        )


def count_draws(leaderboard: Leaderboard, choice: SignificanceChoice) -> tuple[int, int, int]:
    """Random draws (0 for tests without), run pairs and topics: their product is the work."""
    runs, topics, _ = leaderboard.tables.shape
    has_draws = bool(get_test_card(choice.test).parameters)
    draws = ResamplingOptions().resamples if has_draws else 0
    return draws, runs * (runs - 1) // 2, topics


def mark_entries(
    leaderboard: Leaderboard, entries: Sequence[LeaderboardEntry], name: str
) -> SignificanceMarks | None:
    """Marks and letters of ``entries``, best first, by the preregistered test.

    None where the measure compares no runs or the test would take too long beside a table.
    """
    choice = get_fixed_test(leaderboard.score_set)
    if not is_tested_beside(leaderboard, name, choice):
        return None
    defined = [entry for entry in entries if entry.means[name] is not None]
    tags_by_run = tuple((entry.run, entry.tag) for entry in defined)

    def mark() -> SignificanceMarks:
        compared = select_run_pairs(leaderboard, defined, name, choice)
        return mark_runs(compared, [tag for _, tag in tags_by_run], format_measure_title(name))

    key = (*identify_comparison(leaderboard, name, choice), choice.correction, tags_by_run)
    return MARKS.get_or_compute(key, mark)


def mark_best_entries(
    leaderboard: Leaderboard, entries: Sequence[LeaderboardEntry], name: str
) -> dict[str, str]:
    """By visible tag the marks of ``mark_entries``, without its letters, which take longer."""
    choice = get_fixed_test(leaderboard.score_set)
    if not is_tested_beside(leaderboard, name, choice):
        return {}
    tags = {str(entry.run): entry.tag for entry in entries if entry.means[name] is not None}
    marks = mark_ranking(compare_all_runs(leaderboard, name, choice), list(tags))
    return {tags[run]: mark for run, mark in marks.items()}


def is_tested_beside(leaderboard: Leaderboard, name: str, choice: SignificanceChoice) -> bool:
    """Whether the measure compares runs, and the test is quick enough beside a table."""
    draws, pairs, topics = count_draws(leaderboard, choice)
    return leaderboard.measure(name).compares and draws * pairs * topics <= MOST_DRAWS_BESIDE


def select_run_pairs(
    leaderboard: Leaderboard,
    entries: Sequence[LeaderboardEntry],
    name: str,
    choice: SignificanceChoice,
) -> Comparisons:
    """The run pairs of ``entries``, by visible tag; p values are adjusted for all run pairs."""
    return compare_all_runs(leaderboard, name, choice).part({str(e.run): e.tag for e in entries})


def get_letter_groups(
    leaderboard: Leaderboard, tags_by_run: Mapping[int, str], name: str, choice: SignificanceChoice
) -> LetterGroups:
    """The letters of the runs, best first, by visible tag; kept, as scores never change."""
    key = (
        identify_comparison(leaderboard, name, choice),
        choice.correction,
        tuple(tags_by_run.items()),
    )

    def assign() -> LetterGroups:
        compared = compare_all_runs(leaderboard, name, choice)
        names = {str(run): tag for run, tag in tags_by_run.items()}
        return assign_letters(compared.part(names), list(names.values()))

    return _letters.get_or_compute(key, assign)


def comparison_seed(leaderboard: Leaderboard) -> int:
    """The seed of resampling. Results show it, so it is not the campaign's seed, from which
    pseudonyms are derived.
    """
    return leaderboard.score_set.pk


def list_intervals(
    leaderboard: Leaderboard, entries: Sequence[LeaderboardEntry], name: str
) -> list[Estimate]:
    """A 95 % bootstrap interval of each run's mean, over topics; of estimates, that from the
    sample.
    """
    score_set = leaderboard.score_set
    if score_set.is_estimate:
        return [entry.estimates[name].estimate for entry in entries]
    key = score_set.pk, score_set.created_at, name, tuple(entry.run for entry in entries)

    def draw() -> list[Estimate]:
        sampling = ResamplingOptions(seed=comparison_seed(leaderboard), resamples=2000)
        values = values_by_run_and_topic(leaderboard, entries, name)
        return INTERVALS[INTERVAL].of_columns(values.T, sampling=sampling)

    return _intervals.get_or_compute(key, draw)


def compare_by_all_tests(
    leaderboard: Leaderboard, a: LeaderboardEntry, b: LeaderboardEntry, name: str
) -> Mapping[str, PairComparison]:
    """Two runs of a score set that is no estimate, by each test."""
    score_set = leaderboard.score_set

    def compute() -> Mapping[str, PairComparison]:
        first, second = values_by_run_and_topic(leaderboard, [a, b], name)
        seed = comparison_seed(leaderboard)
        return compare_pair_by_tests(first, second, seed=seed)

    return _tests.get_or_compute((score_set.pk, score_set.created_at, name, a.run, b.run), compute)


def discriminative_powers(
    leaderboard: Leaderboard, names: Sequence[str], choice: SignificanceChoice
) -> list[tuple[str, DiscriminativePower]]:
    """Discriminative power of each measure over all runs of the score set."""
    return [
        (name, discriminative_power(compare_all_runs(leaderboard, name, choice))) for name in names
    ]


def ranking_correlations(
    leaderboard: Leaderboard, names: Sequence[str], coefficient: str
) -> dict[tuple[str, str], Estimate]:
    """Rank correlations between measures, over all runs of the score set.

    Measures where lower is better rank in ascending order.
    """
    means = {
        name: (-1.0 if leaderboard.lower_is_better(name) else 1.0)
        * np.array([np.nan if (m := means[name]) is None else m for means in leaderboard.means])
        for name in names
    }
    return correlate_measures(means, CORRELATIONS[coefficient])
