"""The two tables that all parts of the product share: a run and qrels.

Both are *flat*: the rows of topic ``i`` are ``docnos[starts[i]:starts[i + 1]]``. Topics are
sorted by code point. IDs are strings, exactly as in the file (``001`` is not ``1``; ``NA`` is a
docno).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from poolbench.reading.reader import DocnoArray

UNJUDGED = np.int32(-(2**31))
"""Grade of a document that is not in the qrels (no file can contain this value)."""


def group_starts(sizes: ArrayLike) -> NDArray[np.int64]:
    """The start of each group of rows, and finally the end of all, from the groups' sizes."""
    return np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)


def split_topic_ranges(starts: NDArray[np.int64], rows: int) -> Iterator[tuple[int, int]]:
    """All topics as ranges ``(first, end)``, each of about ``rows`` rows or of a single topic."""
    first, topics = 0, len(starts) - 1
    while first < topics:
        end = int(np.searchsorted(starts, starts[first] + rows, side="right")) - 1
        end = min(max(end, first + 1), topics)
        yield first, end
        first = end


class PairTable(Protocol):
    """A table of (topic, docno) pairs by topic: a run, qrels, or only pairs."""

    @property
    def topics(self) -> tuple[str, ...]: ...
    @property
    def starts(self) -> NDArray[np.int64]: ...
    @property
    def docnos(self) -> DocnoArray: ...


class TopicRows:
    """What flat tables have in common."""

    starts: NDArray[np.int64]
    docnos: Sequence[str] | DocnoArray

    def __len__(self) -> int:
        return len(self.docnos)

    def rows(self, index: int) -> slice:
        """The rows of the topic at ``index`` of ``topics``."""
        return slice(int(self.starts[index]), int(self.starts[index + 1]))


@dataclass(frozen=True)
class RunTable(TopicRows):
    """One run in trec_eval order: score descending, then docno descending by code point.

    ``starts`` has ``len(topics) + 1`` entries; ``docnos`` and ``scores`` have
    ``starts[-1]`` entries.
    """

    tag: str
    topics: tuple[str, ...]
    starts: NDArray[np.int64]
    docnos: DocnoArray
    scores: NDArray[np.float64]


@dataclass(frozen=True)
class QrelsTable(TopicRows):
    """Grades by topic and docno, docnos ascending by code point within a topic.

    Grade -1 means "pooled, not judged", -2 and below "ignore", as in trec_eval: neither
    relevant nor judged non-relevant.
    """

    topics: tuple[str, ...]
    starts: NDArray[np.int64]
    docnos: DocnoArray
    grades: NDArray[np.int32]

    def by_pair(self) -> dict[tuple[str, str], int]:
        """The grade of each (topic, docno), in the order of the rows."""
        rows = [self.rows(at) for at in range(len(self.topics))]
        return {
            (topic, docno): grade
            for topic, own in zip(self.topics, rows, strict=True)
            for docno, grade in zip(self.docnos[own], self.grades[own].tolist(), strict=True)
        }
