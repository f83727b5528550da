"""A pool: which documents of which topics are to be judged, and which runs brought them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class PoolTable:
    """Documents of topic ``i`` are the rows ``starts[i]`` to ``starts[i + 1]``, docno ascending.

    ``min_rank`` is the best rank, from 1, that any pooled run gave to the document.
    ``contributors[bounds[row]:bounds[row + 1]]`` are the runs that brought it, as ascending
    positions in ``runs``; ``runs`` are tags ascending by code point. ``priority`` is the place
    of the document, from 1 in each topic, in the order in which the spec chose. ``stratum`` is 0
    and ``probability`` 1 for what was not sampled.
    """

    runs: tuple[str, ...]
    topics: tuple[str, ...]
    starts: Ints
    docnos: list[str]
    min_rank: NDArray[np.int32]
    bounds: Ints
    contributors: NDArray[np.int32]
    priority: NDArray[np.int32]
    stratum: NDArray[np.int32]
    probability: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.docnos)

    @property
    def is_sampled(self) -> bool:
        """Whether a part of it came by chance."""
        return bool((self.stratum > 0).any() or (self.probability < 1).any())

    def rows(self, index: int) -> slice:
        """The rows of the topic at ``index`` of ``topics``."""
        return slice(int(self.starts[index]), int(self.starts[index + 1]))

    def contributors_of(self, row: int) -> tuple[str, ...]:
        """The tags of the runs that brought the document of ``row``."""
        part = self.contributors[self.bounds[row] : self.bounds[row + 1]]
        return tuple(self.runs[run] for run in part.tolist())


@dataclass(frozen=True, eq=False)
class PoolSizes:
    """Sizes before a pool is frozen: ``documents`` by topic; ``alone`` is topics × runs, the
    documents that no other pooled run brings.
    """

    runs: tuple[str, ...]
    topics: tuple[str, ...]
    documents: Ints
    alone: Ints


def count_pool_sizes(pool: PoolTable) -> PoolSizes:
    """How many documents each topic gets, and how many of them hang on one run."""
    documents = np.diff(pool.starts)
    topic_of = np.repeat(np.arange(len(pool.topics)), documents)
    single = np.flatnonzero(np.diff(pool.bounds) == 1)
    alone = np.zeros((len(pool.topics), len(pool.runs)), np.int64)
    np.add.at(alone, (topic_of[single], pool.contributors[pool.bounds[single]]), 1)
    return PoolSizes(pool.runs, pool.topics, documents, alone)
