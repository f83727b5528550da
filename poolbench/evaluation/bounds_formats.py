"""Reports of scores with bounds from unjudged documents, and of estimates with intervals."""

from collections.abc import Iterator, Sequence
from math import isfinite
from typing import Any, NamedTuple

from poolbench.evaluation.bounds import MeasureBounds
from poolbench.evaluation.evaluate import ScoredRun
from poolbench.evaluation.measures.family import Measure
from poolbench.evaluation.sampling_error import SamplingError
from poolbench.evaluation.trec_eval_text import ALL
from poolbench.reports.csv import merge_conditions
from poolbench.reports.report import Column, Report, Section, Table, make_columns
from poolbench.reports.writers import make_formats
from poolbench.statistics.estimate import nan_to_none


class RunBounds(NamedTuple):
    """The scores of one run and the bounds of each of its measures, in the same order."""

    scores: ScoredRun
    bounds: Sequence[MeasureBounds]


class BoundsRow(NamedTuple):
    """A value and its bounds; None where undefined."""

    bounds: MeasureBounds
    topic: str
    value: float | None
    low: float | None
    high: float | None

    @property
    def measure(self) -> Measure:
        return self.bounds.measure

    @property
    def is_exact(self) -> str:
        return str(self.bounds.exact).lower()


def format_bound(value: float) -> str:
    """Four decimals; counts, which are ``int``, without."""
    return str(value) if isinstance(value, int) else f"{value:.4f}"


COLUMNS = (
    *make_columns("run", "measure", "topic", left=True),
    *make_columns("value", "low", "high", show=format_bound),
)


def build_bounds_report(runs: Sequence[RunBounds], *, by_topic: bool, summary: bool) -> Report:
    """A line per value. CSV says whether the bounds are exact, JSON also why they are not."""

    def rows() -> Iterator[tuple[str, BoundsRow]]:
        for run in runs:
            for row in iter_bounds_rows(run, by_topic=by_topic, summary=summary):
                yield run.scores.tag, row

    cells = ((tag, row.measure.name, row.topic, *_shown_ends(row)) for tag, row in rows())
    records = ((tag, row.measure.name, *row[1:], row.is_exact) for tag, row in rows())
    return Report(
        title="Scores with bounds",
        sections=[Section("", (Table("bounds", COLUMNS, cells, tabs=True),))],
        conditions=merge_conditions([(run.scores.tag, run.scores.conditions) for run in runs]),
        record=Table("bounds", (*COLUMNS, Column("exact")), records),
        data=lambda: {
            "runs": [run_bounds_to_dict(run, by_topic=by_topic, summary=summary) for run in runs]
        },
    )


def _shown_ends(row: BoundsRow) -> Iterator[float | None]:
    for value in row[2:]:
        yield round(value) if row.measure.family.whole and value is not None else value


def run_bounds_to_dict(run: RunBounds, *, by_topic: bool, summary: bool) -> dict[str, Any]:
    """One run as plain values."""
    measures: dict[str, dict[str, Any]] = {
        bounds.measure.name: {
            "exact": bounds.exact,
            "reason": bounds.reason,
            "highest_grade": bounds.top,
        }
        for bounds in run.bounds
    }
    for row in iter_bounds_rows(run, by_topic=by_topic, summary=summary):
        ends = {"value": row.value, "low": row.low, "high": row.high}
        entry = measures[row.measure.name]
        if row.topic == ALL:
            entry[ALL] = ends
        else:
            entry.setdefault("topics", {})[row.topic] = ends
    return {"run": run.scores.tag, "conditions": run.scores.conditions, "bounds": measures}


def iter_bounds_rows(run: RunBounds, *, by_topic: bool, summary: bool) -> Iterator[BoundsRow]:
    """By measure, its topics first and all topics last; measures of text are left out."""
    scores = run.scores
    for place, bounds in enumerate(run.bounds):
        family = bounds.measure.family
        if by_topic and not (family.summary_only or family.text):
            ends = (scores.values[:, place].tolist(), bounds.low.tolist(), bounds.high.tolist())
            for topic, *values in zip(scores.topics, *ends, strict=True):
                finite = (value if isfinite(value) else None for value in values)
                yield BoundsRow(bounds, topic, *finite)
        if summary and not family.text:
            yield BoundsRow(bounds, ALL, scores.overall[place], bounds.mean_low, bounds.mean_high)


BOUNDS_FORMATS = make_formats(build_bounds_report, text="trec_eval")
"""By the names of the score formats."""


class RunIntervals(NamedTuple):
    """The intervals of one run, one per measure."""

    tag: str
    measures: Sequence[SamplingError]


INTERVAL_COLUMNS = (
    *make_columns("run", "measure", "topic", left=True),
    *make_columns("estimate", "low", "high", show=format_bound),
)


def build_intervals_report(
    runs: Sequence[RunIntervals], *, by_topic: bool, summary: bool
) -> Report:
    """A line per estimate."""
    rows = list(iter_interval_rows(runs, by_topic=by_topic, summary=summary))
    table = Table("intervals", INTERVAL_COLUMNS, rows, tabs=True)
    names = [column.name for column in INTERVAL_COLUMNS]
    return Report(
        title="Estimates with confidence intervals",
        sections=[Section("", (table,))],
        conditions={"confidence": 0.95},
        record=table,
        data=lambda: {"intervals": [dict(zip(names, row, strict=True)) for row in table.rows]},
    )


def iter_interval_rows(
    runs: Sequence[RunIntervals], *, by_topic: bool, summary: bool
) -> Iterator[tuple[str | float | None, ...]]:
    """By run and measure, its topics first and all topics last."""
    for tag, measures in runs:
        for error in measures:
            name = error.measure.name
            ends = (error.values.tolist(), error.low.tolist(), error.high.tolist())
            rows = zip(error.topics, *ends, strict=True) if by_topic else ()
            for topic, *interval in rows:
                yield tag, name, topic, *map(nan_to_none, interval)
            if summary:
                yield tag, name, ALL, error.overall.value, error.overall.low, error.overall.high


INTERVAL_FORMATS = make_formats(build_intervals_report, text="trec_eval")
"""By the names of the score formats."""
