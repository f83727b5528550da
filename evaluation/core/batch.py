"""Rankings laid out flat, so that one numpy pass scores all topics (of one run or many).

A *segment* is one ranking of one topic. Its rows are ``grades[starts[i]:starts[i + 1]]``
in rank order; a topic that the run does not answer is a segment without rows.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import repeat

import numpy as np
from numpy.typing import NDArray

from campaigns.core.qrels import write_qrels
from campaigns.core.tables import UNJUDGED, QrelsTable, RunTable, starts_of
from evaluation.core.options import Options

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Judged:
    """Judgments by topic: ``grades[starts[i]:starts[i + 1]]``, descending within a topic.

    ``lookup`` holds grade by docno for each topic where rows come as docnos. ``digest``
    is the hex sha256 of the qrels.
    """

    topics: tuple[str, ...]
    starts: Ints
    grades: NDArray[np.int32]
    digest: str = ""
    lookup: Sequence[Mapping[str, int]] = field(default=(), repr=False)

    @classmethod
    def from_arrays(
        cls, topics: Sequence[str], starts: Ints, grades: NDArray[np.int32], digest: str = ""
    ) -> Judged:
        """Judgments whose grades come in any order within a topic."""
        topic_of = np.repeat(np.arange(len(topics)), np.diff(starts))
        order = np.lexsort((-grades.astype(np.int64), topic_of))
        return cls(tuple(topics), starts, grades[order], digest)

    @classmethod
    def from_table(cls, qrels: QrelsTable) -> Judged:
        plain = cls.from_arrays(qrels.topics, qrels.starts, qrels.grades)
        grades = qrels.grades.tolist()
        parts = [qrels.rows(index) for index in range(len(qrels.topics))]
        lookup = [dict(zip(qrels.docnos[p], grades[p], strict=True)) for p in parts]
        digest = hashlib.sha256(write_qrels(qrels)).hexdigest()
        return cls(plain.topics, plain.starts, plain.grades, digest, lookup)

    @cached_property
    def topic_of(self) -> Ints:
        """The topic index of each judgment."""
        return np.repeat(np.arange(len(self.topics)), np.diff(self.starts))

    @cached_property
    def ranks(self) -> Ints:
        """Rank, from 1, of each judgment in the order of falling grades."""
        return np.arange(1, len(self.grades) + 1) - self.starts[self.topic_of]

    def count(self, mask: Mask) -> Ints:
        """How many judgments of each topic are in ``mask``; shape (topics,)."""
        return np.bincount(self.topic_of[mask], minlength=len(self.topics))


@dataclass(frozen=True, eq=False)
class Batch:
    """Segments to score. ``topic_of[i]`` is the judged topic of segment ``i``.

    ``answered[i]`` says whether the run had documents for it before any cut.
    """

    judged: Judged
    topic_of: Ints
    starts: Ints
    grades: NDArray[np.int32]
    answered: Mask
    options: Options = field(default_factory=Options)

    def __len__(self) -> int:
        return len(self.topic_of)

    @cached_property
    def lengths(self) -> Ints:
        """Documents retrieved, by segment."""
        return np.diff(self.starts)

    @cached_property
    def segment(self) -> Ints:
        """The segment of each row."""
        return np.repeat(np.arange(len(self)), self.lengths)

    @cached_property
    def ranks(self) -> Ints:
        """Rank of each row, from 1 in its segment."""
        return np.arange(1, len(self.grades) + 1) - self.starts[self.segment]

    @cached_property
    def is_relevant(self) -> Mask:
        return self.grades >= self.options.level

    @cached_property
    def is_judged(self) -> Mask:
        return self.grades >= 0

    @cached_property
    def is_nonrelevant(self) -> Mask:
        """Judged, and not relevant."""
        return self.is_judged & ~self.is_relevant

    @cached_property
    def gains(self) -> Floats:
        return self.options.gain_of(self.grades)

    @cached_property
    def relevant(self) -> Ints:
        """R: relevant documents in the judgments, by segment."""
        return self.judged.count(self.judged.grades >= self.options.level)[self.topic_of]

    @cached_property
    def nonrelevant(self) -> Ints:
        """N: judged non-relevant documents in the judgments, by segment."""
        grades = self.judged.grades
        return self.judged.count((grades >= 0) & (grades < self.options.level))[self.topic_of]

    @cached_property
    def relevant_so_far(self) -> Ints:
        """Relevant documents of the segment at this rank or above, by row."""
        return self.running(self.is_relevant)

    @cached_property
    def nonrelevant_so_far(self) -> Ints:
        """Judged non-relevant documents of the segment at this rank or above, by row."""
        return self.running(self.is_nonrelevant)

    def running(self, mask: Mask) -> Ints:
        """Count of ``mask`` within the segment down to and including each row."""
        total = np.concatenate(([0], np.cumsum(mask)))
        return total[1:] - total[self.starts[self.segment]]

    def count(self, mask: Mask) -> Ints:
        """How many rows of each segment are in ``mask``."""
        return np.bincount(self.segment[mask], minlength=len(self))

    def sums(self, weights: Floats, mask: Mask) -> Floats:
        """Sum by segment of ``weights``, given for the rows of ``mask``, in rank order."""
        return sums_by(self.segment[mask], weights, len(self))


def sums_by(place: Ints, weights: Floats, places: int) -> Floats:
    """Sum of ``weights`` by ``place``, added in the order given; shape (places,)."""
    summed: Floats = np.bincount(place, weights=weights, minlength=places).astype(np.float64)
    return summed


def ratio(numerator: Floats | Ints, denominator: Floats | Ints | int) -> Floats:
    """``numerator / denominator``, and 0 where the denominator is 0."""
    bottom = np.broadcast_to(np.asarray(denominator, np.float64), numerator.shape)
    return np.divide(numerator, bottom, out=np.zeros(numerator.shape), where=bottom != 0)


def batch_from_arrays(
    judged: Judged, starts: Ints, grades: NDArray[np.int32], options: Options
) -> Batch:
    """One run as grades in rank order, ``starts`` over ``judged.topics``; then -M and -J."""
    answered = np.diff(starts) > 0
    kept = np.ones(len(answered), np.bool_) if options.topics == "judged" else answered
    segment = np.repeat(np.arange(len(answered)), np.diff(starts))
    rows = np.ones(len(grades), np.bool_)
    if options.max_per_topic is not None:
        rows &= np.arange(len(grades)) - starts[segment] < options.max_per_topic
    if options.judged_only:
        rows &= grades >= 0
    sizes = np.bincount(segment[rows], minlength=len(answered))[kept]
    bounds = starts_of(sizes)
    return Batch(judged, np.flatnonzero(kept), bounds, grades[rows], answered[kept], options)


def batch_from_tables(run: RunTable, qrels: QrelsTable | Judged, options: Options) -> Batch:
    """One run against qrels, documents matched by docno; topics without qrels are left out."""
    judged = qrels if isinstance(qrels, Judged) else Judged.from_table(qrels)
    place = {topic: index for index, topic in enumerate(run.topics)}
    sizes = np.zeros(len(judged.topics), np.int64)
    parts: list[NDArray[np.int32]] = []
    for index, topic in enumerate(judged.topics):
        if (found := place.get(topic)) is None:
            continue
        docnos = run.docnos[run.rows(found)]
        matched = map(judged.lookup[index].get, docnos, repeat(int(UNJUDGED)))
        parts.append(np.fromiter(matched, np.int32, len(docnos)))
        sizes[index] = len(docnos)
    starts = starts_of(sizes)
    grades = np.concatenate(parts) if parts else np.empty(0, np.int32)
    return batch_from_arrays(judged, starts, grades, options)
