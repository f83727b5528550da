"""Estimated scores of runs as a result: a table, pairs of runs, and a chart."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from poolbench.estimation.looks import build_measure_look
from poolbench.estimation.report import LEVEL, EstimateReport, MeasureReport, ScoreEstimates
from poolbench.evaluation.comparison.compare import Comparisons
from poolbench.evaluation.comparison.estimated import (
    build_row,
    compare_estimates,
    estimate_difference,
)
from poolbench.evaluation.comparison.marks import UNTESTED
from poolbench.files.name_lists import choose_named
from poolbench.notebooks import Frame, ResultTable, make_frame
from poolbench.statistics.estimate import Estimate

if TYPE_CHECKING:
    from poolbench.charts.chart import Chart

ALPHA = round(1 - LEVEL, 4)
CAPTION = (
    "Intervals hold the choice of the pairs judged; not documents outside the frame, and not how "
    "far assessors differ."
)
COLUMNS = (
    "measure", "run", "place", "value", "low", "high", "topics_low", "topics_high", "group",
    "drawn_in",
)  # fmt: skip


def iter_run_rows(
    report: MeasureReport, letters: Sequence[str], *, is_order_only: bool = False
) -> Iterator[tuple[Any, ...]]:
    """By place ``COLUMNS`` after the first; without intervals where only the order holds."""
    for at, row in enumerate(report.runs):
        ends = row.estimate.low, row.estimate.high, row.over_topics.low, row.over_topics.high
        known = (None,) * 4 if is_order_only else ends
        group = letters[at] if letters else UNTESTED
        yield row.run, row.place, row.estimate.value, *known, group, row.drawn_in


@dataclass(frozen=True, eq=False, repr=False)
class EstimatedScores(ResultTable):
    """Estimates of scores of runs with 95 % intervals; ``arrays`` are those behind ``report``, with
    ``runs`` in the order of the request. ``names``: the spelling of each measure by its printed
    name.
    """

    report: EstimateReport
    arrays: ScoreEstimates
    runs: tuple[str, ...]
    names: Mapping[str, str]

    def __repr__(self) -> str:
        judged = f"{self.report.judged:,} of {self.report.pairs:,} pairs judged"
        return f"<EstimatedScores: {', '.join(self.names.values())}; {judged}>"

    def __getitem__(self, measure: str) -> MeasureReport:
        """The runs by place by this measure; ``why`` says why there are no intervals."""
        printed = self._find_name(measure)
        return next(each for each in self.report.measures if each.measure == printed)

    @cached_property
    def letters(self) -> dict[str, tuple[str, ...]]:
        """By measure the letter groups of the runs by place, – without intervals. Two runs have no
        letter in common if the interval of their difference excludes 0.
        """
        return {
            each.measure: build_measure_look(
                each,
                self.arrays.measures[each.measure],
                self.runs,
                self.report.judged,
                self.report.pairs,
                looks=1,
            ).letters
            if each.why is None
            else (UNTESTED,) * len(self.runs)
            for each in self.report.measures
        }

    def to_frame(self) -> Frame:
        """A row per measure and run, by place: the value, its interval over samples, and the one
        over topics too; the letter group, and the value that the place is by if it was drawn in.
        NaN where there is none.
        """
        rows = list(self.iter_rows())
        numbers = (*COLUMNS[3:8], COLUMNS[-1])
        table = make_frame(rows, columns=list(COLUMNS))
        return table.astype(dict.fromkeys(numbers, "float64"))

    def iter_rows(self) -> Iterator[tuple[Any, ...]]:
        """``COLUMNS``, None where there is none."""
        for own in self.report.measures:
            for row in iter_run_rows(own, self.letters[own.measure]):
                yield self.names[own.measure], *row

    def compare(self, measure: str = "") -> Comparisons:
        """All pairs of runs by ``measure`` (default: the first), without a correction."""
        own, by_run = self[measure], self._list_estimates(measure)
        errors = self.arrays.measures[own.measure].difference_errors
        topics = self.report.topics
        return compare_estimates(self.runs, by_run, errors, topics=topics, alpha=ALPHA)

    def difference(self, first: str, second: str, measure: str = "") -> Estimate:
        """The first run less the second by ``measure`` (default: the first), with its interval."""
        place = {run: at for at, run in enumerate(self.runs)}
        pair = [choose_named(place, run, "run") for run in (first, second)]
        own = self[measure]
        scores = self.arrays.measures[own.measure]
        one, other = (float(scores.means[at]) for at in pair)
        error = float(scores.difference_errors[pair[0], pair[1]])
        row = build_row((first, second), one - other, error, own.why, self.report.judged, ALPHA)
        return estimate_difference(row, error)

    def chart(self, measure: str = "") -> Chart:
        """Estimate and interval of each run by ``measure`` (default: the first), by place."""
        from poolbench.evaluation.charts.runs import build_caterpillar

        own = self[measure]
        runs, estimates = [row.run for row in own.runs], [row.estimate for row in own.runs]
        name = self.names[own.measure]
        return build_caterpillar(name, runs, estimates, [False] * len(runs), CAPTION)

    def _find_name(self, measure: str) -> str:
        printed = {spelling: name for name, spelling in self.names.items()}
        named = printed | {name: name for name in self.names}
        return choose_named(named, measure or next(iter(printed)), "measure")

    def _list_estimates(self, measure: str) -> list[Estimate]:
        """The estimates in the order of ``runs``."""
        by_run = {row.run: row.estimate for row in self[measure].runs}
        return [by_run[run] for run in self.runs]
