"""A pool: the documents to judge per topic, and the runs that contributed them."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from poolbench.notebooks import Frame, ResultTable, make_frame
from poolbench.reading.reader import DocnoArray
from poolbench.runs.tables import TopicRows

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False, repr=False)
class PoolTable(TopicRows, ResultTable):
    """Documents of topic ``i`` are the rows ``starts[i]`` to ``starts[i + 1]``, docno ascending.

    ``min_rank`` is the document's best rank, from 1, in any contributing run.
    ``contributors[bounds[row]:bounds[row + 1]]`` are the runs that contributed it, as ascending
    positions in ``runs``; ``runs`` are tags ascending by code point. ``priority`` is the place
    of the document, from 1 in each topic, in the order of selection. ``stratum`` is 0 and
    ``probability`` 1 for documents that were not sampled.
    """

    runs: tuple[str, ...]
    topics: tuple[str, ...]
    starts: Ints
    docnos: DocnoArray
    min_rank: NDArray[np.int32]
    bounds: Ints
    contributors: NDArray[np.int32]
    priority: NDArray[np.int32]
    stratum: NDArray[np.int32]
    probability: NDArray[np.float64]

    def __repr__(self) -> str:
        return (
            f"<PoolTable: {len(self):,} documents for {len(self.topics)} topics from "
            f"{len(self.runs)} runs>"
        )

    def to_frame(self) -> Frame:
        """One row per document: topic, docno, best rank, runs, place, stratum, probability."""
        columns = {
            "topic": np.repeat(np.array(self.topics, object), np.diff(self.starts)),
            "docno": list(self.docnos),
            "min_rank": self.min_rank,
            "runs": [self.contributor_tags(row) for row in range(len(self))],
            "priority": self.priority,
            "stratum": self.stratum,
            "probability": self.probability,
        }
        return make_frame(columns)

    @property
    def is_sampled(self) -> bool:
        """Whether any document was sampled."""
        return bool((self.stratum > 0).any() or (self.probability < 1).any())

    def iter_rows(self) -> Iterator[tuple[str, int]]:
        """The topic and number of each row."""
        for index, topic in enumerate(self.topics):
            yield from ((topic, row) for row in range(self.starts[index], self.starts[index + 1]))

    def contributor_tags(self, row: int) -> tuple[str, ...]:
        """The tags of the runs that contributed the document of ``row``."""
        part = self.contributors[self.bounds[row] : self.bounds[row + 1]]
        return tuple(self.runs[run] for run in part.tolist())


def count_unique_documents(pool: PoolTable) -> Ints:
    """Topics × runs: the documents that no other run contributes."""
    topic_of = np.repeat(np.arange(len(pool.topics)), np.diff(pool.starts))
    single = np.flatnonzero(np.diff(pool.bounds) == 1)
    unique = np.zeros((len(pool.topics), len(pool.runs)), np.int64)
    np.add.at(unique, (topic_of[single], pool.contributors[pool.bounds[single]]), 1)
    return unique
