"""Measures of fractional grades, and their derivatives.

Where grades are chances, a measure is the formula of full judging applied to them. ``q`` has a
column for each step g = 1…G: the chance that the grade is g or more. A derivative is kept in two
parts, since most of it is the same for all pairs of a topic: of pair d of topic t in run r, for
step g it is ``gain[g] · entry[r, d] + background[r, t, g]``, without the first where r does not
retrieve d.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from poolbench.estimation.frame import PoolFrame
from poolbench.evaluation.batch import safe_ratio
from poolbench.evaluation.judgments import Floats, Ints
from poolbench.evaluation.measures.family import Measure
from poolbench.evaluation.options import ScoringOptions, gains_for_grades

DEFAULT_MEASURES = ("P_10", "map", "bpref", "ndcg_cut_10")
"""A sample is drawn for these unless it says for which."""
_TINY = 1e-9


class Derivative(NamedTuple):
    """``entry`` by entry of the frame, ``gain`` by step, ``background`` (runs, topics, steps)."""

    entry: Floats
    gain: Floats
    background: Floats


class FractionalScores(NamedTuple):
    """Scores (runs, topics) and their derivative."""

    values: Floats
    derivative: Derivative


@dataclass(frozen=True)
class FractionalMeasure:
    """A measure of chances. ``is_linear``: in the chances; others are ratios.

    ``compute(frame, q)`` has q by pair and step. ``step``: of which grade or more a topic needs a
    pair, to have a score other than 0; None where no such count divides. ``is_concave``: in that
    count, so that its error lowers the divisor (docs/decisions/0096-centre-of-ndcg.md).
    """

    is_linear: bool
    compute: Callable[[PoolFrame, Floats], FractionalScores]
    step: int | None = None
    is_concave: bool = False


def _weighted(weigh: Callable[[Ints], Any], level: int) -> FractionalMeasure:
    """Σ over ranks of weight · b: P@k, RBP."""

    def compute(frame: PoolFrame, q: Floats) -> FractionalScores:
        weight: Floats = np.asarray(weigh(frame.rank), np.float64)
        values = frame.sum_segments(weight * q[frame.pair, level - 1])
        return FractionalScores(values, _on_step(weight, np.zeros(frame.shape), level, q))

    return FractionalMeasure(True, compute)


def _average_precision(level: int) -> FractionalMeasure:
    """AP: N / R, N = Σ b_i (1 + A_i) / i, A_i the sum of b above rank i, R that of the topic."""

    def compute(frame: PoolFrame, q: Floats) -> FractionalScores:
        b = q[:, level - 1]
        own = b[frame.pair]
        relevant = frame.sum_topics(b)[None, :]
        at_rank = (1 + frame.sum_above(own)) / frame.rank
        values = safe_ratio(frame.sum_segments(own * at_rank), relevant)
        share = frame.spread(safe_ratio(np.ones(frame.shape), relevant))
        entry = (at_rank + frame.sum_below(own / frame.rank)) * share
        background = -safe_ratio(values, relevant)
        return FractionalScores(values, _on_step(entry, background, level, q))

    return FractionalMeasure(False, compute, level)


def _bpref(extra: int, level: int) -> FractionalMeasure:
    """As in trec_eval: Σ b_i (1 − min(n_i, R + c) / min(N, R + c)) / R, n_i = Σ above of 1 − b, and
    c = ``extra``.
    """

    def compute(frame: PoolFrame, q: Floats) -> FractionalScores:
        b = q[:, level - 1]
        own = b[frame.pair]
        relevant = frame.sum_topics(b)
        others = frame.sizes - relevant
        least = np.maximum(np.minimum(relevant + extra, others), _TINY)
        above = frame.sum_above(1 - own)
        topic = frame.segment % len(frame.topics)
        limit, divisor = relevant[topic] + extra, least[topic]
        is_free = above < limit
        cost = np.where(others[topic] > _TINY, np.minimum(above, limit) / divisor, 0.0)
        total = frame.sum_segments(own * (1 - cost))
        values = safe_ratio(total, relevant[None, :])
        share = safe_ratio(np.ones_like(relevant), relevant)
        entry = (1 - cost + frame.sum_below(own * is_free) / divisor) * share[topic]
        by_limit = -frame.sum_segments(own * ~is_free / divisor)
        by_divisor = frame.sum_segments(own * cost / divisor)
        sign = np.where(relevant + extra <= others, 1.0, -1.0)
        background = (by_limit + by_divisor * sign - values) * share
        return FractionalScores(values, _on_step(entry, background, level, q))

    return FractionalMeasure(False, compute, level)


def _on_step(entry: Floats, background: Floats, level: int, q: Floats) -> Derivative:
    gain = np.eye(q.shape[1])[level - 1]
    return Derivative(entry, gain, background[..., None] * gain)


def _ndcg(cutoff: int | None, gains: Floats) -> FractionalMeasure:
    """nDCG@k, None: no cut-off; ``gains`` by step: what a grade gains over the one below.

    The ideal is made of counts: Σ_g gains[g] · E D(R_g), D(x) = Σ for i to k of
    clip(x − i + 1, 0, 1) / log2(1 + i), R_g Normal with mean Σ q_g and variance Σ q_g (1 − q_g).
    """

    def compute(frame: PoolFrame, q: Floats) -> FractionalScores:
        last = int(frame.sizes.max(initial=1)) if cutoff is None else cutoff
        discount = 1 / np.log2(1 + frame.rank)
        if cutoff is not None:
            discount *= frame.rank <= cutoff
        value = (q @ gains)[frame.pair]
        counts, variance = frame.sum_topics(q), frame.sum_topics(q * (1 - q))
        ideal, slope = compute_expected_ideal(counts, np.maximum(variance, 0), last)
        best = (ideal @ gains)[None, :]
        values = safe_ratio(frame.sum_segments(discount * value), best)
        entry = discount * frame.spread(safe_ratio(np.ones(frame.shape), best))
        per_step = safe_ratio(gains * slope, best.T)  # topics, steps
        return FractionalScores(values, Derivative(entry, gains, -values[..., None] * per_step))

    return FractionalMeasure(False, compute, int(np.argmax(gains > 0)) + 1, is_concave=True)


def compute_expected_ideal(counts: Floats, variance: Floats, cutoff: int) -> tuple[Floats, Floats]:
    """E D and its derivative by the mean, of Normal ``counts``; any shape."""
    from scipy.special import ndtr

    ends = np.arange(cutoff + 1.0)
    spread = np.sqrt(variance)[..., None]
    away = counts[..., None] - ends
    is_sure = spread < 1e-6
    z = np.divide(away, spread, out=np.zeros_like(away), where=~is_sure)
    below = np.where(is_sure, np.heaviside(away, 0.5), ndtr(z))
    density = np.exp(-z * z / 2) / np.sqrt(2 * np.pi)
    over = np.where(is_sure, np.maximum(away, 0), away * below + spread * density)
    weight = 1 / np.log2(2 + np.arange(cutoff))
    return -np.diff(over, axis=-1) @ weight, -np.diff(below, axis=-1) @ weight


def _reciprocal_rank(cutoff: int | None, level: int) -> FractionalMeasure:
    """RR: Σ b_i / i · Π above of (1 − b)."""

    def compute(frame: PoolFrame, q: Floats) -> FractionalScores:
        own = q[frame.pair, level - 1]
        weight = 1 / frame.rank
        if cutoff is not None:
            weight = weight * (frame.rank <= cutoff)
        # A product of zeros: its logarithm is finite, so that it can be divided out again.
        missed = np.log(np.maximum(1 - own, _TINY))
        reached = np.exp(frame.sum_above(missed))
        is_reached = frame.sum_above((own >= 1).astype(float)) == 0
        values = frame.sum_segments(weight * own * reached * is_reached)
        below = frame.sum_below(weight * own * reached)
        entry = weight * reached - below / np.maximum(1 - own, _TINY)
        return FractionalScores(values, _on_step(entry, np.zeros(frame.shape), level, q))

    return FractionalMeasure(False, compute)


class NoFractionError(ValueError):
    """A measure that has no form for chances."""


def find_fractional_measure(
    measure: Measure, options: ScoringOptions, top: int
) -> FractionalMeasure:
    """The form of ``measure`` for chances, at the level and with the gains of ``options``, on a
    scale whose highest grade is ``top``.

    Raises ``NoFractionError`` for a measure that has none.
    """
    chosen: dict[str, Any] = dict(measure.params)
    level, cutoff = int(chosen.pop("rel", options.level)), chosen.pop("k", None)
    p, table = float(chosen.pop("p", 0.8)), chosen.pop("gains", None)
    gains = dict(table) if table else options.gains
    by_grade = gains_for_grades(np.arange(top + 1, dtype=np.int32), gains)
    builders: dict[str, Callable[[], FractionalMeasure]] = {
        "P": lambda: _weighted(lambda rank: (rank <= cutoff) / cutoff, level),
        "rbp": lambda: _weighted(lambda rank: (1 - p) * np.power(p, rank - 1.0), level),
        "map": lambda: _average_precision(level),
        "bpref": lambda: _bpref(0, level),
        "bpref-10": lambda: _bpref(10, level),
        "ndcg": lambda: _ndcg(None, np.diff(by_grade)),
        "ndcg_cut": lambda: _ndcg(cutoff, np.diff(by_grade)),
        "recip_rank": lambda: _reciprocal_rank(cutoff, level),
    }
    if not chosen and level <= top and measure.family.name in builders:
        return builders[measure.family.name]()
    raise NoFractionError(
        f"{measure.name} has no estimate from a sample. Measures that have one: {SUPPORTED}."
    )


SUPPORTED = "P@k, AP, bpref, bpref-10, nDCG, nDCG@k, RBP and RR, each with its defaults"
