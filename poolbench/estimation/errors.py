"""How far off an estimate from a sample can be: variances and covariances over samples."""

import numpy as np

from poolbench.estimation.frame import PoolFrame
from poolbench.estimation.measures import Derivative
from poolbench.estimation.sample import JudgedSample
from poolbench.evaluation.judgments import Floats, Ints

GUARD = 1.15
"""Standard errors are raised at most by this to what the calibration expects."""


def compute_influences(sample: JudgedSample, chances: Floats, derivative: Derivative) -> Floats:
    """z: (judged, runs), Σ_g φ (y − m) / T of each judged pair."""
    frame = sample.frame
    left = sample.steps - chances[sample.judged]
    place = np.full(len(sample.pi), -1)
    place[sample.judged] = np.arange(len(sample.judged))
    z = np.einsum("rjg,jg->jr", derivative.background[:, frame.topic_index[sample.judged]], left)
    rows = np.flatnonzero(place[frame.pair] >= 0)
    at = place[frame.pair[rows]]
    run = frame.segment[rows] // len(frame.topics)
    z[at, run] += derivative.entry[rows] * (left @ derivative.gain)[at]
    influences: Floats = z / len(frame.topics)
    return influences


def compute_parts(
    sample: JudgedSample, chances: Floats, derivative: Derivative, is_linear: bool
) -> Floats:
    """(judged, runs): what each judged pair adds to the error. Products of two columns add up to
    the covariance of two runs; pairs with π = 1 add nothing.

    Hájek's form within strata: n / (n − 1) Σ (1 − π) (z/π − A)², A = Σ (1 − π) z/π / Σ (1 − π).
    """
    parts = np.zeros((len(sample.judged), len(sample.frame.runs)))
    rows = np.flatnonzero(sample.chance < 1)
    if not len(rows):
        return parts
    free = (1 - sample.chance[rows])[:, None]
    z = compute_influences(sample, chances, derivative)[rows] / sample.chance[rows][:, None]
    stratum = group_strata(sample)[rows]
    order = np.argsort(stratum, kind="stable")
    own = np.unique(stratum, return_inverse=True)[1]
    n = np.bincount(own)
    firsts = np.cumsum(n) - n
    mean = np.add.reduceat((free * z)[order], firsts) / np.add.reduceat(free[order], firsts)
    factor = n / np.maximum(n - 1, 1)
    if not is_linear:
        # Raking spends one of the judged pairs of each topic.
        factor = factor * len(rows) / max(len(rows) - len(sample.frame.topics), 1)
    parts[rows] = (z - mean[own]) * np.sqrt(free * factor[own, None])
    return parts


def group_strata(sample: JudgedSample) -> Ints:
    """The stratum of each judged pair. One with a single pair drawn by chance is joined with the
    next of its topic, the last with the one before; that of a topic alone with the next topic's.
    """
    if sample.strata is None:
        return np.zeros(len(sample.judged), np.int64)
    drawn = np.bincount(sample.strata[sample.judged[sample.chance < 1]], minlength=1)
    group, topic = np.zeros(len(drawn), np.int64), np.full(len(drawn), -1)
    topic[sample.strata[sample.judged]] = sample.frame.topic_index[sample.judged]
    first = start = held = 0
    strata = np.flatnonzero(drawn)
    for place, stratum in enumerate(strata.tolist()):
        group[stratum] = start
        held += drawn[stratum]
        is_last = place + 1 == len(strata) or topic[strata[place + 1]] != topic[stratum]
        if held > 1:
            start, held = start + 1, 0
        elif is_last and start > first:  # left over: to the group before
            group[group == start] = start - 1
            held = 0
        if is_last and not held:
            first = start
    if held and start:
        group[group == start] = start - 1
    return group[sample.strata[sample.judged]]


def compute_covariance(
    sample: JudgedSample, chances: Floats, derivative: Derivative, parts: Floats
) -> Floats:
    """(runs, runs), of the means over samples, from ``compute_parts``: standard errors are raised
    to what the chances expect, by ``GUARD`` at most.
    """
    covariance = parts.T @ parts
    weight = ((1 - sample.pi) / sample.pi)[:, None]
    expected = forecast_variance(sample.frame, chances, weight, derivative)
    own = np.diag(covariance)
    ratio = np.sqrt(np.divide(expected, own, out=np.ones_like(own), where=own > 0))
    raised = np.clip(ratio, 1, GUARD)
    scaled: Floats = covariance * np.outer(raised, raised)
    return scaled


def forecast_variance(
    frame: PoolFrame, chances: Floats, weight: Floats, derivative: Derivative
) -> Floats:
    """By run: Σ over the frame of ``weight`` · Var(Σ_g φ_g y_g) / T² by the ``chances``."""
    gain = derivative.gain
    m = np.minimum.accumulate(chances, axis=1)
    steps = np.arange(m.shape[1])
    high = np.maximum(steps[:, None], steps[None, :])
    low = np.minimum(steps[:, None], steps[None, :])
    joint = m[:, high] * (1 - m[:, low])  # pairs, G, G: the covariance of steps
    joint *= weight[..., None]
    by_gain = joint @ gain  # pairs, G
    own = frame.sum_segments(derivative.entry**2 * (by_gain @ gain)[frame.pair])
    for g in steps:
        mixed = frame.sum_segments(derivative.entry * by_gain[frame.pair, g])
        own += 2 * mixed * derivative.background[..., g]
    spread = frame.sum_topics(joint.reshape(len(m), -1)).reshape(-1, *joint.shape[1:])
    own += np.einsum("rtg,tgh,rth->rt", derivative.background, spread, derivative.background)
    variance: Floats = own.sum(axis=1) / len(frame.topics) ** 2
    return variance
