"""Exact bounds of normalized cumulated gain from open documents.

For one topic let D be the gain of the ranking and I that of the ideal ranking. D is linear in
the gains of the open documents, I convex (the maximum of many linear functions).

- Minimum of D / I: attained with every open document at the lowest or the highest gain and, for
  a number m of highest ones, with the last m. All m are tried.
- Maximum of D / I: Dinkelbach's method, t ← D / I of the completion with the maximum D − t · I,
  until t is constant. I is a sum over the steps of gain from one level to the next, of step ·
  H(documents that reach it), H the sum of the first discounts; so is D. The best number of open
  documents to reach each step is found separately, the top ones first; higher steps, which fewer
  known documents reach, never need more.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import gt, lt

import numpy as np

from poolbench.evaluation.batch import safe_ratio
from poolbench.evaluation.completions import OPEN, CompletionRankings, complete_judgments
from poolbench.evaluation.judgments import Floats
from poolbench.evaluation.means import sum_over_topics
from poolbench.evaluation.measures.cumulated_gain import GainVariant
from poolbench.evaluation.options import gains_for_grades
from poolbench.evaluation.scale import list_scale_grades, top_grade

Pair = tuple[float, float]
"""D and I."""


@dataclass(frozen=True, eq=False)
class GainTopic:
    """``low[m]`` and ``low_ideal[m]``: D and I with the last m open documents at the highest
    gain, the others at the lowest. ``fixed`` and ``fixed_ideal``: the parts of D and I that do
    not depend on the open documents. ``best[m]``: what the first m open documents add to D per
    unit of gain, ``steps`` the gain of each level, and ``ideal[step, m]`` what m documents that
    reach the step add to I."""

    low: Floats
    low_ideal: Floats
    fixed: float
    fixed_ideal: float
    best: Floats
    steps: Floats
    ideal: Floats

    def least(self, t: float) -> Pair:
        """D and I of a completion with the minimum D − t · I."""
        m = int(np.argmin(self.low - t * self.low_ideal))
        return float(self.low[m]), float(self.low_ideal[m])

    def greatest(self, t: float) -> Pair:
        """D and I of a completion with the maximum D − t · I."""
        gained = self.steps[:, None] * self.best
        chosen = np.argmax(gained - t * self.ideal, axis=1)
        step = np.arange(len(self.steps))
        return (
            self.fixed + float(gained[step, chosen].sum()),
            self.fixed_ideal + float(self.ideal[step, chosen].sum()),
        )


def summarize_gain_topics(
    rankings: CompletionRankings, variant: GainVariant, k: int | None
) -> list[GainTopic]:
    """The data of each segment for its bounds."""
    batch = rankings.batch
    table = variant.apply(complete_judgments(batch, top_grade(batch))).options.gains
    levels = np.unique(gains_for_grades(np.array(list_scale_grades(batch, table), np.int32), table))
    topics = []
    for segment in range(len(batch)):
        ranked, missed = rankings.ranking(segment), rankings.missed_grades(segment)
        gains = np.where(ranked == OPEN, np.nan, gains_for_grades(ranked, table))
        others = gains_for_grades(missed[missed >= 0], table)
        topics.append(
            _topic(gains, others if variant.ideal == "judged" else others[:0], levels, variant, k)
        )
    return topics


def _topic(
    ranked: Floats, others: Floats, levels: Floats, variant: GainVariant, k: int | None
) -> GainTopic:
    is_open = np.isnan(ranked)
    known = np.concatenate((ranked[~is_open], others))
    discounts = _discounts(len(known) + int(is_open.sum()) + len(ranked), variant, k)
    open_worth = discounts[: len(ranked)][is_open]
    first = float((ranked[~is_open] * discounts[: len(ranked)][~is_open]).sum())
    heights = np.concatenate(([0.0], np.cumsum(discounts)))
    reach = _IdealGainSteps(
        np.unique(np.concatenate((known, levels, [0.0]))), known, heights, len(open_worth)
    )
    least, most = float(levels[0]), float(levels[-1])
    under, over = reach.with_all_open(least), reach.with_no_open(most)
    inner = [reach.between(a, b) for a, b in pairwise(levels.tolist())]
    last = np.concatenate(([0.0], np.cumsum(open_worth[::-1])))
    low = first + least * float(open_worth.sum()) + (most - least) * last
    ideal = np.array(inner).reshape(len(levels) - 1, len(open_worth) + 1)
    return GainTopic(
        low=low,
        low_ideal=under + over + ideal.sum(axis=0),
        fixed=first + least * float(open_worth.sum()),
        fixed_ideal=under + over,
        best=np.concatenate(([0.0], np.cumsum(open_worth))),
        steps=np.diff(levels),
        ideal=ideal,
    )


@dataclass(frozen=True, eq=False)
class _IdealGainSteps:
    """The ideal gain by steps: ``marks`` are the distinct gains from 0 up, ``heights[n]`` the
    sum of the first n discounts, ``judged`` the gains of judged documents."""

    marks: Floats
    judged: Floats
    heights: Floats
    open: int

    def between(self, low: float, high: float) -> Floats:
        """What the gains above ``low`` up to ``high`` add if m open documents reach ``high``;
        shape (open + 1,)."""
        return self._sum(low, high, np.arange(self.open + 1))

    def with_all_open(self, level: float) -> float:
        """What gains up to ``level`` add if all open documents reach it."""
        return float(self._sum(0.0, level, np.array([self.open]))[0])

    def with_no_open(self, level: float) -> float:
        """What gains above ``level`` add, which no open document has."""
        return float(self._sum(level, np.inf, np.array([0]))[0])

    def _sum(self, low: float, high: float, many: np.ndarray) -> Floats:
        inside = np.flatnonzero((self.marks > low) & (self.marks <= high))
        steps = self.marks[inside] - self.marks[inside - 1]
        reached = (self.judged[None, :] >= self.marks[inside, None]).sum(axis=1)
        added: Floats = steps @ self.heights[reached[:, None] + many]
        return added


def _discounts(ranks: int, variant: GainVariant, k: int | None) -> Floats:
    """The discounted value of one unit of gain at each rank from 1 on."""
    rank = np.arange(1, ranks + 1)
    discounts = 1 / variant.divisor(rank)
    if k is not None:
        discounts[k:] = 0.0
    return discounts


def gain_bounds(topics: Sequence[GainTopic]) -> tuple[Floats, Floats]:
    """The minimum and the maximum D / I of each topic, 0 if there is no gain."""
    low = np.array([safe_ratio(t.low, t.low_ideal).min() for t in topics])
    high = [_search([topic], GainTopic.greatest) for topic in topics]
    return low, np.array(high, np.float64)


def gain_bounds_of_sums(topics: Sequence[GainTopic]) -> Pair:
    """The minimum and the maximum Σ D / Σ I over all topics."""
    return _search(topics, GainTopic.least), _search(topics, GainTopic.greatest)


def _search(topics: Sequence[GainTopic], extreme: Callable[[GainTopic, float], Pair]) -> float:
    """Dinkelbach's method: t is monotonic and stops when it no longer changes."""
    moves = gt if extreme is GainTopic.greatest else lt
    t = _ratio_at(topics, extreme, 0.0)
    while moves(after := _ratio_at(topics, extreme, t), t):
        t = after
    return t


def _ratio_at(
    topics: Iterable[GainTopic], extreme: Callable[[GainTopic, float], Pair], t: float
) -> float:
    pairs = np.array([extreme(topic, t) for topic in topics]).reshape(-1, 2)
    gained, ideal = sum_over_topics(pairs[:, 0]), sum_over_topics(pairs[:, 1])
    return gained / ideal if ideal > 0 else 0.0
