"""How many relevant documents a deeper pool of the same runs might have found."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from campaigns.core.cards import Card, Parameter
from evaluation.core.collection.depths import new_relevant_by_topic
from evaluation.core.collection.inputs import PooledCollection
from evaluation.core.comparison.draws import resample_counts
from evaluation.core.comparison.estimate import ResamplingOptions
from evaluation.core.judgments import Floats

FIRST = 10
LEAST = 3
DRAWS = 1000
CONFIDENCE = 0.95

TOO_SHALLOW = (
    "the pool goes down to depth {depth} only, and the curve is fitted over "
    f"{LEAST} depths or more from {{first}} on"
)
TOO_LITTLE = (
    "of the depths from {first} to {depth} only {n} brought a new relevant document, and the "
    f"curve needs {LEAST}"
)
FEW_TOPICS = "fewer than two topics, so that none can be drawn"
FEW_FITS = "less than half of the draws of topics could be fitted"

CARD = Card(
    name="extrapolation",
    title="Relevant documents still to be found",
    formula="new relevant at depth k, summed over topics, is taken for C · k^s; log C and s by "
    "least squares of log(new relevant) on log k over k = 10 … D; further = Σ over k = D + 1 … T "
    "of C · k^s",
    reading="About how many relevant documents the same runs would have brought, had the pool "
    "gone on to depth T. It is an extrapolation: nobody has seen these ranks.",
    source="Zobel, SIGIR 1998. The interval is ours: quantiles over topics drawn with "
    "replacement (Efron and Tibshirani 1993).",
    range="0 and up",
    parameters=(
        Parameter("first", "The depth from which on the curve is fitted.", str(FIRST)),
        Parameter("target", "T, the depth to which it is summed.", "twice that of the pool"),
        Parameter("seed", "Where the random numbers start.", "0"),
    ),
    edge_cases=(
        (
            "A depth that brought nothing new has no logarithm and is left out of the fit, which "
            "makes the estimate larger; how many were fitted is told."
        ),
        "It says nothing of what other systems would find.",
        (
            "The interval is that of other topics under the same curve; that the curve may be "
            "another below the pool is not in it."
        ),
        "Draws of topics that cannot be fitted are left out of the interval, and counted.",
    ),
    undefined=f"fewer than {LEAST} depths from 10 down to that of the pool brought a new relevant "
    "document; the interval: fewer than two topics, or most draws cannot be fitted.",
)


@dataclass(frozen=True)
class Extrapolation:
    """``found`` relevant documents within the depth of the pool; ``further`` ones expected
    from there to ``target``, with the ends of its interval. ``log_c`` and ``slope`` are of the
    curve over ``fitted`` depths, ``draws`` of topics of which ``drawn`` could be fitted.
    """

    first: int
    depth: int
    target: int
    found: int
    fitted: int
    log_c: float | None = None
    slope: float | None = None
    further: float | None = None
    share_found: float | None = None
    low: float | None = None
    high: float | None = None
    draws: int = 0
    drawn: int = 0
    reason: str | None = None


def extrapolate_depths(
    found: PooledCollection,
    sampling: ResamplingOptions,
    target: int | None = None,
    first: int = FIRST,
) -> Extrapolation:
    """Fit what the pool found at each depth and sum it down to ``target``.

    Raises ``ValueError`` for a target above the depth of the pool or a first depth below 1.
    """
    return extrapolate_counts(
        new_relevant_by_topic(found).astype(np.float64), sampling, target, first
    )


def extrapolate_counts(
    counts: Floats, sampling: ResamplingOptions, target: int | None = None, first: int = FIRST
) -> Extrapolation:
    """The same from new relevant documents, topics × depths."""
    depth = counts.shape[1]
    target = 2 * depth if target is None else target
    if target < depth or first < 1:
        raise ValueError("the target depth is no less than the pool's, the first no less than 1")
    total = counts.sum(axis=0)
    fitted = int(np.count_nonzero(total[first - 1 :]))
    known = Extrapolation(first, depth, target, int(total.sum()), fitted)
    log_c, slope = fit_power_laws(total[None, :], first)
    if np.isnan(slope[0]):
        told = TOO_SHALLOW if depth < first + LEAST - 1 else TOO_LITTLE
        reason = told.format(first=first, depth=depth, n=fitted)
        return replace(known, reason=reason)
    further = float(sum_power_law(log_c, slope, depth, target)[0])
    fitted_curve = replace(
        known,
        log_c=float(log_c[0]),
        slope=float(slope[0]),
        further=further,
        share_found=known.found / (known.found + further),
    )
    return _with_interval(fitted_curve, counts, sampling)


def fit_power_laws(totals: Floats, first: int) -> tuple[Floats, Floats]:
    """``(log C, s)`` of each row of ``totals``, rows × depths; NaN where it cannot be fitted."""
    used = totals[:, first - 1 :]
    if used.shape[1] < LEAST:
        nothing = np.full(len(totals), np.nan)
        return nothing, nothing
    weight = (used > 0).astype(np.float64)
    weight[weight.sum(axis=1) < LEAST] = np.nan
    x = np.log(np.arange(first, first + used.shape[1], dtype=np.float64))
    y = np.log(np.where(used > 0, used, 1.0))
    n = weight.sum(axis=1)
    mean_x, mean_y = weight @ x / n, (weight * y).sum(axis=1) / n
    apart = (x[None, :] - mean_x[:, None]) * weight
    slope = (apart * (y - mean_y[:, None])).sum(axis=1) / (apart * apart).sum(axis=1)
    return mean_y - slope * mean_x, slope


def sum_power_law(log_c: Floats, slope: Floats, depth: int, target: int) -> Floats:
    """Σ over k = depth + 1 … target of C · k^s, by row."""
    k = np.log(np.arange(depth + 1, target + 1, dtype=np.float64))
    summed: Floats = np.exp(log_c[:, None] + slope[:, None] * k[None, :]).sum(axis=1)
    return summed


def _with_interval(
    known: Extrapolation, counts: Floats, sampling: ResamplingOptions
) -> Extrapolation:
    topics, depth = counts.shape
    if topics < 2:
        return replace(known, reason=FEW_TOPICS)
    pieces = []
    for drawn in resample_counts(topics, sampling):
        log_c, slope = fit_power_laws(drawn @ counts, known.first)
        pieces.append(sum_power_law(log_c, slope, depth, known.target))
    further = np.concatenate(pieces)
    fitted = further[~np.isnan(further)]
    known = replace(known, draws=sampling.resamples, drawn=len(fitted))
    if 2 * len(fitted) < sampling.resamples:
        return replace(known, reason=FEW_FITS)
    low, high = np.quantile(fitted, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2]).tolist()
    return replace(known, low=low, high=high)
