"""Compare two runs, or all pairs of runs, by their values per topic."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from poolbench.evaluation.comparison.effect import EFFECTS, WinLossTie, count_wins_and_losses
from poolbench.evaluation.comparison.interval import INTERVALS
from poolbench.evaluation.comparison.pair_rows import PairRow, compare_pairs
from poolbench.evaluation.comparison.paired_tests import PairedOutcome, PairedTest
from poolbench.evaluation.comparison.paired_values import (
    select_common_topics,
    subtract_without_noise,
)
from poolbench.evaluation.comparison.registry import (
    CORRECTIONS,
    FAMILY_TESTS,
    SAMPLE_INTERVALS,
    TESTS,
)
from poolbench.notebooks import Frame, ResultTable, make_frame
from poolbench.statistics.draws import Floats, ResamplingOptions
from poolbench.statistics.estimate import Estimate, nan_to_none

if TYPE_CHECKING:
    from poolbench.charts.chart import Chart

OWN_CORRECTION = "corrects for multiple comparisons itself; use the correction none."
FAMILY_WISE = ("holm", "bonferroni")
"""Corrections that multiply the smallest p value by the number of pairs."""


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


@dataclass(frozen=True, repr=False)
class Comparisons(ResultTable):
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

    def to_frame(self) -> Frame:
        """One row per run pair, with the fields of ``PairRow``; NaN where undefined."""
        return make_frame(list(self.rows), columns=PairRow._fields)

    def chart(self) -> Chart:
        """A heat map of the differences, row minus column; significant ones are dark."""
        from poolbench.evaluation.charts.scores import build_difference_map

        return build_difference_map(self)

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
        ordered = {}
        for row in self.rows:
            if row.first in place and row.second in place:
                swap = place[row.first] > place[row.second]
                one = row.swapped(self.test) if swap else row
                ordered[place[one.first], place[one.second]] = PairRow(
                    names[one.first], names[one.second], *one[2:]
                )
        return replace(
            self,
            tags=tuple(names.values()),
            means=tuple(means[tag] for tag in names),
            rows=tuple(ordered[places] for places in sorted(ordered)),
        )

    def corrected(self, correction: str) -> Comparisons:
        """The same tests with another correction; for all pairs, not for a ``part``."""
        if correction == self.correction:
            return self
        raw = np.array([np.nan if row.p_value is None else row.p_value for row in self.rows])
        if self.test != SAMPLE_INTERVALS.name:
            correction = choose_correction(self.test, correction)
        adjusted = CORRECTIONS[correction].adjust(raw)
        pairs_of_p = zip(self.rows, adjusted.tolist(), strict=True)
        rows = (
            PairRow(*row[:10], nan_to_none(p), p <= self.alpha, *row[12:]) for row, p in pairs_of_p
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
    values_a: Floats, values_b: Floats, *, test: str = "t", seed: int = 0, resamples: int = 10_000
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
        intervals={k: m.of_mean(differences, sampling=sampling) for k, m in INTERVALS.items()},
        effects={name: effect.of_pair(first, second) for name, effect in EFFECTS.items()},
    )


def compare_pair_by_tests(
    values_a: Floats, values_b: Floats, *, seed: int = 0, resamples: int = 10_000
) -> dict[str, PairComparison]:
    """``compare_pair`` by each of ``TESTS``; what they have in common is computed once."""
    common = compare_pair(values_a, values_b, seed=seed, resamples=resamples)
    first, second = select_common_topics(np.asarray(values_a, float), np.asarray(values_b, float))
    sampling = ResamplingOptions(seed, resamples)
    return {
        name: replace(common, outcome=get_paired_test(name).of_pair(first, second, sampling))
        for name in TESTS
    }


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
    known = (TESTS | FAMILY_TESTS)[test]
    rows, critical = compare_pairs(known, values, tags, alpha, sampling)
    compared = Comparisons(
        tags=tuple(tags),
        test=test,
        correction="none",
        alpha=alpha,
        sampling=sampling,
        topics=values.shape[1],
        left_out=int(np.isnan(values).any(axis=0).sum()),
        means=tuple(INTERVALS["t"].of_columns(values.T, 1 - alpha)),
        rows=rows,
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
