"""Estimates with their confidence intervals as a report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from poolbench.evaluation.bounds_formats import format_bound
from poolbench.evaluation.formats import ALL
from poolbench.evaluation.sampling_error import SamplingError
from poolbench.reports.report import Report, Section, Table, make_columns
from poolbench.reports.writers import make_formats
from poolbench.statistics.estimate import nan_to_none


class RunIntervals(NamedTuple):
    """The intervals of one run, one per measure."""

    tag: str
    measures: Sequence[SamplingError]


Row = tuple[str, str, str, tuple[float | None, ...]]
"""Run, measure, topic, interval."""
COLUMNS = (
    *make_columns("run", "measure", "topic", left=True),
    *make_columns("estimate", "low", "high", show=format_bound),
)


def build_intervals_report(
    runs: Sequence[RunIntervals], *, by_topic: bool, summary: bool
) -> Report:
    """A line per estimate."""
    rows = interval_rows(runs, by_topic=by_topic, summary=summary)
    table = Table("intervals", COLUMNS, [(*named, *ends) for *named, ends in rows], tabs=True)
    names = [column.name for column in COLUMNS]
    return Report(
        title="Estimates with confidence intervals",
        sections=[Section("", (table,))],
        conditions={"confidence": 0.95},
        record=table,
        data=lambda: {"intervals": [dict(zip(names, row, strict=True)) for row in table.rows]},
    )


def interval_rows(runs: Sequence[RunIntervals], *, by_topic: bool, summary: bool) -> Iterator[Row]:
    """By run and measure, its topics first and all topics last."""
    for tag, measures in runs:
        for error in measures:
            name = error.measure.name
            ends = (error.values.tolist(), error.low.tolist(), error.high.tolist())
            rows = zip(error.topics, *ends, strict=True) if by_topic else ()
            for topic, *interval in rows:
                yield tag, name, topic, tuple(map(nan_to_none, interval))
            if summary:
                overall = error.overall
                yield tag, name, ALL, (overall.value, overall.low, overall.high)


INTERVAL_FORMATS = make_formats(build_intervals_report, text="trec_eval")
"""By the names of the score formats."""
