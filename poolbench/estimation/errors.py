"""How far off an estimate from a sample can be: variances and covariances over samples."""

from __future__ import annotations

import numpy as np

from poolbench.estimation.frame import PoolFrame
from poolbench.estimation.measures import Derivative
from poolbench.estimation.sample import JudgedSample
from poolbench.evaluation.judgments import Floats

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


def compute_covariance(
    sample: JudgedSample, chances: Floats, derivative: Derivative, is_linear: bool
) -> Floats:
    pi = sample.chance
    by_chance = pi < 1
    pi, n = pi[by_chance], int(by_chance.sum())
    runs, topics = sample.frame.shape
    if not n:
        return np.zeros((runs, runs))
    z = compute_influences(sample, chances, derivative)[by_chance] / pi[:, None]
    free = 1 - pi
    centred = z - (free @ z) / free.sum()
    covariance = (centred * free[:, None]).T @ centred * n / max(n - 1, 1)
    if not is_linear:
        covariance *= n / max(n - topics, 1)
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
