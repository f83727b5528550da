"""Bounds of Q-measure and average precision from open documents.

Those of average precision, which is Q-measure with β = 0, are exact; those of Q-measure are
valid and narrow, but not always attained.

With w = 1 + β · gain and D(r) = r + β · cg*(r) the measure is 1/R times the sum of w(s) / D(r)
over all pairs s ≤ r of relevant documents. For m relevant among the open documents:

- Minimum: D of an ideal ranking with m documents of the highest gain, w of the lowest gain. The
  pairs with a known document contribute at least as much as for the m cheapest places; the pairs
  of open documents contribute least at the last m places.
- Maximum: D of an ideal ranking with m documents of the lowest gain, w of the highest gain; then
  a relevant document contributes more the higher it is ranked, and the first m places are best.

cg* grows with m; for many open documents it is approximated for a range of m at once.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from poolbench.evaluation.completions import OPEN, CompletionRankings
from poolbench.evaluation.judgments import Floats, Ints
from poolbench.evaluation.options import gains_for_grades
from poolbench.evaluation.scale import list_scale_grades, top_grade

STRETCHES = 64


@dataclass(frozen=True, eq=False)
class BlendedTopic:
    """One ranking: the ranks (from 1) of relevant and of open documents, the gains of the
    relevant ones (``all_gains``: including those not retrieved), the lowest and highest gain
    that an open document can have if relevant. Ranks below ``k`` do not count."""

    length: int
    at: Ints
    gains: Floats
    all_gains: Floats
    open: Ints
    least: float
    most: float
    beta: float
    k: int

    def divisors(self, many: int, gain: float) -> Floats:
        """D of each rank if ``many`` open documents have ``gain``, ∞ where it does not count."""
        best = np.sort(np.concatenate((self.all_gains, np.full(many, gain))))[::-1]
        reached = np.zeros(self.length + 1)
        reached[1 : len(best) + 1] = best[: self.length]
        divisors = np.arange(self.length + 1) + self.beta * np.cumsum(reached)
        divisors[0], divisors[self.k + 1 :] = np.inf, np.inf
        return divisors

    def low(self, first: int, last: int) -> Floats:
        """The minimum sum for each m from ``first`` to ``last``."""
        known, places, alone = self._parts(self.divisors(last, self.most), self.least)
        cheapest = np.concatenate(([0.0], np.cumsum(np.sort(places))))
        among = np.concatenate(([0.0], np.cumsum(np.cumsum(alone[::-1]))))
        return (known + cheapest + among)[first : last + 1]

    def high(self, first: int, last: int) -> Floats:
        """The maximum sum for each m from ``first`` to ``last``."""
        highest = max(self.most, float(self.gains.max(initial=0.0)))
        known, places, alone = self._parts(self.divisors(first, self.least), highest)
        number = np.arange(1, len(places) + 1)
        added = np.concatenate(([0.0], np.cumsum(places + number * alone)))
        return (known + added)[first : last + 1]

    def _parts(self, divisors: Floats, gain: float) -> tuple[float, Floats, Floats]:
        """The sum over pairs of known documents; over pairs with each open document of
        ``gain``; and w / D of each open document."""
        weights, weight = 1 + self.beta * self.gains, 1 + self.beta * gain
        down_to = np.concatenate(([0.0], np.cumsum(weights)))
        after = np.concatenate((np.cumsum((1 / divisors[self.at])[::-1])[::-1], [0.0]))
        above = np.searchsorted(self.at, self.open)
        known = float((down_to[1:] / divisors[self.at]).sum())
        places = down_to[above] / divisors[self.open] + weight * after[above]
        return known, places, weight / divisors[self.open]

    def bounds(self) -> tuple[float, float]:
        """The minimum and the maximum value."""
        low, high = np.inf, 0.0
        for first, last in self._stretches():
            relevant = len(self.all_gains) + np.arange(first, last + 1)
            low = min(low, float((self.low(first, last) / np.maximum(relevant, 1)).min()))
            high = max(high, float((self.high(first, last) / np.maximum(relevant, 1)).max()))
        return max(low, 0.0), min(high, 1.0)

    def is_exact(self) -> bool:
        one_gain = len({*self.all_gains.tolist(), self.least, self.most}) == 1
        one_by_one = len(self.open) < STRETCHES
        return not self.beta or not len(self.open) or (one_gain and one_by_one)

    def _stretches(self) -> list[tuple[int, int]]:
        steps = min(STRETCHES, len(self.open) + 1) if self.beta else 1
        ends = np.linspace(-1, len(self.open), steps + 1).round().astype(int).tolist()
        return [(before + 1, end) for before, end in pairwise(ends)]


def summarize_blended_topics(
    rankings: CompletionRankings,
    beta: float = 1.0,
    gains: tuple[tuple[int, float], ...] = (),
    k: int | None = None,
) -> list[BlendedTopic]:
    """The data of each segment for its bounds."""
    batch = rankings.batch
    level, table = batch.options.level, dict(gains) or batch.options.gains
    can_be = level <= top_grade(batch)
    possible = gains_for_grades(np.array(list_scale_grades(batch, table, level), np.int32), table)
    topics = []
    for segment in range(len(batch)):
        ranked, missed = rankings.ranking(segment), rankings.missed_grades(segment)
        at, open_ranks = np.flatnonzero(ranked >= level), np.flatnonzero(ranked == OPEN)
        own, others = (
            gains_for_grades(grades, table) for grades in (ranked[at], missed[missed >= level])
        )
        topics.append(
            BlendedTopic(
                length=len(ranked),
                at=at + 1,
                gains=own,
                all_gains=np.concatenate((own, others)),
                open=open_ranks[: len(open_ranks) * can_be] + 1,
                least=float(possible.min()),
                most=float(possible.max()),
                beta=beta,
                k=len(ranked) if k is None else k,
            )
        )
    return topics
