"""Relevant documents expected in a deeper pool of the same runs."""

from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from poolbench.cards import Card, Parameter
from poolbench.evaluation.judgments import Floats
from poolbench.reliability.collection.depths import new_relevant_by_topic
from poolbench.reliability.collection.inputs import PooledCollection
from poolbench.statistics.bootstrap import bootstrap_values, central_shares, quantiles_by_row
from poolbench.statistics.draws import ResamplingOptions, resample_counts
from poolbench.statistics.estimate import is_hint
from poolbench.statistics.least_topics import TOO_FEW_TOPICS, has_enough_topics

FIRST = 10
LEAST = 3
DRAWS = 1000
CONFIDENCE = 0.95

TOO_SHALLOW = (
    "the pool depth is only {depth}, and the curve needs at least "
    f"{LEAST} depths from {{first}} on"
)
TOO_LITTLE = (
    "only {n} of the depths from {first} to {depth} added a new relevant document, and the "
    f"curve needs {LEAST}"
)
FEW_FITS = "fewer than half of the topic samples could be fitted"

CARD = Card(
    name="extrapolation",
    title="Relevant documents still to be found",
    formula="new relevant at depth k, summed over topics, is modeled as C · k^s; log C and s by "
    "least squares of log(new relevant) on log k over k = 10 … D; further = Σ over k = D + 1 … T "
    "of C · k^s",
    reading="Estimates how many more relevant documents the same runs would have contributed to "
    "a pool of depth T. It is an extrapolation: no document at these ranks was judged.",
    source="Zobel, SIGIR 1998. The interval is ours: quantiles over topics sampled with "
    "replacement (Efron and Tibshirani 1993).",
    range="0 and up",
    parameters=(
        Parameter("first", "First depth used to fit the curve.", str(FIRST)),
        Parameter("target", "T, the depth to extrapolate to.", "twice the pool depth"),
        Parameter("seed", "Random seed.", "0"),
    ),
    edge_cases=(
        (
            "A depth without new relevant documents has no logarithm and is left out of the fit, "
            "which raises the estimate; the report gives the number of fitted depths."
        ),
        "It does not cover what other systems would find.",
        (
            "The interval reflects the sampling of topics under the same curve; it does not cover "
            "a different curve below the pool."
        ),
        "Topic samples that cannot be fitted are left out of the interval; the report counts them.",
    ),
    undefined=f"fewer than {LEAST} depths from 10 to the pool depth added a new relevant "
    "document; the interval: "
    f"{TOO_FEW_TOPICS}, or most samples cannot be fitted.",
)


@dataclass(frozen=True)
class Extrapolation:
    """``relevant`` documents within the pool depth; ``further`` ones expected from there to
    ``target``, with the ends of the interval. ``log_c`` and ``slope`` describe the curve over
    ``fitted`` depths; ``fitted_draws`` of ``draws`` topic samples from ``topics`` could be fitted.
    """

    first: int
    depth: int
    target: int
    relevant: int
    fitted: int
    log_c: float | None = None
    slope: float | None = None
    further: float | None = None
    share_found: float | None = None
    low: float | None = None
    high: float | None = None
    draws: int = 0
    fitted_draws: int = 0
    topics: int = 0
    reason: str | None = None

    @property
    def is_hint(self) -> bool:
        return is_hint(self.topics, self.low)

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON; two of its keys are older than the names of their fields."""
        keys = {"relevant": "found", "fitted_draws": "drawn"}
        return {keys.get(name, name): value for name, value in asdict(self).items()}


def extrapolate_depths(
    collection: PooledCollection, sampling: ResamplingOptions, target: int | None = None
) -> Extrapolation:
    """Fit new relevant documents by depth and sum the curve down to ``target``.

    Raises ``ValueError`` for a target above the pool depth.
    """
    return extrapolate_counts(
        new_relevant_by_topic(collection).astype(np.float64), sampling, target
    )


def extrapolate_counts(
    counts: Floats, sampling: ResamplingOptions, target: int | None = None
) -> Extrapolation:
    """As ``extrapolate_depths``, from new relevant documents, topics × depths."""
    depth = counts.shape[1]
    target = 2 * depth if target is None else target
    if target < depth:
        raise ValueError("the target depth must be at least the pool depth")
    total = counts.sum(axis=0)
    fitted = int(np.count_nonzero(total[FIRST - 1 :]))
    estimate = Extrapolation(FIRST, depth, target, int(total.sum()), fitted)
    log_c, slope = fit_power_laws(total[None, :], FIRST)
    if np.isnan(slope[0]):
        template = TOO_SHALLOW if depth < FIRST + LEAST - 1 else TOO_LITTLE
        reason = template.format(first=FIRST, depth=depth, n=fitted)
        return replace(estimate, reason=reason)
    further = float(sum_power_law(log_c, slope, depth, target)[0])
    fitted_curve = replace(
        estimate,
        log_c=float(log_c[0]),
        slope=float(slope[0]),
        further=further,
        share_found=estimate.relevant / (estimate.relevant + further),
    )
    return _with_interval(fitted_curve, counts, sampling)


def fit_power_laws(totals: Floats, first: int) -> tuple[Floats, Floats]:
    """``(log C, s)`` of each row of ``totals``, rows × depths; NaN where no fit is possible."""
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
    deviation = (x[None, :] - mean_x[:, None]) * weight
    slope = (deviation * (y - mean_y[:, None])).sum(axis=1) / (deviation**2).sum(axis=1)
    return mean_y - slope * mean_x, slope


def sum_power_law(log_c: Floats, slope: Floats, depth: int, target: int) -> Floats:
    """Σ over k = depth + 1 … target of C · k^s, by row."""
    k = np.log(np.arange(depth + 1, target + 1, dtype=np.float64))
    summed: Floats = np.exp(log_c[:, None] + slope[:, None] * k[None, :]).sum(axis=1)
    return summed


def _with_interval(
    estimate: Extrapolation, counts: Floats, sampling: ResamplingOptions
) -> Extrapolation:
    topics, depth = counts.shape
    estimate = replace(estimate, topics=topics)
    if not has_enough_topics(topics):
        return replace(estimate, reason=TOO_FEW_TOPICS)

    def extrapolate(multiplicities: Floats) -> Floats:
        log_c, slope = fit_power_laws(multiplicities @ counts, estimate.first)
        return sum_power_law(log_c, slope, depth, estimate.target)

    further = bootstrap_values(extrapolate, resample_counts(topics, sampling))
    fitted = int(np.count_nonzero(~np.isnan(further)))
    estimate = replace(estimate, draws=sampling.resamples, fitted_draws=fitted)
    if 2 * fitted < sampling.resamples:
        return replace(estimate, reason=FEW_FITS)
    low, high = quantiles_by_row(further[None], central_shares(CONFIDENCE))[0].tolist()
    return replace(estimate, low=low, high=high)
