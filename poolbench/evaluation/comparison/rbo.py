"""Rank-biased overlap of two rankings, of any lengths and with ties."""

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np

from poolbench.cards import Parameter
from poolbench.evaluation.comparison.rank_correlation import (
    Levels,
    RankCorrelation,
    RankingExample,
    score_levels,
)
from poolbench.statistics.draws import Floats
from poolbench.statistics.estimate import Estimate

Groups = Sequence[Collection[Hashable]]
"""From the top: the items tied at each place, a single one if there is no tie."""
Ranking = Sequence[Hashable | Collection[Hashable]]

Ties = Literal["a", "b", "w"]


@dataclass(frozen=True)
class RankBiasedOverlap:
    """The extrapolated value, and the bounds for any continuation of the rankings."""

    ext: float
    min: float
    max: float

    @property
    def residual(self) -> float:
        """The difference of the bounds: how much the unseen part could change the value."""
        return self.max - self.min


@dataclass(frozen=True)
class _Prefixes:
    """Both rankings down to each depth 1 … l; s and l are the lengths of the shorter and longer
    ranking.

    ``overlap`` of the items seen in both, ``size`` its divisor, ``spare`` the contribution of
    each item of the longer ranking (rows) that is not in the shorter one.
    """

    s: int
    l: int  # noqa: E741
    overlap: Floats
    size: Floats
    spare: Floats

    @property
    def depth(self) -> Floats:
        return np.arange(1.0, self.l + 1)

    @property
    def unseen(self) -> Floats:
        """Number of unknown items of the shorter ranking at each depth."""
        return np.maximum(self.depth - self.s, 0.0)


def rbo(
    first: Ranking | Mapping[Any, float],
    second: Ranking | Mapping[Any, float],
    p: float = 0.9,
    ties: Ties = "b",
) -> RankBiasedOverlap:
    """Compare two rankings of any lengths by rank-biased overlap.

    Parameters
    ----------
    first, second : sequence, or dict of scores
        Items from the top, a collection of items at a place where several tie; or a score by item,
        where equal scores tie.
    p : float
        The probability of continuing to the next rank.
    ties : {"b", "a", "w"}
        How ties count; see the rank correlations.

    Returns
    -------
    RankBiasedOverlap
        ``ext`` is the extrapolated value; ``min``, ``max`` and ``residual`` bound it for any
        continuation of the rankings.

    Raises
    ------
    ValueError
        For p outside (0, 1), an empty ranking, or a duplicate item.

    Examples
    --------
    >>> import poolbench as pb
    >>> round(pb.rbo(["a", "b", "c"], ["b", "a", "c"], p=0.5).ext, 3)
    0.5
    """
    if not 0 < p < 1:
        raise ValueError("the persistence p must be between 0 and 1")
    rankings = group_ties(first), group_ties(second)
    shorter, longer = sorted(rankings, key=lambda ranking: sum(map(len, ranking)))
    seen = _prefixes(shorter, longer, ties)
    weight = (1 - p) * p ** (seen.depth - 1)
    low = float(weight @ (seen.overlap / seen.size)) + _flat_tail(seen, p)
    return RankBiasedOverlap(
        ext=_extrapolate_overlap(seen, weight, p), min=low, max=_highest(seen, weight, p)
    )


def group_ties(ranking: Ranking | Mapping[Any, float]) -> list[Collection[Hashable]]:
    """The items tied at each place, from the top."""
    if not isinstance(ranking, Mapping):
        return [[i] if isinstance(i, str) or not isinstance(i, Collection) else i for i in ranking]
    items = list(ranking)
    levels = score_levels(np.array([ranking[item] for item in items], np.float64))
    places = rank_runs_by_score(levels)
    return [[items[at] for at in place] for place in places]


def _prefixes(shorter: Groups, longer: Groups, ties: Ties) -> _Prefixes:
    s, l = (sum(map(len, ranking)) for ranking in (shorter, longer))  # noqa: E741
    items = list(
        dict.fromkeys(item for ranking in (shorter, longer) for g in ranking for item in g)
    )
    known = {item for group in shorter for item in group}
    if s == 0 or len(known) < s or len({item for g in longer for item in g}) < l:
        raise ValueError("a ranking must have at least one item and no duplicates")
    short, long = (_contributions(ranking, items, l, ties) for ranking in (shorter, longer))
    spare = long[[place for place, item in enumerate(items) if item not in known]]
    unseen = np.maximum(np.arange(1.0, l + 1) - s, 0.0)
    return _Prefixes(s, l, (short * long).sum(axis=0), _size(short, long, unseen, ties), spare)


def _contributions(ranking: Groups, items: list[Hashable], depths: int, ties: Ties) -> Floats:
    """The share of each item (rows) among the first d of the ranking, for each depth d."""
    place = {item: row for row, item in enumerate(items)}
    depth = np.arange(1.0, depths + 1)
    answer = np.zeros((len(items), depths))
    above = 0
    for group in ranking:
        share = np.clip((depth - above) / len(group), 0.0, 1.0)
        answer[[place[item] for item in group]] = np.ceil(share) if ties == "w" else share
        above += len(group)
    return answer


def _size(short: Floats, long: Floats, unseen: Floats, ties: Ties) -> Floats:
    """The divisor of the overlap at each depth."""
    if ties == "b":
        squares = (np.square(short).sum(axis=0) + unseen, np.square(long).sum(axis=0))
        size: Floats = np.sqrt(squares[0] * squares[1])
        return size
    mean: Floats = (short.sum(axis=0) + unseen + long.sum(axis=0)) / 2
    return mean


