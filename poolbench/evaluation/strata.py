"""The strata of a sampled pool: their sizes, and running counts of a ranking within them."""

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
    def from_judged(cls, judged: JudgmentTable) -> "Strata":
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


def number_stratum_groups(batch: ScoringBatch, strata: Strata) -> Ints:
    """By row: the number of its pair of segment and stratum."""
    key = batch.segment * max(1, len(strata.pooled)) + strata.number[batch.judgment_index]
    groups: Ints = np.unique(key, return_inverse=True)[1]
    return groups


def estimate_relevant_steps(batch: ScoringBatch, strata: Strata) -> Floats:
    """By row: the document's contribution to the estimated number of relevant documents so far.

    Within a stratum the estimate is pooled · (relevant + ε) / (judged + 3ε), all counted down to
    the row.
    """
    group = number_stratum_groups(batch, strata)
    order = np.argsort(group, kind="stable")
    first = np.searchsorted(group[order], np.arange(group.max(initial=-1) + 1))
    start = first[group[order]]

    def count_down_to(mask: Mask) -> Ints:
        total = np.concatenate(([0], np.cumsum(mask[order])))
        return total[1:] - total[start]

    pooled = np.arange(1, len(order) + 1) - start
    judged, relevant = count_down_to(batch.is_judged), count_down_to(batch.is_relevant)
    seen = pooled * (relevant + EPSILON) / (judged + 3 * EPSILON)
    before = np.roll(seen, 1)
    before[first] = 0.0
    steps = np.empty(len(seen))
    steps[order] = seen - before
    return steps
