"""Bounds of normalized expected reciprocal rank from open documents.

err is linear in each document's stopping probability, its ideal is convex. So the minimum ratio
is attained with every open document at grade 0 or the highest grade, and with m of the highest
grade if they are the last m: moving a high probability up stops users earlier. For the maximum
ratio the first m have the highest grade, and the ideal ranking has m of the lowest grade above
0: valid, and exact if these grades are the same.
"""

from dataclasses import dataclass

import numpy as np

from poolbench.evaluation.batch import safe_ratio
from poolbench.evaluation.bounding.counts import iter_counts
from poolbench.evaluation.completions import OPEN, CompletionRankings
from poolbench.evaluation.judgments import Floats, Ints
from poolbench.evaluation.measures.err import stop_probabilities
from poolbench.evaluation.scale import top_grade


@dataclass(frozen=True, eq=False)
class CascadeTopic:
    """Stopping probabilities: at each rank, of the judged documents in descending order, and of
    the lowest and highest grade above 0. ``open`` are ranks from 0; those below rank ``k`` do
    not count."""

    stops: Floats
    open: Ints
    ideal: Floats
    least: float
    most: float
    k: int

    def bounds(self) -> tuple[float, float]:
        """The minimum and the maximum value."""
        great, small = self._ideal_of_great(), self._ideal_of_small()
        low, high = np.inf, 0.0
        for many in iter_counts(len(self.open), len(self.stops)):
            low = min(low, float(safe_ratio(self._errs(self.open[::-1], many), great[many]).min()))
            high = max(high, float(safe_ratio(self._errs(self.open, many), small[many]).max()))
        return low, min(high, 1.0)

    def is_exact(self) -> bool:
        return self.least == self.most or not len(self.open)

    def _errs(self, places: Ints, many: Ints) -> Floats:
        """err with the first m of ``places`` at the highest grade, for each m of ``many``."""
        turn = np.full(len(self.stops), np.inf)
        turn[places] = np.arange(len(places))
        return self._err(np.where(turn < many[:, None], self.most, self.stops))

    def _ideal_of_great(self) -> Floats:
        """The ideal err with m more documents of the highest grade. They come first, except
        after grades above the scale."""
        before = int(np.count_nonzero(self.ideal > self.most))
        first, after = self.ideal[:before], self.ideal[before:]
        many = np.arange(len(self.open) + 1)
        ranks = before + many[:, None] + self._count(after)
        rest = (self._weights(after) / ranks * (ranks <= self.k)).sum(axis=1)
        steps = self._cumulate_stops(self.most, before) + (1 - self.most) ** many * rest
        return np.asarray(self._err(first[None, :])[0] + np.prod(1 - first) * steps)

    def _ideal_of_small(self) -> Floats:
        """The same with m documents of the lowest grade above 0, which all come last."""
        known = self._err(self.ideal[None, :])[0]
        steps = self._cumulate_stops(self.least, len(self.ideal))
        return np.asarray(known + np.prod(1 - self.ideal) * steps)

    def _cumulate_stops(self, stop: float, start: int) -> Floats:
        """err of 0, 1, 2 … documents with stopping probability ``stop`` from rank ``start`` + 1
        on."""
        ranks = start + 1 + np.arange(len(self.open))
        steps = stop * (1 - stop) ** np.arange(len(ranks)) / ranks * (ranks <= self.k)
        return np.concatenate(([0.0], np.cumsum(steps)))

    def _err(self, stops: Floats) -> Floats:
        ranks = self._count(stops)
        summed: Floats = (self._weights(stops) / ranks * (ranks <= self.k)).sum(axis=-1)
        return summed

    def _weights(self, stops: Floats) -> Floats:
        """The probability of stopping at each place of a row and not before."""
        weights = stops.copy()
        weights[..., 1:] *= np.cumprod(1 - stops, axis=-1)[..., :-1]
        return weights

    def _count(self, stops: Floats) -> Ints:
        return np.arange(1, stops.shape[-1] + 1)


def summarize_cascade_topics(
    rankings: CompletionRankings, k: int | None = None, max_rel: int | None = None
) -> list[CascadeTopic]:
    """The data of each segment for its bounds."""
    batch = rankings.batch
    top = top_grade(batch, max_rel)
    # A stated top limits the stopping probabilities; the possible grades are those of the qrels.
    least, most = stop_probabilities(np.array([1, top_grade(batch)]), top)
    topics = []
    for segment in range(len(batch)):
        ranked = rankings.ranking(segment)
        judged = np.concatenate((ranked, rankings.missed_grades(segment)))
        ideal = np.sort(stop_probabilities(judged[judged > 0], top))[::-1]
        stops = stop_probabilities(np.maximum(ranked, 0), top)
        depth = len(judged) if k is None else k
        topics.append(
            CascadeTopic(
                stops, np.flatnonzero(ranked == OPEN), ideal, float(least), float(most), depth
            )
        )
    return topics
