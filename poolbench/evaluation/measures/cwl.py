"""C/W/L: measures as models of a user who scans down the ranking.

C(i) is the probability of continuing from rank i, W(i) the proportion of attention paid to rank i,
L(i) the probability that rank i is the last one viewed. All follow from the probability of reaching
each rank, V(i) = Π of C above i: W = V / Σ V. A user is described by V at the ranks with gain and
by the sum of V over all ranks, in which the ranks without gain have a closed form.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from poolbench.evaluation.batch import ScoringBatch, defined_ratio, safe_ratio, sum_by_place
from poolbench.evaluation.judgments import Floats, Ints
from poolbench.evaluation.scale import gain_shares
from poolbench.evaluation.segments import running_products, running_sums, shift_down, shift_up

Walk = tuple[Floats, Floats]
"""V of each row, and Σ V by segment: the expected number of documents viewed. The sum is infinite
if the user may never stop, NaN if no such user exists."""


@dataclass(frozen=True, eq=False)
class GainingRanks:
    """The ranks with gain, in rank order: ``place`` is their segment, ``gains`` are from 0 to 1.

    ``starts`` by segment, and the parameters of the user models: every user stops after rank ``k``
    (infinite: no limit), persistence ``p``, target gain ``t``.
    """

    place: Ints
    ranks: Floats
    gains: Floats
    starts: Ints
    k: float
    p: float
    t: float

    def total(self, weights: Floats) -> Floats:
        """Sum of ``weights`` by segment."""
        return sum_by_place(self.place, weights, len(self.starts) - 1)

    def fill(self, value: float) -> Floats:
        """``value`` for each segment."""
        return np.full(len(self.starts) - 1, value)

    def first(self) -> Ints:
        """The first row of each segment that has any."""
        return self.starts[:-1][np.diff(self.starts) > 0]


def precision_user(at: GainingRanks) -> Walk:
    return np.ones(len(at.ranks)), at.fill(at.k)


def scaled_dcg_user(at: GainingRanks) -> Walk:
    items = (1 / np.log2(np.arange(2, at.k + 2))).sum() if np.isfinite(at.k) else np.inf
    return 1 / np.log2(1 + at.ranks), at.fill(items)


def rank_biased_user(at: GainingRanks) -> Walk:
    if at.p == 1:
        return precision_user(at)
    return at.p ** (at.ranks - 1), at.fill((1 - at.p**at.k) / (1 - at.p))


def reciprocal_rank_user(at: GainingRanks) -> Walk:
    """The user model of reciprocal rank stops at the first gain."""
    reach, items = np.zeros(len(at.ranks)), at.fill(at.k)
    reach[at.first()] = 1.0
    items[at.place[at.first()]] = at.ranks[at.first()]
    return reach, items


def average_precision_user(at: GainingRanks) -> Walk:
    """The user model of average precision: V(i) = Σ of gain/rank from rank i on, normalized."""
    weights = at.gains / at.ranks
    every = at.total(weights)
    down_to = running_sums(weights, at.starts)
    items = defined_ratio(at.total(at.gains), every)
    return (every[at.place] - down_to + weights) / every[at.place], items


def insq_user(at: GainingRanks) -> Walk:
    """INSQ: C(i) = ((i + 2T − 1) / (i + 2T))²."""
    wanted = 2 * at.t
    items = wanted**2 * _between(at.fill(wanted), at.fill(at.k + wanted))
    return (wanted / (at.ranks - 1 + wanted)) ** 2, items


def inst_user(at: GainingRanks) -> Walk:
    """INST: C(i) = ((i + c − 1) / (i + c))² with c = 2T − cumulated gain at i, 0 if negative.

    c is constant between two gains, so the product of C telescopes.
    """
    wanted = 2 * at.t
    left = wanted - running_sums(at.gains, at.starts)
    stop = np.maximum(at.ranks + left - 1, 0.0)
    into = shift_down(stop, at.starts, wanted) / (
        at.ranks - 1 + shift_down(left, at.starts, wanted)
    )
    reach = running_products(into**2, at.starts)
    end = at.fill(at.k)
    end[at.place[at.first()]] = at.ranks[at.first()]
    before = wanted**2 * _between(at.fill(wanted), end + wanted)
    after = _between(at.ranks + left, shift_up(at.ranks, at.starts, at.k) + left)
    return reach, before + at.total(reach * stop**2 * after)


def _between(start: Floats, end: Floats) -> Floats:
    """Σ 1/x² over x = start, start + 1, … below ``end``, which may be infinite."""
    return trigamma(start) - trigamma(end)


def trigamma(x: Floats) -> Floats:
    """Σ 1/(x + n)² over n = 0, 1, …, for x above 0: 15 terms, then the asymptotic series."""
    tail = x + 15.0
    terms = (1 / (x[:, None] + np.arange(15)) ** 2).sum(axis=1)
    square = 1 / tail**2
    series = 1 / 6 - square * (1 / 30 - square * (1 / 42 - square / 30))
    return np.asarray(terms + 1 / tail + square / 2 + square / tail * series)


USER_MODELS: dict[str, Callable[[GainingRanks], Walk]] = {
    "precision": precision_user,
    "sdcg": scaled_dcg_user,
    "rbp": rank_biased_user,
    "rr": reciprocal_rank_user,
    "ap": average_precision_user,
    "insq": insq_user,
    "inst": inst_user,
}


def user_walk(
    batch: ScoringBatch,
    user: str,
    k: int | None = None,
    p: float = 0.8,
    t: float = 1.0,
    gain: str = "graded",
    max_rel: int | None = None,
) -> tuple[GainingRanks, Walk]:
    """The ranks with gain, and how the user model ``user`` walks over them."""
    gains = gain_shares(batch, gain, max_rel)
    rows = gains > 0
    if k is not None:
        rows &= batch.ranks <= k
    gaining, end = batch.select_rows(rows), np.inf if k is None else float(k)
    ranks = gaining.ranks.astype(np.float64)
    at = GainingRanks(gaining.segment, ranks, gains[rows], gaining.starts, end, p, t)
    return at, USER_MODELS[user](at)


def expected_utility(at: GainingRanks, walk: Walk) -> Floats:
    """Σ W · gain: expected gain per document viewed."""
    reach, items = walk
    return safe_ratio(at.total(reach * at.gains), np.where(np.isnan(items), np.inf, items))


def expected_total(at: GainingRanks, walk: Walk) -> Floats:
    """Σ V · gain: expected total gain."""
    return at.total(walk[0] * at.gains)


def expected_items(_: GainingRanks, walk: Walk) -> Floats:
    """1 / W(1): expected number of documents viewed; NaN if infinite."""
    items = walk[1]
    return np.where(np.isfinite(items), items, np.nan)
