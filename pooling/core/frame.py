"""All documents that a pool was drawn from, drawn or not: estimates go by how many there are."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from campaigns.core.docnos import DocnoArray
from campaigns.core.pair_index import PairIndex
from campaigns.core.tables import QrelsTable, group_starts
from pooling.core.candidates import Floats, Ints, Mask
from pooling.core.pool_builder import join_columns, sample_columns
from pooling.core.session import PoolSession
from pooling.core.tables import PoolTable

UNKNOWN = -1
"""The grade of what nobody judged, as in qrels."""


@dataclass(frozen=True, eq=False)
class SamplingFrame:
    """Documents of topic ``i`` are the rows ``starts[i]`` to ``starts[i + 1]``, docno ascending.

    Stratum 0 and probability 1 stand for what was chosen for certain. ``grades`` are -1 until
    ``graded``, and always of what was not ``drawn``.
    """

    topics: tuple[str, ...]
    starts: Ints
    docnos: DocnoArray
    stratum: Ints
    probability: Floats
    drawn: Mask
    grades: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.docnos)

    @property
    def has_strata(self) -> bool:
        """Whether strata tell all about the sample: no document was drawn without one."""
        return not ((self.stratum == 0) & (self.probability < 1)).any()

    @property
    def topic_of(self) -> list[str]:
        """The topic of each row."""
        names = np.array(self.topics, object)
        return np.repeat(names, np.diff(self.starts)).tolist()

    @property
    def unjudged(self) -> int:
        """How many documents were drawn and have no grade."""
        return int((self.drawn & (self.grades < 0)).sum())


def build_frame(found: Iterable[PoolSession]) -> SamplingFrame:
    """The frame of the pool of ``found``; topics of which nothing was given are left out."""
    parts = [
        (session, frame_rows(session), *sample_columns(session))
        for session in found
        if session.given
    ]
    starts = group_starts([len(rows) for _, rows, _, _ in parts])
    ids = (session.candidates.docnos.take(rows) for session, rows, _, _ in parts)
    return SamplingFrame(
        topics=tuple(session.candidates.topic for session, *_ in parts),
        starts=starts,
        docnos=DocnoArray.from_ids(docno for part in ids for docno in part),
        stratum=join_columns([stratum[rows] for _, rows, stratum, _ in parts], np.int64),
        probability=join_columns([share[rows] for _, rows, _, share in parts], np.float64),
        drawn=join_columns([~session.open[rows] for session, rows, _, _ in parts], np.bool_),
        grades=np.full(int(starts[-1]), UNKNOWN, np.int32),
    )


def frame_rows(session: PoolSession) -> Ints:
    """What ``session`` gave or could have drawn, as ascending numbers of documents."""
    member = ~session.open
    if session.sample is not None:
        member[session.sample.frame] = True
    return np.flatnonzero(member)


def restrict_frame_to_pool(pool: PoolTable) -> SamplingFrame:
    """The part of the frame that a pool keeps: what is in it. All, if nothing was sampled."""
    return SamplingFrame(
        topics=pool.topics,
        starts=pool.starts,
        docnos=DocnoArray.from_ids(pool.docnos),
        stratum=pool.stratum.astype(np.int64),
        probability=pool.probability,
        drawn=np.ones(len(pool), bool),
        grades=np.full(len(pool), UNKNOWN, np.int32),
    )


def fill_frame_grades(frame: SamplingFrame, qrels: QrelsTable) -> SamplingFrame:
    """``frame`` with the grades of what was drawn.

    A document that was judged without being drawn keeps -1: it came in by another door, and
    taken for a part of the sample it would bend the estimates.
    """
    row = PairIndex.from_table(qrels).find(frame)
    known = (row >= 0) & frame.drawn
    grades = np.full(len(frame), UNKNOWN, np.int32)
    grades[known] = qrels.grades[row[known]]
    return replace(frame, grades=grades)
