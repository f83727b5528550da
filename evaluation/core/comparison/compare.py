"""Compare two runs, or all pairs of runs, by their values per topic."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from common.statistics.draws import Floats, ResamplingOptions
from common.statistics.estimate import Estimate, nan_to_none
from evaluation.core.comparison.effect import (
    EFFECTS,
    WinLossTie,
    count_wins_and_losses,
    standardize_differences,
)
from evaluation.core.comparison.family import FamilyTest, run_pair_indices
from evaluation.core.comparison.interval import INTERVALS
from evaluation.core.comparison.paired_tests import PairedOutcome, PairedTest
from evaluation.core.comparison.paired_values import (
    Places,
    group_rows_by_topics,
    select_common_topics,
    subtract_without_noise,
)
from evaluation.core.comparison.registry import CORRECTIONS, FAMILY_TESTS, TESTS

if TYPE_CHECKING:
    from pandas import DataFrame

OWN_CORRECTION = "corrects for multiple comparisons itself; use the correction none."
FAMILY_WISE = ("holm", "bonferroni")
"""Corrections that multiply the smallest p value by the number of pairs."""
CELLS = 1 << 21
"""Pairs × topics processed at a time."""


class UnknownTestError(ValueError):
    """An unknown test or correction, or a combination that is not possible."""


@dataclass(frozen=True)
class PairComparison:
    """Two runs on the ``n`` topics with a value for both; ``left_out`` topics lack a value.

    Means and differences are over those n topics; differences are first minus second.
    """

    n: int
    left_out: int
    means: tuple[float | None, float | None]
    outcome: PairedOutcome
    balance: WinLossTie
    intervals: dict[str, Estimate]
    effects: dict[str, Estimate]


class PairRow(NamedTuple):
    """One run pair of the table of all pairs; None where undefined, and ``reason`` says why."""

    first: str
    second: str
    n: int
    difference: float | None
    effect: float | None
    wins: int
    losses: int
    ties: int
    statistic: float | None
    p_value: float | None
    adjusted: float | None
    different: bool
    note: str = ""
    reason: str | None = None

    def swapped(self, test: str) -> PairRow:
        """The same pair with the runs swapped, under ``test``. Two-sided p values do not change."""
        statistic = self.statistic
        if test == "sign":
            statistic = None if statistic is None else float(self.losses)
        elif test in TESTS and statistic is not None:
            statistic = -statistic
        return self._replace(
            first=self.second,
            second=self.first,
            difference=None if self.difference is None else -self.difference,
            effect=None if self.effect is None else -self.effect,
            wins=self.losses,
            losses=self.wins,
            statistic=statistic,
        )


@dataclass(frozen=True, repr=False)
class Comparisons:
    """All run pairs under one test and one correction.

    ``means`` has each run's mean over its own topics with Student's interval at confidence 1 −
    ``alpha``. ``left_out`` is the number of topics without a value for every run. ``critical``
    is the smallest significant difference, for tests that have one for all pairs (Tukey's HSD).
    ``corrected_over`` is the number of pairs that p was adjusted for; it exceeds the number of
    rows in a ``part``.
    """

    tags: tuple[str, ...]
    test: str
    correction: str
    alpha: float
    sampling: ResamplingOptions
    topics: int
    left_out: int
    means: tuple[Estimate, ...]
    rows: tuple[PairRow, ...]
    critical: float | None = None
    corrected_over: int = 0

    def __repr__(self) -> str:
        return (
            f"<Comparisons of {len(self.tags)} runs by {self.test}, {self.correction}: "
            f"{len(self.different)} of {len(self.rows)} pairs differ>"
        )

    def to_frame(self) -> DataFrame:
        """One row per run pair, with the fields of ``PairRow``; NaN where undefined."""
        from pandas import DataFrame

        return DataFrame(list(self.rows), columns=PairRow._fields)

    @property
    def different(self) -> tuple[PairRow, ...]:
        """The pairs that differ significantly: adjusted p ≤ alpha."""
        return tuple(row for row in self.rows if row.different)

    @property
    def warning(self) -> str:
        """Why no pair can differ significantly, whatever the values; empty if some can."""
        if self.correction not in FAMILY_WISE or self.test not in TESTS:
            return ""
        most = max((row.n for row in self.rows), default=0)
        least = TESTS[self.test].smallest(most, self.sampling) * self.corrected_over
        if least <= self.alpha:
            return ""
        return (
            f"no pair can be significant: over {self.corrected_over} pairs the smallest "
            f"possible adjusted p of this test is {least:.3g}, above {self.alpha:g}; use more "
            "resamples or topics, or tukey-hsd or randomised-tukey-hsd"
        )

    def part(self, names: Mapping[str, str]) -> Comparisons:
        """The rows among some runs, which are renamed by ``names``, in that order.

        p values remain those of all pairs: selecting rows does not change what was tested.
        """
        place = {tag: at for at, tag in enumerate(names)}
        means = dict(zip(self.tags, self.means, strict=True))
        rows = [row for row in self.rows if row.first in place and row.second in place]
        ordered = [
            row if place[row.first] < place[row.second] else row.swapped(self.test) for row in rows
        ]
        ordered.sort(key=lambda row: (place[row.first], place[row.second]))
        renamed = [r._replace(first=names[r.first], second=names[r.second]) for r in ordered]
        return replace(
            self,
            tags=tuple(names.values()),
            means=tuple(means[tag] for tag in names),
            rows=tuple(renamed),
        )

    def corrected(self, correction: str) -> Comparisons:
        """The same tests with another correction; for all pairs, not for a ``part``."""
        if correction == self.correction:
            return self
        raw = np.array([np.nan if row.p_value is None else row.p_value for row in self.rows])
        adjusted = CORRECTIONS[choose_correction(self.test, correction)].adjust(raw)
        pairs_of_p = zip(self.rows, adjusted.tolist(), strict=True)
        rows = (
            row._replace(adjusted=nan_to_none(p), different=p <= self.alpha)
            for row, p in pairs_of_p
        )
        return replace(self, correction=correction, rows=tuple(rows))

    def conditions(self) -> dict[str, Any]:
        """The provenance of the result: settings other than the values, as plain values."""
        return {
            "test": self.test,
            "correction": self.correction,
            "alpha": self.alpha,
            "seed": self.sampling.seed,
            "resamples": self.sampling.resamples,
            "runs": len(self.tags),
            "pairs": len(self.rows),
            "pairs_corrected_over": self.corrected_over,
            "topics": self.topics,
            "topics_not_in_all_runs": self.left_out,
            "critical_difference": self.critical,
            "warning": self.warning or None,
        }


def compare_pair(
    values_a: Floats,
    values_b: Floats,
    *,
    test: str = "t",
    seed: int = 0,
    resamples: int = 10_000,
    confidence: float = 0.95,
) -> PairComparison:
    """Compare two runs' values on the same list of topics; NaN where undefined.

    Raises ``UnknownTestError`` for a ``test`` that is not in ``TESTS``.
    """
    sampling = ResamplingOptions(seed, resamples)
    first, second = select_common_topics(np.asarray(values_a, float), np.asarray(values_b, float))
    differences = subtract_without_noise(first, second)
    n = len(differences)
    return PairComparison(
        n=n,
        left_out=len(values_a) - n,
        means=(float(first.mean()), float(second.mean())) if n else (None, None),
        outcome=get_paired_test(test).of_pair(first, second, sampling),
        balance=count_wins_and_losses(first, second),
        intervals={k: m.of_mean(differences, confidence, sampling) for k, m in INTERVALS.items()},
        effects={name: effect.of_pair(first, second) for name, effect in EFFECTS.items()},
    )


def compare_all(
    values: Floats,
    tags: Sequence[str],
    *,
    test: str = "t",
    correction: str | None = None,
    alpha: float = 0.05,
    seed: int = 0,
    resamples: int = 10_000,
) -> Comparisons:
    """Compare all run pairs; ``values`` is runs × topics, NaN where undefined.

    A paired test uses the topics with a value for both runs, followed by a correction (default:
    Holm's); Tukey's HSD uses the topics with a value for all runs, and no correction. The same
    seed gives the same result, and the uncorrected result of a pair does not depend on other
    pairs. Raises ``UnknownTestError``.
    """
    values = np.asarray(values, np.float64)
    if values.ndim != 2 or len(values) != len(tags):
        raise ValueError("values must be runs × topics, with one tag per run")
    if not 0 < alpha < 1:
        raise ValueError("alpha must be between 0 and 1")
    correction = choose_correction(test, correction)
    sampling = ResamplingOptions(seed, resamples)
    if test in FAMILY_TESTS:
        tested, critical = _family(FAMILY_TESTS[test], values, alpha, sampling)
    else:
        tested, critical = _paired(TESTS[test], values, sampling), None
    compared = Comparisons(
        tags=tuple(tags),
        test=test,
        correction="none",
        alpha=alpha,
        sampling=sampling,
        topics=values.shape[1],
        left_out=int(np.isnan(values).any(axis=0).sum()),
        means=tuple(INTERVALS["t"].of_columns(values.T, 1 - alpha)),
        rows=tuple(_rows(tested, tags, alpha)),
        critical=critical,
        corrected_over=len(tags) * (len(tags) - 1) // 2,
    )
    return compared.corrected(correction)


def get_paired_test(name: str) -> PairedTest:
    """The paired test ``name``, or ``UnknownTestError``."""
    if name not in TESTS:
        raise UnknownTestError(f"unknown paired test {name!r}; use one of {', '.join(TESTS)}")
    return TESTS[name]


def choose_correction(test: str, correction: str | None) -> str:
    """The correction for ``test``: the given one, else Holm's, or none for Tukey's HSD."""
    if test not in TESTS and test not in FAMILY_TESTS:
        known = ", ".join([*TESTS, *FAMILY_TESTS])
        raise UnknownTestError(f"unknown test {test!r}; use one of {known}")
    chosen = correction or ("none" if test in FAMILY_TESTS else "holm")
    if chosen not in CORRECTIONS:
        raise UnknownTestError(
            f"unknown correction {chosen!r}; use one of {', '.join(CORRECTIONS)}"
        )
    if test in FAMILY_TESTS and chosen != "none":
        raise UnknownTestError(f"{test} {OWN_CORRECTION}")
    return chosen


@dataclass(frozen=True, eq=False)
class _PairTests:
    """Every pair in the order of ``run_pair_indices``: differences, effects, wins and losses,
    outcome."""

    difference: Floats
    effect: Floats
    won: NDArray[np.int64]
    lost: NDArray[np.int64]
    outcomes: list[PairedOutcome]


def _paired(test: PairedTest, values: Floats, sampling: ResamplingOptions) -> _PairTests:
    first, second = run_pair_indices(len(values))
    tested = _empty(len(first), test.name)
    for rows, topics in _shared(~np.isnan(values), first, second):
        differences = subtract_without_noise(
            values[first[rows]][:, topics],
            values[second[rows]][:, topics],
        )
        _describe(tested, rows, differences)
        outcomes = test.of_differences(differences, sampling)
        for row, outcome in zip(rows.tolist(), outcomes, strict=True):
            tested.outcomes[row] = outcome
    return tested


def _family(
    test: FamilyTest, values: Floats, alpha: float, sampling: ResamplingOptions
) -> tuple[_PairTests, float | None]:
    outcome = test.of_runs(values, alpha, sampling)
    complete = values[:, ~np.isnan(values).any(axis=0)]
    first, second = run_pair_indices(len(values))
    tested = _empty(len(first), test.name)
    for rows in np.array_split(np.arange(len(first)), 1 + complete.shape[1] * len(first) // CELLS):
        _describe(
            tested, rows, subtract_without_noise(complete[first[rows]], complete[second[rows]])
        )
    for row in range(len(first)):
        tested_row = nan_to_none(outcome.statistic[row]), nan_to_none(outcome.p_value[row])
        tested.outcomes[row] = PairedOutcome(
            test.name, *tested_row, outcome.n, outcome.note, outcome.reason
        )
    return tested, outcome.critical


def _shared(
    defined: NDArray[np.bool_], first: Places, second: Places
) -> Iterator[tuple[Places, Places]]:
    """Pairs with the same common topics, and those topics, as many pairs as fit in memory."""
    for rows, topics in group_rows_by_topics(defined[first] & defined[second]):
        for part in np.array_split(rows, 1 + len(rows) * len(topics) // CELLS):
            yield part, topics


def _empty(count: int, test: str) -> _PairTests:
    return _PairTests(
        np.full(count, np.nan),
        np.full(count, np.nan),
        np.zeros(count, np.int64),
        np.zeros(count, np.int64),
        [PairedOutcome(test, None, None, 0)] * count,
    )


def _describe(tested: _PairTests, rows: Places, differences: Floats) -> None:
    """Fill in what does not depend on the test; ``differences`` is pairs × topics for ``rows``."""
    n = differences.shape[1]
    tested.won[rows] = (differences > 0).sum(axis=1)
    tested.lost[rows] = (differences < 0).sum(axis=1)
    if n > 0:
        tested.difference[rows] = differences.mean(axis=1)
    if n > 1:
        tested.effect[rows] = standardize_differences(differences)


def _rows(tested: _PairTests, tags: Sequence[str], alpha: float) -> Iterator[PairRow]:
    """The pairs without a correction."""
    columns = zip(
        *(places.tolist() for places in run_pair_indices(len(tags))),
        tested.won.tolist(),
        tested.lost.tolist(),
        tested.difference.tolist(),
        tested.effect.tolist(),
        tested.outcomes,
        strict=True,
    )
    for first, second, won, lost, difference, effect, outcome in columns:
        yield PairRow(
            first=tags[first],
            second=tags[second],
            n=outcome.n,
            difference=nan_to_none(difference),
            effect=nan_to_none(effect),
            wins=won,
            losses=lost,
            ties=outcome.n - won - lost,
            statistic=outcome.statistic,
            p_value=outcome.p_value,
            adjusted=outcome.p_value,
            different=outcome.p_value is not None and outcome.p_value <= alpha,
            note=outcome.note,
            reason=outcome.reason,
        )