def _extrapolate_overlap(seen: _Prefixes, weight: Floats, persistence: float) -> float:
    """The agreement at depth s applies to unseen items, and that at depth l to all greater
    depths."""
    agreement = seen.overlap[seen.s - 1] / seen.size[seen.s - 1]
    active = np.maximum((seen.spare > 0).sum(axis=0), 1)
    matched = agreement * seen.unseen * seen.spare.sum(axis=0) / active
    agreements = (seen.overlap + matched) / seen.size
    return float(weight @ agreements + persistence**seen.l * agreements[-1])


def _flat_tail(seen: _Prefixes, persistence: float) -> float:
    """No new overlap beyond l: (1 − p)/p · X_l · Σ over d > l of p^d / d."""
    head = float((persistence**seen.depth / seen.depth).sum())
    tail = -np.log1p(-persistence) - head
    return float((1 - persistence) / persistence * seen.overlap[-1] * tail)


def _highest(seen: _Prefixes, weight: Floats, persistence: float) -> float:
    """Every unseen item matches an item of the other ranking, as long as there are any."""
    best = np.sort(seen.spare, axis=0)[::-1]
    taken = np.arange(len(best))[:, None] < seen.unseen
    value = float(weight @ ((seen.overlap + (best * taken).sum(axis=0)) / seen.size))
    shared = round(float(seen.overlap[-1]))
    full = seen.l + seen.s - shared
    depth = np.arange(seen.l + 1.0, full + 1)
    agreements = (2 * depth - full) / depth
    value += float((1 - persistence) * persistence ** (depth - 1) @ agreements)
    return value + float(persistence ** max(full, seen.l))


def rank_runs_by_score(levels: Levels) -> list[list[int]]:
    """Runs, by their index in the array, in descending order of level."""
    return [np.flatnonzero(levels == level).tolist() for level in np.unique(levels)[::-1]]


def rbo_of_rankings(first: Levels, second: Levels, persistence: float, *, ties: Ties) -> Estimate:
    """The extrapolated overlap of two rankings of the same runs."""
    return Estimate(
        rbo(rank_runs_by_score(first), rank_runs_by_score(second), persistence, ties).ext,
        len(first),
    )


_FIRST, _SECOND = (5.0, 4.0, 3.0, 2.0, 1.0), (4.0, 5.0, 3.0, 2.0, 1.0)
_TIED = (5.0, 5.0, 3.0, 2.0, 1.0)
_TIE_OF_TWO = "worked by hand, a tie at the top against a strict order: "
_READINGS = {
    "b": (
        "rank-biased overlap, corrected for ties",
        (
            "agreement(d) = Σ c₁c₂ / √(Σ c₁² · Σ c₂²), c the share of the orders of an item's tie "
            "in which it is among the first d"
        ),
        "a ranking compared with itself gives 1",
        RankingExample(
            _TIED, _FIRST, 0.1 / 2**0.5 + 0.9, _TIE_OF_TWO + "0.1 · (½ / √(½ · 1)) + 0.9"
        ),
    ),
    "a": (
        "rank-biased overlap, the mean over orders of ties",
        (
            "agreement(d) = Σ c₁c₂ / d, c the share of the orders of an item's tie in which it is "
            "among the first d"
        ),
        "a ranking compared with itself gives less than 1",
        RankingExample(_TIED, _FIRST, 0.95, _TIE_OF_TWO + "0.1 · ½ + 0.9"),
    ),
    "w": (
        "rank-biased overlap, ties at one rank",
        (
            "agreement(d) = 2·|A ∩ B| / (|A| + |B|), A and B the items at rank d or above, all "
            "tied items being at the first rank of their tie"
        ),
        "tied runs are considered equal, not of unknown order",
        RankingExample(_TIED, _FIRST, 0.1 * 2 / 3 + 0.9, _TIE_OF_TWO + "0.1 · 2·1/(2 + 1) + 0.9"),
    ),
}


def _correlation(ties: Ties) -> RankCorrelation:
    title, agreement, edge, example = _READINGS[ties]
    swap = RankingExample(_FIRST, _SECOND, 0.9, "worked by hand: 0 at depth 1, then 1: 0.9")
    return RankCorrelation(
        name=f"rbo-{ties}",
        title=title.capitalize(),
        formula="RBO_ext = (1 − p) · Σ over d = 1 … n of p^(d − 1) · agreement(d) "
        f"+ p^n · agreement(n); {agreement}",
        reading="Expected overlap seen by a user who reads both rankings from the top and "
        "continues to the next rank with probability p.",
        source="Webber, Moffat and Zobel, TOIS 2010; ties by Corsi and Urbano, SIGIR 2024, "
        f"RBO^{ties}.",
        parameters=(
            Parameter("persistence", "p, the probability of continuing to the next rank.", "0.9"),
        ),
        edge_cases=(
            (
                "p = 0.9 gives the first ten ranks 86 % of the weight; two rankings of "
                "the same runs never give 0."
            ),
            f"Without ties rbo-a, rbo-b and rbo-w are equal. With ties {edge}.",
            (
                "For rankings known only to some depth, RBO_min, RBO_max and the "
                "residual bound the value: `rbo` in `poolbench.evaluation.comparison.rbo`."
            ),
        ),
        undefined="fewer than two runs.",
        compute=partial(rbo_of_rankings, ties=ties),
        examples=(swap, example),
    )


RBO_B, RBO_A, RBO_W = _correlation("b"), _correlation("a"), _correlation("w")
