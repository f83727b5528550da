"""What moves a machine's grades besides relevance: length, and words of the query."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from poolbench.estimation.calibration import TOPIC_PENALTY, build_rank_features
from poolbench.estimation.diagnostics.circularity import LEAST_EXCESS
from poolbench.estimation.diagnostics.excess import (
    ALPHA,
    SharedPairs,
    build_dummies,
    compute_error,
    estimate_value,
    find_p_values,
    fit_weighted,
)
from poolbench.evaluation.judgments import Floats
from poolbench.statistics.estimate import Estimate

LENGTH, QUERY = "length", "query"
_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class Probe:
    """``slope`` in grades: a doubling of the ``length``; all terms of the ``query`` found instead
    of none. Both for pairs of the same topic, ranks and people's grade.
    """

    name: str
    slope: Estimate
    p: float
    is_alarm: bool


def measure_text(query: str, text: str) -> tuple[float, float]:
    """log2 of the number of words, and the share of the query's terms among them."""
    words = _WORD.findall(text.lower())
    terms = set(_WORD.findall(query.lower()))
    return float(np.log2(max(len(words), 1))), len(terms & set(words)) / max(len(terms), 1)


def measure_texts(texts: Iterable[tuple[str, str] | None]) -> Floats:
    """(pairs, 2), by query and text of each pair; NaN without a text."""
    rows = [(np.nan, np.nan) if each is None else measure_text(*each) for each in texts]
    return np.array(rows, np.float64).reshape(-1, 2)


def estimate_probes(shared: SharedPairs, measured: Floats) -> tuple[Probe, ...]:
    """Slopes on ``measured``, (pairs of the frame, 2), of pairs whose text is known; none where
    these are fewer than there are columns.
    """
    own = measured[shared.pairs]
    known = ~np.isnan(own).any(axis=1)
    ranks = build_rank_features(shared.sample.frame).columns[shared.pairs]
    fixed = np.column_stack([own, ranks, build_dummies(shared.people)])[known]
    topics = build_dummies(shared.topics)[known]
    if known.sum() <= 2 * fixed.shape[1] or not own[known].std(axis=0).all():
        return ()
    columns = np.column_stack([fixed, topics])
    penalties = np.repeat((0.0, TOPIC_PENALTY), (fixed.shape[1], topics.shape[1]))
    grades = shared.machine[known].astype(float)
    fit = fit_weighted(columns, grades, shared.weight[known], penalties)
    slopes, errors = fit.slopes[:2], compute_error(fit.influences[:, :2])
    p = find_p_values(slopes, errors, 2)
    return tuple(
        Probe(
            name,
            estimate_value(float(slopes[at]), float(errors[at]), int(known.sum())),
            float(p[at]),
            bool(p[at] < ALPHA and abs(slopes[at]) > LEAST_EXCESS),
        )
        for at, name in enumerate((LENGTH, QUERY))
    )
