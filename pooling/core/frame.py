"""The sampling frame of a pool: all documents that could be drawn, with stratum and probability."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from campaigns.core.pair_index import PairIndex
from campaigns.core.tables import QrelsTable, group_starts
from common.reading.reader import DocnoArray
from pooling.core.candidates import Floats, Ints, Mask
from pooling.core.pool_builder import join_columns, sample_columns
from pooling.core.session import PoolSession
from pooling.core.tables import PoolTable

UNKNOWN = -1
"""The grade of unjudged documents, as in qrels."""


@dataclass(frozen=True, eq=False)
class SamplingFrame:
    """Documents of topic ``i`` are the rows ``starts[i]`` to ``starts[i + 1]``, docno ascending.

    Stratum 0 with probability 1 means selected with certainty. ``grades`` are -1 until filled
    by ``fill_frame_grades``, and always for documents that are not ``sampled``.
    """

    topics: tuple[str, ...]
    starts: Ints
    docnos: DocnoArray
    stratum: Ints
    probability: Floats
    sampled: Mask
    grades: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.docnos)

    @property
    def has_strata(self) -> bool:
        """Whether strata describe the whole sample: no document was drawn without one."""
        return not ((self.stratum == 0) & (self.probability < 1)).any()

    @property
    def row_topics(self) -> list[str]:
        """The topic of each row."""
        names = np.array(self.topics, object)
        return np.repeat(names, np.diff(self.starts)).tolist()

    @property
    def unjudged(self) -> int:
        """The number of sampled documents without a grade."""
        return int((self.sampled & (self.grades < 0)).sum())


def build_frame(sessions: Iterable[PoolSession]) -> SamplingFrame:
    """The sampling frame of a pool; topics without selected documents are omitted."""
    parts = [
        (session, frame_rows(session), *sample_columns(session))
        for session in sessions
        if session.selected
    ]
    starts = group_starts([len(rows) for _, rows, _, _ in parts])
    ids = (session.candidates.docnos.take(rows) for session, rows, _, _ in parts)
    return SamplingFrame(
        topics=tuple(session.candidates.topic for session, *_ in parts),
        starts=starts,
        docnos=DocnoArray.from_ids(docno for part in ids for docno in part),
        stratum=join_columns([stratum[rows] for _, rows, stratum, _ in parts], np.int64),
        probability=join_columns([share[rows] for _, rows, _, share in parts], np.float64),
        sampled=join_columns([~session.available[rows] for session, rows, _, _ in parts], np.bool_),
        grades=np.full(int(starts[-1]), UNKNOWN, np.int32),
    )


def frame_rows(session: PoolSession) -> Ints:
    """The documents that ``session`` selected or could have drawn, ascending."""
    member = ~session.available
    if session.sample is not None:
        member[session.sample.frame] = True
    return np.flatnonzero(member)


def restrict_frame_to_pool(pool: PoolTable) -> SamplingFrame:
    """The frame restricted to the pool, which is all of it for a pool without sampling."""
    return SamplingFrame(
        topics=pool.topics,
        starts=pool.starts,
        docnos=DocnoArray.from_ids(pool.docnos),
        stratum=pool.stratum.astype(np.int64),
        probability=pool.probability,
        sampled=np.ones(len(pool), bool),
        grades=np.full(len(pool), UNKNOWN, np.int32),
    )


def fill_frame_grades(frame: SamplingFrame, qrels: QrelsTable) -> SamplingFrame:
    """``frame`` with the grades of its sampled documents.

    Documents judged without being sampled keep -1: counting them as part of the sample would
    bias the estimates.
    """
    row = PairIndex.from_table(qrels).find(frame)
    known = (row >= 0) & frame.sampled
    grades = np.full(len(frame), UNKNOWN, np.int32)
    grades[known] = qrels.grades[row[known]]
    return replace(frame, grades=grades)
