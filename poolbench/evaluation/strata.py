"""The strata of a sampled pool: their sizes, and running counts of a ranking within them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from poolbench.evaluation.batch import ScoringBatch, sum_by_place
from poolbench.evaluation.judgments import Floats, Ints, JudgmentTable, Mask

EPSILON = 1e-5
"""sample_eval.pl adds this to the number of relevant documents and three times as much to the
number of judged ones; trec_eval adds it to the relevant and to the other judged ones."""


@dataclass(frozen=True)
class Strata:
    """By judgment: ``number``, its stratum. By stratum: ``topic``, ``pooled``, ``sampled``."""

    judged: JudgmentTable
    number: Ints
    topic: Ints
    pooled: Ints
    sampled: Ints

    @classmethod
    def from_judged(cls, judged: JudgmentTable) -> Strata:
        """The strata of ``judged``; without strata each topic's pool is one stratum."""
        number = judged.topic_index if judged.strata is None else judged.strata
        pooled = np.bincount(number)
        topic = np.zeros(len(pooled), np.int64)
        topic[number] = judged.topic_index
        sampled = np.bincount(number[judged.grades >= 0], minlength=len(pooled))
        return cls(judged, number, topic, pooled, sampled)

    @cached_property
    def is_estimable(self) -> Mask:
        """By topic: whether every stratum of its pool has a judged document."""
        empty = self.topic[(self.sampled == 0) & (self.pooled > 0)]
        estimable = np.ones(len(self.judged.topics), np.bool_)
        estimable[empty] = False
        return estimable

    @cached_property
    def weights(self) -> Floats:
        """By judgment: pooled documents per judged document of its stratum."""
        return np.asarray(self.pooled / np.maximum(self.sampled, 1), np.float64)[self.number]

    def estimated(self, mask: Mask) -> Floats:
        """By topic: estimated number of pooled documents in ``mask``, which is by judgment."""
        mask = mask & (self.judged.grades >= 0)
        topics = self.judged.topic_index[mask]
        return sum_by_place(topics, self.weights[mask], len(self.judged.topics))


@dataclass(frozen=True)
class StratumGroups:
    """The rows of a batch by stratum: ``group`` numbers the pairs of segment and stratum."""

    batch: ScoringBatch
    group: Ints

    @classmethod
    def from_batch(cls, batch: ScoringBatch, strata: Strata) -> StratumGroups:
        key = batch.segment * max(1, len(strata.pooled)) + strata.number[batch.judgment_index]
        return cls(batch, np.unique(key, return_inverse=True)[1])

    @cached_property
    def order(self) -> Ints:
        """Rows by group, and by rank within one."""
        return np.argsort(self.group, kind="stable")

    @cached_property
    def first(self) -> Ints:
        """The first row of each group in ``order``."""
        return np.searchsorted(self.group[self.order], np.arange(self.group.max(initial=-1) + 1))

    def running_count(self, mask: Mask) -> Ints:
        """Number of rows of ``mask`` in the group down to and including each row, in ``order``."""
        total = np.concatenate(([0], np.cumsum(mask[self.order])))
        return total[1:] - total[self.first[self.group[self.order]]]

    @cached_property
    def steps(self) -> Floats:
        """By row: the document's contribution to the estimated number of relevant documents so
        far.

        Within a stratum the estimate is pooled · (relevant + ε) / (judged + 3ε), all counted
        down to the row.
        """
        pooled = self.running_count(np.ones(len(self.order), np.bool_))
        judged, relevant = (
            self.running_count(self.batch.is_judged),
            self.running_count(self.batch.is_relevant),
        )
        seen = pooled * (relevant + EPSILON) / (judged + 3 * EPSILON)
        before = np.roll(seen, 1)
        before[self.first] = 0.0
        steps = np.empty(len(seen))
        steps[self.order] = seen - before
        return steps
