"""The two tables that every part of the product passes around: a run and a qrels.

Both are *flat*: the rows of topic ``i`` are ``docnos[starts[i]:starts[i + 1]]``.
Topics are sorted by code point, ids are strings and stay exactly as the file has
them (``001`` is not ``1``; ``NA`` is a docno).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

UNJUDGED = np.int32(-(2**31))
"""Grade of a document that stands in no qrels line (not a value that a file can hold)."""


def starts_of(sizes: ArrayLike) -> NDArray[np.int64]:
    """Where each group of rows starts, and last where all end, from the groups' sizes."""
    return np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)


@dataclass(frozen=True)
class RunTable:
    """One run in trec_eval order: score descending, then docno descending by code point.

    ``starts`` has ``len(topics) + 1`` entries; ``docnos`` and ``scores`` have
    ``starts[-1]`` entries.
    """

    tag: str
    topics: tuple[str, ...]
    starts: NDArray[np.int64]
    docnos: list[str]
    scores: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.docnos)

    def rows(self, index: int) -> slice:
        """The rows of the topic at ``index`` of ``topics``."""
        return slice(int(self.starts[index]), int(self.starts[index + 1]))


@dataclass(frozen=True)
class QrelsTable:
    """Grades by topic and docno, docnos ascending by code point within a topic.

    Grade -1 is "pooled, not judged", -2 and below "to be ignored", as in trec_eval:
    neither relevant nor judged non-relevant.
    """

    topics: tuple[str, ...]
    starts: NDArray[np.int64]
    docnos: list[str]
    grades: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.docnos)

    def rows(self, index: int) -> slice:
        """The rows of the topic at ``index`` of ``topics``."""
        return slice(int(self.starts[index]), int(self.starts[index + 1]))
