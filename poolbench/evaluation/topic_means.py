"""Scores over all topics, for many columns at once."""

import numpy as np

from poolbench.evaluation.judgments import Floats, Ints, Mask
from poolbench.evaluation.means import LEAST
from poolbench.evaluation.measures.family import Measure


def aggregate_over_topics(measure: Measure, values: Floats) -> Floats:
    """``aggregate`` of each column of ``values``, topics × columns, to the last digit.

    NaN, in a value and as a result, is undefined.
    """
    how = str(dict(measure.params).get("mean", measure.family.aggregate))
    defined = ~np.isnan(values)
    count = defined.sum(axis=0)
    if how == "median":
        return _median(values, count)
    if how == "sum":
        empty = (count == 0) & (len(values) > 0)
        return np.where(empty, np.nan, _total(values, defined))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(count > 0, _mean(how, values, defined, count), np.nan)


def _mean(how: str, values: Floats, defined: Mask, count: Ints) -> Floats:
    """One of ``means.MEANS``; arbitrary where no value is defined."""
    if how == "geometric":
        mean: Floats = np.exp(_total(np.log(np.maximum(values, LEAST)), defined) / count)
    elif how == "harmonic":
        mean = count / _total(1.0 / np.maximum(values, LEAST), defined)
    else:
        mean = _total(values, defined) / count
    return mean


def _total(values: Floats, defined: Mask) -> Floats:
    """Sums by column, added topic by topic as in ``means.total``."""
    sums = np.zeros(values.shape[1])
    for row, known in zip(values, defined, strict=True):
        sums += np.where(known, row, 0.0)
    return sums


def _median(values: Floats, count: Ints) -> Floats:
    answer = np.full(values.shape[1], np.nan)
    answer[count > 0] = np.nanmedian(values[:, count > 0], axis=0)
    return answer
