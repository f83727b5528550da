"""The comparison of measures as a report: rank correlations and discriminative power."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from poolbench.evaluation.comparison.discriminative import DiscriminativePower
from poolbench.evaluation.comparison.formats import format_p_value
from poolbench.evaluation.measures.titles import format_measure_title
from poolbench.reports.report import Column, Report, Section, Table, make_columns
from poolbench.reports.writers import make_formats
from poolbench.statistics.estimate import Estimate

Correlations = Mapping[tuple[str, str], Estimate]


def build_measures_report(
    coefficient: str,
    names: Sequence[str],
    correlations: Correlations,
    powers: Sequence[tuple[str, DiscriminativePower]],
    conditions: Mapping[str, Any],
) -> Report:
    """The matrix of ``names`` by the coefficient of that title; CSV has a line per pair."""
    heads = (
        Column("measure", format=format_measure_title, left=True),
        *(Column(name, format_measure_title(name), format_p_value) for name in names),
    )
    cells = [
        (row, *(get_correlation(correlations, row, column) for column in names)) for row in names
    ]
    power = Table(
        "power",
        (
            Column("measure", format=format_measure_title, left=True),
            *make_columns("different", "pairs"),
            Column("share", format=format_p_value),
        ),
        [(name, one.different, one.pairs, one.share) for name, one in powers],
        "Discriminative power: share of run pairs that differ significantly",
    )
    matrix = Table("correlations", heads, cells, f"{coefficient} between the rankings of runs")
    return Report(
        title="Comparison of measures",
        sections=[
            Section("Rank correlations", (matrix,)),
            Section("Discriminative power", (power,)),
        ],
        conditions=dict(conditions),
        record=Table(
            "correlations",
            make_columns("first", "second", "value", "n", "reason"),
            iter_pairs(names, correlations),
        ),
        data=lambda: {
            "conditions": dict(conditions),
            "correlations": [
                dict(zip(("first", "second", "value", "n", "reason"), row, strict=True))
                for row in iter_pairs(names, correlations)
            ],
            "power": {name: asdict(one) for name, one in powers},
        },
    )


def get_correlation(correlations: Correlations, first: str, second: str) -> float | None:
    """1 of a measure with itself; of a pair in either order."""
    if first == second:
        return 1.0
    estimate = correlations.get((first, second)) or correlations[second, first]
    return estimate.value


def iter_pairs(names: Sequence[str], correlations: Correlations) -> Iterator[tuple[object, ...]]:
    for first in names:
        for second in names:
            if estimate := correlations.get((first, second)):
                yield first, second, estimate.value, estimate.n, estimate.why or ""


MEASURES_FORMATS = make_formats(build_measures_report)
