"""Which pairs people judge: a sample that depends on how much each pair matters for the scores."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from poolbench.estimation.calibration import compute_logistic, log_mean_rank, standardize_columns
from poolbench.estimation.frame import PoolFrame
from poolbench.estimation.machines import NONE
from poolbench.estimation.measures import Derivative, FractionalMeasure
from poolbench.evaluation.judgments import Floats, Ints, Mask
from poolbench.statistics.inclusion import inclusion_probabilities

FLOOR = 0.2


def estimate_prior_by_ranks(frame: PoolFrame) -> Floats:
    """.1 + .5 · compute_logistic(z of log mean 1 / (10 + rank))."""
    return 0.1 + 0.5 * compute_logistic(standardize_columns(log_mean_rank(frame)[:, None])[:, 0])


def estimate_prior_by_grades(grades: Ints, top: int) -> Floats:
    """.1 to .7 evenly over the grades 0 to ``top``."""
    return 0.1 + 0.6 * np.clip(grades, 0, top) / top


def estimate_prior(frame: PoolFrame, grades: Ints | None, top: int) -> Floats:
    """The chance that each pair is relevant: by a machine's ``grades``, ``NONE`` without one, and
    by ranks where it gave none.
    """
    by_ranks = estimate_prior_by_ranks(frame)
    if grades is None:
        return by_ranks
    prior: Floats = np.where(grades > NONE, estimate_prior_by_grades(grades, top), by_ranks)
    return prior


def divide_prior(prior: Floats, top: int, level: int) -> Floats:
    """The chance of each step by the ``prior`` of relevance: p (1.5 − g / G), and p itself at the
    relevance ``level``.
    """
    share = 1.5 - np.arange(1, top + 1) / top
    share[level - 1] = 1.0
    return np.minimum(prior[:, None] * share, 0.99)


def sum_squares(frame: PoolFrame, derivative: Derivative) -> Floats:
    """By pair: Σ over runs of (Σ_g φ)²."""
    entry = derivative.entry * derivative.gain.sum()
    background = derivative.background.sum(axis=2)
    own = entry * (entry + 2 * frame.spread(background))
    total = np.bincount(frame.pair, own, minlength=len(frame.topic_index))
    squares: Floats = np.maximum(total + (background**2).sum(axis=0)[frame.topic_index], 0)
    return squares


def compute_influence_sizes(
    frame: PoolFrame, prior: Floats, steps: Floats, measures: Sequence[FractionalMeasure]
) -> Floats:
    """z: .8 of the influence over its mean, + .2."""
    total = np.zeros(len(prior))
    for measure in measures:
        squares = sum_squares(frame, measure.compute(frame, steps).derivative)
        total += squares / max(squares.sum(), 1e-300)
    x = np.sqrt(total) * np.sqrt(prior * (1 - prior))
    sizes: Floats = (1 - FLOOR) * x / x.mean() + FLOOR
    return sizes


def draw_order(frame: PoolFrame, sizes: Floats, seed: int) -> Ints:
    """All pairs in the order in which a sample takes them: by u / z, u a seeded hash in (0, 1).

    The first n are the sample of n, whatever n is (sequential Poisson sampling, Ohlsson 1998).
    """
    u = (frame.hash_pairs(seed, "lot") + 0.5) / 2.0**63
    order: Ints = np.argsort(u / sizes, kind="stable")
    return order


def count_complete(order: Ints, done: Mask) -> int:
    """How many of ``order`` come before the first that is not ``done``: a sample of that size."""
    waiting = np.flatnonzero(~done[order])
    return int(waiting[0]) if len(waiting) else len(order)


class CountedPart(NamedTuple):
    """``pairs`` that count, in the order of drawing, and ``pi`` of all pairs of the frame;
    ``strata`` as in ``JudgedSample``; ``ended``: the topics of which pairs are missing.
    """

    pairs: Ints
    pi: Floats
    strata: Ints | None = None
    ended: tuple[str, ...] = ()


def count_ended(frame: PoolFrame, order: Ints, done: Mask, ended: Sequence[str]) -> dict[str, int]:
    """How many pairs of each ``ended`` topic come before its first in ``order`` that is not
    ``done``; without the topics in which nothing is left to do.
    """
    topic = frame.topic_index[order]
    counts = dict[str, int]()
    for name in ended:
        own = order[topic == frame.topics.index(name)] if name in frame.topics else order[:0]
        number = count_complete(own, done)
        if number < len(own):
            counts[name] = number
    return counts


def count_part(
    frame: PoolFrame, sizes: Floats, order: Ints, number: int, ended: Mapping[str, int]
) -> CountedPart:
    """The first ``number`` of ``order``; of each ``ended`` topic only so many of its own.

    A topic that ended before is a stratum, a sample of its own size; the other topics are one
    together (docs/decisions/0107).
    """
    counted, topic = order[:number], frame.topic_index
    places = {frame.topics.index(name): count for name, count in ended.items()}
    reached = np.bincount(topic[counted], minlength=len(frame.topics))
    short = {at: count for at, count in sorted(places.items()) if reached[at] > count}
    if not short:
        return CountedPart(counted, inclusion_probabilities(sizes, min(number, len(sizes))))
    strata, pi, parts = np.zeros(len(topic), np.int64), np.ones(len(sizes)), []
    for stratum, (at, count) in enumerate(short.items(), 1):
        strata[topic == at] = stratum
        parts.append(counted[topic[counted] == at][:count])
    parts.insert(0, counted[strata[counted] == 0])
    for stratum, part in enumerate(parts):
        own = strata == stratum
        pi[own] = inclusion_probabilities(sizes[own], max(len(part), 1))
    is_part = np.isin(counted, np.concatenate(parts))
    return CountedPart(counted[is_part], pi, strata, tuple(frame.topics[at] for at in short))
