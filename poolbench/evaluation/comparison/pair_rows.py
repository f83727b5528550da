"""The rows of a comparison of all run pairs, with what does not depend on the test."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from poolbench.evaluation.comparison.effect import standardize_differences
from poolbench.evaluation.comparison.family import FamilyTest, run_pair_indices
from poolbench.evaluation.comparison.paired_tests import PairedOutcome, PairedTest
from poolbench.evaluation.comparison.paired_values import (
    Places,
    group_rows_by_topics,
    subtract_without_noise,
)
from poolbench.evaluation.comparison.registry import SAMPLE_INTERVALS, TESTS
from poolbench.statistics.draws import Floats, ResamplingOptions
from poolbench.statistics.estimate import nan_to_none

CELLS = 1 << 21
"""Pairs × topics processed at a time."""


class PairRow(NamedTuple):
    """One run pair of the table of all pairs; None where undefined, and ``reason`` says why.

    Estimates from a sample have no effect and no wins, losses and ties.
    """

    first: str
    second: str
    n: int
    difference: float | None
    effect: float | None
    wins: int | None
    losses: int | None
    ties: int | None
    statistic: float | None
    p_value: float | None
    adjusted: float | None
    different: bool
    note: str = ""
    reason: str | None = None

    def swapped(self, test: str) -> "PairRow":
        """The same pair with the runs swapped, under ``test``. Two-sided p values do not change."""
        statistic, difference, effect = self.statistic, self.difference, self.effect
        if test == "sign":
            statistic = None if self.losses is None or statistic is None else float(self.losses)
        elif (test in TESTS or test == SAMPLE_INTERVALS.name) and statistic is not None:
            statistic = -statistic
        # Three times as quick as ``_replace``: 143 runs have 10,000 pairs per measure.
        return PairRow(
            self.second,
            self.first,
            self.n,
            None if difference is None else -difference,
            None if effect is None else -effect,
            self.losses,
            self.wins,
            self.ties,
            statistic,
            *self[9:],
        )


def compare_pairs(
    test: PairedTest | FamilyTest,
    values: Floats,
    tags: Sequence[str],
    alpha: float,
    sampling: ResamplingOptions,
) -> tuple[tuple[PairRow, ...], float | None]:
    """Every pair in the order of ``run_pair_indices``, without a correction, and the critical
    difference of a test of all runs at once.
    """
    known, critical = list[PairedOutcome](), None
    if isinstance(test, FamilyTest):
        known, critical = test.of_runs(values, alpha, sampling).list_pairs()
    pairs = list(zip(*(places.tolist() for places in run_pair_indices(len(tags))), strict=True))
    rows: dict[int, PairRow] = {}
    for places, differences in _iter_differences(values, complete=isinstance(test, FamilyTest)):
        undefined = np.full(len(places), np.nan)
        columns = (
            differences.mean(axis=1) if differences.shape[1] else undefined,
            standardize_differences(differences) if differences.shape[1] > 1 else undefined,
            (differences > 0).sum(axis=1),
            (differences < 0).sum(axis=1),
        )
        outcomes = (
            test.of_differences(differences, sampling)
            if isinstance(test, PairedTest)
            else [known[place] for place in places.tolist()]
        )
        described = zip(
            places.tolist(), outcomes, *(each.tolist() for each in columns), strict=True
        )
        for place, outcome, difference, effect, won, lost in described:
            first, second = pairs[place]
            statistic, p_value, n, note, reason = outcome
            # By position: half the time of names, for 8,256 pairs of 129 runs and each measure.
            rows[place] = PairRow(
                tags[first],
                tags[second],
                n,
                nan_to_none(difference),
                nan_to_none(effect),
                won,
                lost,
                n - won - lost,
                statistic,
                p_value,
                p_value,
                p_value is not None and p_value <= alpha,
                note,
                reason,
            )
    return tuple(rows[place] for place in range(len(pairs))), critical


def _iter_differences(values: Floats, *, complete: bool) -> Iterator[tuple[Places, Floats]]:
    """Pairs, as many as fit in memory, and their differences on the topics with values for both
    runs; ``complete``: for all runs.
    """
    first, second = run_pair_indices(len(values))
    defined = ~np.isnan(values)
    if complete:
        common = values[:, defined.all(axis=0)]
        blocks = 1 + common.shape[1] * len(first) // CELLS
        for rows in np.array_split(np.arange(len(first)), blocks):
            yield rows, subtract_without_noise(common[first[rows]], common[second[rows]])
        return
    for alike, topics in group_rows_by_topics(defined[first] & defined[second]):
        for rows in np.array_split(alike, 1 + len(alike) * len(topics) // CELLS):
            pair = values[first[rows]][:, topics], values[second[rows]][:, topics]
            yield rows, subtract_without_noise(*pair)
