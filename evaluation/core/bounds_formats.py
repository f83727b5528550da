"""Format values with their bounds from unjudged documents: table, CSV, JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from math import isfinite
from typing import Any, NamedTuple

from campaigns.core.csv_files import merge_conditions, write_csv
from evaluation.core.bounds import MeasureBounds
from evaluation.core.evaluate import ScoredRun
from evaluation.core.formats import ALL, UNDEFINED
from evaluation.core.measures.family import Measure

COLUMNS = ("run", "measure", "topic", "value", "low", "high")


class RunBounds(NamedTuple):
    """The scores of one run and the bounds of each of its measures, in the same order."""

    scores: ScoredRun
    bounds: Sequence[MeasureBounds]


class BoundsRow(NamedTuple):
    """A value and its bounds; None where undefined."""

    measure: Measure
    topic: str
    value: float | None
    low: float | None
    high: float | None


def bounds_to_table(runs: Sequence[RunBounds], *, by_topic: bool, summary: bool) -> str:
    """Tab-separated columns with a header, four decimals, null where undefined."""
    lines = ["\t".join(COLUMNS)]
    for run in runs:
        for row in iter_bounds_rows(run, by_topic=by_topic, summary=summary):
            cells = [_format_value(row.measure, value) for value in row[2:]]
            lines.append("\t".join([run.scores.tag, row.measure.name, row.topic, *cells]))
    return "\n".join([*lines, ""])


def bounds_to_csv(runs: Sequence[RunBounds], *, by_topic: bool, summary: bool) -> str:
    """The same in full precision, empty where undefined; with a column that says whether the
    bounds are exact, and the provenance of all runs before the header."""
    rows: list[Sequence[object]] = []
    for run in runs:
        exact = {bounds.measure: str(bounds.exact).lower() for bounds in run.bounds}
        rows += [
            (run.scores.tag, row.measure.name, *row[1:], exact[row.measure])
            for row in iter_bounds_rows(run, by_topic=by_topic, summary=summary)
        ]
    conditions = merge_conditions([(run.scores.tag, run.scores.conditions) for run in runs])
    return write_csv("bounds", (*COLUMNS, "exact"), rows, conditions)


def bounds_to_json(runs: Sequence[RunBounds], *, by_topic: bool, summary: bool) -> str:
    """A list of runs with provenance and, by measure, value and bounds; undefined is null."""
    content = [run_bounds_to_dict(run, by_topic=by_topic, summary=summary) for run in runs]
    return json.dumps({"runs": content}, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


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
        measure = bounds.measure
        if by_topic and not (measure.family.summary_only or measure.family.text):
            ends = (scores.values[:, place].tolist(), bounds.low.tolist(), bounds.high.tolist())
            for topic, *values in zip(scores.topics, *ends, strict=True):
                yield BoundsRow(measure, topic, *map(_finite_or_none, values))
        if summary and not measure.family.text:
            yield BoundsRow(measure, ALL, scores.means[place], bounds.mean_low, bounds.mean_high)


def _finite_or_none(value: float) -> float | None:
    return value if isfinite(value) else None


def _format_value(measure: Measure, value: float | None) -> str:
    if value is None:
        return UNDEFINED
    return f"{value:.0f}" if measure.family.whole else f"{value:.4f}"


BOUNDS_FORMATS: dict[str, Callable[..., str]] = {
    "trec_eval": bounds_to_table,
    "csv": bounds_to_csv,
    "json": bounds_to_json,
}
"""By the names of the score formats."""
