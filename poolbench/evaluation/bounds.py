"""Score bounds from unjudged retrieved documents.

Whatever grades these documents get, from 0 to the highest of the scale, each topic's value lies
within its bounds. Documents that are not retrieved do not change; those that would only raise R
are not considered. A measure that skips unjudged documents, such as bpref or any with
``list=condensed``, may have a current value outside its bounds, since it is not a completion.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from poolbench.evaluation.batch import ScoringBatch
from poolbench.evaluation.bounding.extremes import Extremes, compute_extremes
from poolbench.evaluation.bounding.solvers import Sides, choose_completions, find_solver
from poolbench.evaluation.completions import CompletionRankings
from poolbench.evaluation.evaluate import aggregate_defined_values, select_measures
from poolbench.evaluation.inputs import QrelsLike, read_sources
from poolbench.evaluation.judgments import Floats, JudgmentTable, Mask
from poolbench.evaluation.matching import batch_from_table, check_common_topic
from poolbench.evaluation.measures.family import Measure
from poolbench.evaluation.measures.modifiers import MODIFIERS
from poolbench.evaluation.measures.registry import DEFAULT_NAMES
from poolbench.evaluation.options import ScoringOptions
from poolbench.evaluation.scale import top_grade
from poolbench.runs.inputs import RunLike
from poolbench.runs.tables import RunTable

NO_OVERALL = "its value over all topics does not follow from the values by topic"
LOOSE = "the bounds may be wider than necessary"


@dataclass(frozen=True, eq=False)
class MeasureBounds:
    """``low`` and ``high`` by topic: NaN if the value is undefined in every completion, infinite
    if no bound is known. ``mean_low`` and ``mean_high`` are the bounds of the value over all
    topics, None if there are none. ``top`` is the highest grade that unjudged documents may get.
    ``exact``: each bound is attained by a completion. ``reason`` says why bounds are missing or
    loose."""

    measure: Measure
    low: Floats
    high: Floats
    mean_low: float | None
    mean_high: float | None
    top: int
    exact: bool = True
    reason: str = ""


def compute_run_bounds(
    run: RunLike,
    qrels: QrelsLike,
    measures: Iterable[str | Measure] = DEFAULT_NAMES,
    options: ScoringOptions | None = None,
) -> tuple[MeasureBounds, ...]:
    """The bounds of each measure for ``run``; topics and measures as in ``evaluate``.

    ``judged_only`` makes no difference: in a completion all documents are judged. Raises as
    ``evaluate`` does.
    """
    options = options or ScoringOptions()
    (table,), judged = read_sources([run], qrels)
    return compute_table_bounds(table, judged, tuple(select_measures(measures, options)), options)


def compute_table_bounds(
    table: RunTable, judged: JudgmentTable, measures: Sequence[Measure], options: ScoringOptions
) -> tuple[MeasureBounds, ...]:
    """The bounds for a run that has been read."""
    check_common_topic(table, judged)
    batch = batch_from_table(table, judged, replace(options, judged_only=False))
    return compute_bounds(batch, measures)


def compute_bounds(batch: ScoringBatch, measures: Sequence[Measure]) -> tuple[MeasureBounds, ...]:
    """The bounds of each measure for the rankings of ``batch``, which must not be condensed."""
    bounds: dict[Measure, MeasureBounds] = {}
    tried: dict[tuple[object, Sides], tuple[ScoringBatch, list[Measure]]] = {}
    for measure in measures:
        base, changed = batch, _changed(measure)
        for name, value in changed:
            base = MODIFIERS[name].apply(base, value)
        if (solve := find_solver(measure)) is not None:
            bounds[measure] = _bounds(measure, base, solve(measure, base))
        else:
            key = (changed, choose_completions(measure, base))
            _, together = tried.setdefault(key, (base, []))
            together.append(measure)
    for (_, sides), (base, together) in tried.items():
        each = compute_extremes(CompletionRankings.from_batch(base), sides, together)
        for measure, extreme in zip(together, each, strict=True):
            bounds[measure] = _bounds(measure, base, _with_range(measure, extreme))
    return tuple(bounds[measure] for measure in measures)


def _changed(measure: Measure) -> tuple[tuple[str, Any], ...]:
    """The modifiers of ``measure`` that change its completions."""
    own = (pair for pair in measure.params if pair[0] in measure.family.modifiers)
    return tuple((name, value) for name, value in own if name in ("rel", "unjudged"))


def _with_range(measure: Measure, extremes: Extremes) -> Extremes:
    """``extremes``, with the range of the measure if there were too many completions to try."""
    if extremes.exact:
        return extremes
    floor, ceiling = parse_card_range(measure.family.range)
    untried = ~extremes.tried
    low, high, partly = extremes.low.copy(), extremes.high.copy(), extremes.partly.copy()
    low[untried], high[untried] = floor, ceiling
    partly[untried] = bool(measure.family.undefined)
    return replace(extremes, low=low, high=high, partly=partly)


def _bounds(measure: Measure, base: ScoringBatch, extremes: Extremes) -> MeasureBounds:
    low, high, overall = extremes.low, extremes.high, extremes.overall
    reason = extremes.reason or ("" if extremes.exact else LOOSE)
    own = measure.family.overall
    if overall is None and own is not None and own(base, **measure.own_params()) is not None:
        overall, reason = (None, None), NO_OVERALL
    if overall is None:
        # Topics in ``partly`` may be missing from the mean: the extreme ones come first.
        partly = extremes.partly
        lowest = _overall_values(measure, low, partly, np.sort(low[partly]))
        highest = _overall_values(measure, high, partly, -np.sort(-high[partly]))
        overall = min(lowest, default=None), max(highest, default=None)
    return MeasureBounds(measure, low, high, *overall, top_grade(base), extremes.exact, reason)


def _overall_values(
    measure: Measure, values: Floats, partly: Mask, maybe: Floats
) -> Iterator[float]:
    """The values over all topics with the first 0, 1, 2 … of ``maybe`` added to the certain
    ones."""
    sure, maybe = values[~partly], maybe[~np.isnan(maybe)]
    for many in range(len(maybe) + 1):
        value = aggregate_defined_values(measure, np.concatenate((sure, maybe[:many])))
        if value is not None and np.isfinite(value):
            yield value


def parse_card_range(text: str) -> tuple[float, float]:
    """The minimum and maximum in a card's ``range``, infinite where it has none."""
    if matched := re.fullmatch(r"(-?\d+) (?:to|or) (-?\d+)", text):
        return float(matched[1]), float(matched[2])
    matched = re.fullmatch(r"(-?\d+) (?:and up|to .*)", text)
    return (float(matched[1]) if matched else -np.inf), np.inf
