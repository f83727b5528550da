"""The sampling frame: the pairs of a pool, and where runs retrieve them."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from poolbench.evaluation.batch import ScoringBatch
from poolbench.evaluation.judgments import Floats, Ints, JudgmentTable
from poolbench.evaluation.matching import batch_from_table
from poolbench.evaluation.options import ScoringOptions
from poolbench.reading.reader import DocnoArray
from poolbench.runs.hash_order import hash_orders
from poolbench.runs.tables import QrelsTable, RunTable, group_starts


@dataclass(frozen=True, eq=False)
class PoolFrame:
    """Pairs by topic, and entries: the pairs that runs retrieve.

    Pairs of topic ``t`` are ``starts[t]:starts[t + 1]``. By entry: ``pair``, ``rank`` (from 1, of
    all documents of the ranking) and ``segment`` = run · topics + topic, ascending; ranks ascend in
    a segment. Documents outside the frame count as not relevant, and as unjudged for bpref.
    """

    runs: tuple[str, ...]
    topics: tuple[str, ...]
    starts: Ints
    docnos: DocnoArray
    pair: Ints
    rank: Ints
    segment: Ints

    @cached_property
    def topic_index(self) -> Ints:
        return np.repeat(np.arange(len(self.topics)), np.diff(self.starts))

    @cached_property
    def sizes(self) -> Ints:
        """The number of pairs of each topic."""
        return np.diff(self.starts)

    @cached_property
    def first(self) -> Ints:
        """The first entry of each segment, and the end of the last one."""
        counts = np.bincount(self.segment, minlength=len(self.runs) * len(self.topics))
        return group_starts(counts)

    def hash_pairs(self, seed: int, salt: str) -> Ints:
        """A seeded number from 0 to 2⁶³ − 1 for each pair, another for each ``salt``."""
        parts = [np.empty(0, np.int64)]
        for at, topic in enumerate(self.topics):
            own = self.docnos.texts(slice(int(self.starts[at]), int(self.starts[at + 1])))
            parts.append(hash_orders(seed, topic, [b"%s %s" % (salt.encode(), d) for d in own]))
        return np.concatenate(parts)

    @property
    def shape(self) -> tuple[int, int]:
        """Runs and topics."""
        return len(self.runs), len(self.topics)

    def sum_topics(self, values: Floats) -> Floats:
        """Sums of ``values``, (pairs,) or (pairs, steps), by topic."""
        total = np.concatenate([np.zeros((1, *values.shape[1:])), np.cumsum(values, axis=0)])
        summed: Floats = np.diff(total[self.starts], axis=0)
        return summed

    def sum_segments(self, values: Floats) -> Floats:
        """Sums of ``values``, one per entry, by run and topic."""
        size = len(self.runs) * len(self.topics)
        summed = np.bincount(self.segment, weights=values, minlength=size)
        return summed.astype(np.float64).reshape(self.shape)

    def sum_above(self, values: Floats) -> Floats:
        """By entry: the sum of ``values`` of the entries above it in its segment."""
        total = np.concatenate(([0.0], np.cumsum(values)))
        above: Floats = total[:-1] - total[self.first[self.segment]]
        return above

    def sum_below(self, values: Floats) -> Floats:
        """By entry: the sum of ``values`` of the entries below it in its segment."""
        total = np.concatenate(([0.0], np.cumsum(values)))
        below: Floats = total[self.first[self.segment + 1]] - total[1:]
        return below

    def spread(self, values: Floats) -> Floats:
        """``values``, (runs, topics), by entry."""
        by_entry: Floats = values.reshape(-1)[self.segment]
        return by_entry


def build_pool_frame(runs: Iterable[RunTable], pairs: QrelsTable) -> PoolFrame:
    """The frame of ``pairs``, whose grades do not matter, and of ``runs`` in the given order."""
    judged, options = JudgmentTable.from_table(pairs), ScoringOptions()
    batches = ((run.tag, batch_from_table(run, judged, options)) for run in runs)
    return join_batches(batches, judged, pairs.docnos)


def join_batches(
    batches: Iterable[tuple[str, ScoringBatch]], judged: JudgmentTable, docnos: DocnoArray
) -> PoolFrame:
    """The frame of the pairs that ``judged`` lists, and of runs by tag, matched with it."""
    tags, pairs, ranks, segments = list[str](), list[Ints](), list[Ints](), list[Ints]()
    for tag, batch in batches:
        # Segments of a batch are topics in the order of the run.
        topic = judged.topic_index[batch.judgment_index]
        order = np.argsort(topic, kind="stable")
        pairs.append(batch.judgment_index[order])
        ranks.append(batch.ranks[order])
        segments.append(topic[order] + len(tags) * len(judged.topics))
        tags.append(tag)
    nothing = np.empty(0, np.int64)
    return PoolFrame(
        runs=tuple(tags),
        topics=judged.topics,
        starts=judged.starts,
        docnos=docnos,
        pair=np.concatenate([nothing, *pairs]),
        rank=np.concatenate([nothing, *ranks]),
        segment=np.concatenate([nothing, *segments]),
    )
