"""Rankings as flat arrays, so that one numpy pass scores all topics (of one run or many).

A *segment* is one ranking of one topic. Its *rows* are the retrieved documents that are listed
in the qrels, in rank order, each with its rank; of the other documents of the ranking only their
number matters (``lengths``).
"""

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from poolbench.evaluation.judgments import Floats, Ints, JudgmentTable, Mask
from poolbench.evaluation.options import ScoringOptions
from poolbench.runs.tables import group_starts


@dataclass(frozen=True, eq=False)
class ScoringBatch:
    """Segments to score. ``topic_index[i]`` is the judged topic of segment ``i``.

    By row: ``segment`` (ascending), ``ranks`` from 1 (ascending in a segment),
    ``judgment_index``, the index of the document's judgment in ``judged``. By segment:
    ``lengths``, the number of documents retrieved, and ``answered``, whether the run had any
    before truncation.
    """

    judged: JudgmentTable
    topic_index: Ints
    lengths: Ints
    answered: Mask
    segment: Ints
    ranks: Ints
    judgment_index: Ints
    options: ScoringOptions = field(default_factory=ScoringOptions)

    def __len__(self) -> int:
        return len(self.topic_index)

    @cached_property
    def starts(self) -> Ints:
        """The first row of each segment, and the end of the last one."""
        return np.searchsorted(self.segment, np.arange(len(self) + 1))

    @cached_property
    def grades(self) -> NDArray[np.int32]:
        return self.judged.grades[self.judgment_index]

    @cached_property
    def is_relevant(self) -> Mask:
        return self.grades >= self.options.level

    @cached_property
    def hits(self) -> Ints:
        """The rows of relevant documents: indices, faster than a mask since they are few."""
        return np.flatnonzero(self.is_relevant)

    @cached_property
    def is_judged(self) -> Mask:
        return self.grades >= 0

    @cached_property
    def is_nonrelevant(self) -> Mask:
        """Judged, and not relevant."""
        return self.is_judged & ~self.is_relevant

    @cached_property
    def gains(self) -> Floats:
        return self.options.gains_for(self.grades)

    @cached_property
    def relevant(self) -> Ints:
        """R: number of relevant documents in the judgments, by segment."""
        return self.judged.counts_at(self.options.level)[0][self.topic_index]

    @cached_property
    def nonrelevant(self) -> Ints:
        """N: number of judged non-relevant documents in the judgments, by segment."""
        return self.judged.counts_at(self.options.level)[1][self.topic_index]

    @cached_property
    def relevant_at_hits(self) -> Ints:
        """Number of relevant documents of the segment at this rank or above, by hit."""
        firsts = group_starts(self.count(self.hits))[self.segment[self.hits]]
        relevant: Ints = np.arange(1, len(firsts) + 1) - firsts
        return relevant

    @cached_property
    def nonrelevant_at_hits(self) -> Ints:
        """Number of judged non-relevant documents of the segment above, by hit."""
        if not self.is_judged.all():
            return self.running(self.is_nonrelevant)[self.hits]
        above: Ints = self.hits + 1 - self.starts[self.segment[self.hits]] - self.relevant_at_hits
        return above

    def running(self, mask: Mask) -> Ints:
        """Count of ``mask`` within the segment down to and including each row."""
        total = np.concatenate(([0], np.cumsum(mask)))
        running: Ints = total[1:] - np.repeat(total[self.starts[:-1]], np.diff(self.starts))
        return running

    def count(self, rows: Mask | Ints) -> Ints:
        """Number of ``rows`` of each segment."""
        return np.bincount(self.segment[rows], minlength=len(self))

    def sums(self, weights: Floats, rows: Mask | Ints) -> Floats:
        """Sum by segment of ``weights``, which belong to ``rows``, in rank order."""
        return sum_by_place(self.segment[rows], weights, len(self))

    def select_rows(self, mask: Mask) -> "ScoringBatch":
        """The same segments with only the rows in ``mask``; ranks and lengths do not change."""
        rows = (self.segment[mask], self.ranks[mask], self.judgment_index[mask])
        return replace(self, segment=rows[0], ranks=rows[1], judgment_index=rows[2])

    def cut(self, k: int) -> "ScoringBatch":
        """The first ``k`` documents of each ranking."""
        return replace(self.select_rows(self.ranks <= k), lengths=np.minimum(self.lengths, k))

    def condensed(self) -> "ScoringBatch":
        """The rankings without unjudged documents (trec_eval's -J)."""
        judged = self.select_rows(self.is_judged)
        ranks = np.arange(1, len(judged.segment) + 1) - judged.starts[judged.segment]
        return replace(judged, ranks=ranks, lengths=np.diff(judged.starts))


def sum_by_place(place: Ints, weights: Floats, places: int) -> Floats:
    """Sum of ``weights`` by ``place``, added in the given order; shape (places,)."""
    summed: Floats = np.bincount(place, weights=weights, minlength=places).astype(np.float64)
    return summed


def defined_ratio(numerator: Floats | Ints, denominator: Floats | Ints) -> Floats:
    """``numerator / denominator``, and NaN where the denominator is not above 0."""
    ratio = np.full(numerator.shape, np.nan)
    np.divide(numerator, denominator, out=ratio, where=denominator > 0)
    return ratio


def safe_ratio(numerator: Floats | Ints, denominator: Floats | Ints | int) -> Floats:
    """``numerator / denominator``, and 0 where the denominator is 0."""
    bottom = np.asarray(denominator, np.float64)
    return np.divide(numerator, bottom, out=np.zeros(numerator.shape), where=bottom != 0)
