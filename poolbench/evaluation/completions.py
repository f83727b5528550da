"""Completions: rankings with grades for their unjudged documents.

Open documents are retrieved but unjudged: not in the qrels, or with a grade below 0. A
completion gives each of them a grade; documents that are not retrieved do not change.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from poolbench.evaluation.batch import ScoringBatch
from poolbench.evaluation.judgments import Ints, JudgmentTable
from poolbench.evaluation.scale import top_grade
from poolbench.runs.tables import group_starts

Grades = NDArray[np.int32]
OPEN = -1


@dataclass(frozen=True, eq=False)
class CompletionRankings:
    """The rankings of a batch as grades in rank order.

    ``ranked[starts[i]:starts[i + 1]]`` are the grades of segment ``i`` in rank order, OPEN if
    unjudged; ``missed[missed_starts[i]:missed_starts[i + 1]]`` the grades of its topic's judged
    documents that were not retrieved. ``batch`` is the source.
    """

    batch: ScoringBatch
    starts: Ints
    ranked: Grades
    missed_starts: Ints
    missed: Grades

    @classmethod
    def from_batch(cls, batch: ScoringBatch) -> "CompletionRankings":
        # A profile may count an unanswered topic as a ranking of one non-existent document.
        starts = group_starts(np.where(batch.answered, batch.lengths, 0))
        rows = batch.is_judged
        ranked = np.full(starts[-1], OPEN, np.int32)
        ranked[starts[batch.segment[rows]] + batch.ranks[rows] - 1] = batch.grades[rows]
        judged = batch.judged
        sizes = np.diff(judged.starts)[batch.topic_index]
        first = group_starts(sizes)
        segment = np.repeat(np.arange(len(batch)), sizes)
        shift = judged.starts[batch.topic_index] - first[:-1]
        is_missed = np.ones(len(segment), np.bool_)
        is_missed[batch.judgment_index - shift[batch.segment]] = False
        place = (np.arange(len(segment)) + shift[segment])[is_missed]
        missed_starts = group_starts(np.bincount(segment[is_missed], minlength=len(batch)))
        return cls(batch, starts, ranked, missed_starts, judged.grades[place])

    def open_ranks(self, segment: int) -> Ints:
        """The ranks (from 0) of the open documents of ``segment``."""
        return np.flatnonzero(self.ranking(segment) == OPEN)

    def ranking(self, segment: int) -> Grades:
        """The grades of ``segment`` in rank order."""
        return self.ranked[self.starts[segment] : self.starts[segment + 1]]

    def missed_grades(self, segment: int) -> Grades:
        """The grades of judged documents that ``segment`` did not retrieve, in any order."""
        return self.missed[self.missed_starts[segment] : self.missed_starts[segment + 1]]

    def complete(self, segments: Ints, ranked: Grades) -> ScoringBatch:
        """A batch of completions: the ``i``-th is one of segment ``segments[i]``.

        ``ranked`` has their grades in rank order, one ranking after the other; documents with
        grades below 0 stay open.
        """
        sizes, missed = np.diff(self.starts)[segments], np.diff(self.missed_starts)[segments]
        starts = group_starts(sizes + missed)
        segment, within = _numbered(sizes)
        place = starts[segment] + within
        # An extra topic has the top grade, so that the scale is always the same.
        grades = np.full(starts[-1] + 1, top_grade(self.batch), np.int32)
        grades[place] = ranked
        other, nth = _numbered(missed)
        from_place = self.missed_starts[segments][other] + nth
        grades[starts[other] + sizes[other] + nth] = self.missed[from_place]
        closed = ranked >= 0
        topics = (*(self.batch.judged.topics[t] for t in self.batch.topic_index[segments]), "")
        return replace(
            self.batch,
            judged=JudgmentTable.from_arrays(topics, np.append(starts, len(grades)), grades),
            topic_index=np.arange(len(segments)),
            lengths=self.batch.lengths[segments],
            answered=self.batch.answered[segments],
            segment=segment[closed],
            ranks=within[closed] + 1,
            judgment_index=place[closed],
        )


def complete_judgments(batch: ScoringBatch, grade: int) -> ScoringBatch:
    """``batch`` with all open documents judged ``grade``."""
    rankings = CompletionRankings.from_batch(batch)
    ranked = np.where(rankings.ranked == OPEN, np.int32(grade), rankings.ranked)
    return rankings.complete(np.arange(len(batch)), ranked)


def _numbered(sizes: Ints) -> tuple[Ints, Ints]:
    """The group of each row, for groups of these sizes, and its number within the group from 0."""
    group = np.repeat(np.arange(len(sizes)), sizes)
    return group, np.arange(len(group)) - group_starts(sizes)[group]
