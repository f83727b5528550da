"""Raking: chances made to agree with what the sample says about each topic.

Ratios need a topic's counts. The log odds of its unjudged pairs are moved by one constant for each
step, so that they add up to what the calibration expects and the sample corrects.
"""

import numpy as np

from poolbench.estimation.calibration import compute_logistic
from poolbench.estimation.frame import PoolFrame
from poolbench.estimation.sample import JudgedSample
from poolbench.evaluation.judgments import Floats, Ints, Mask


def rake_chances(sample: JudgedSample, chances: Floats, *, shrink: bool = False) -> Floats:
    """``chances`` whose log odds are moved by topic and step, so that those of unjudged pairs add
    up to what the sample says. ``shrink``: by what it says beyond its own error.
    """
    frame, judged, steps, pi = sample.frame, sample.judged, sample.steps, sample.chance
    unjudged = np.ones(len(chances), bool)
    unjudged[judged] = False
    topic = frame.topic_index[judged]
    count = len(frame.topics)
    own = chances[judged]
    short = _by_topic(topic, (1 / pi - 1)[:, None] * (steps - own), count)
    expected = frame.sum_topics(chances * unjudged[:, None])
    if shrink:
        error = _by_topic(topic, ((1 - pi) / pi**2)[:, None] * own * (1 - own), count)
        scale = np.maximum(expected, 0.5) ** 2
        between = np.maximum(0, ((short**2 - error) / scale).mean(axis=0))
        short = short * between * scale / np.maximum(between * scale + error, 1e-300)
    free = frame.sum_topics(unjudged.astype(float))[:, None]
    goal = np.clip(expected + short, 0.05 * expected, 0.98 * free)
    return shift_odds(frame, chances, unjudged, goal)


def _by_topic(topic: Ints, values: Floats, count: int) -> Floats:
    return np.column_stack([np.bincount(topic, column, count) for column in values.T])


def shift_odds(frame: PoolFrame, chances: Floats, unjudged: Mask, goal: Floats) -> Floats:
    """``chances`` with log odds shifted by topic and step so that those ``unjudged`` sum to
    ``goal``: by bisection and Newton's method on all topics at once.
    """
    bounded = np.clip(chances, 1e-9, 1 - 1e-9)
    odds = np.log(bounded) - np.log1p(-bounded)
    low, high = np.full(goal.shape, -40.0), np.full(goal.shape, 40.0)
    shift = np.zeros(goal.shape)
    for _ in range(60):
        moved = compute_logistic(odds + shift[frame.topic_index])
        counted = moved * unjudged[:, None]
        excess = frame.sum_topics(counted) - goal
        if np.abs(excess).max() < 1e-9:
            break
        low, high = np.where(excess < 0, shift, low), np.where(excess > 0, shift, high)
        slope = frame.sum_topics(counted * (1 - moved))
        newton = shift - np.divide(excess, slope, out=np.zeros_like(excess), where=slope > 1e-12)
        inside = (newton > low) & (newton < high)
        shift = np.where(inside, newton, (low + high) / 2)
    return compute_logistic(odds + shift[frame.topic_index])
