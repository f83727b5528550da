"""Write a pool: lines for assessors, or CSV and JSON with the contributing runs; and its sampling
frame, all documents that could be drawn, for programs that estimate measures.
"""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from poolbench.pooling.candidates import Floats, Ints, Mask
from poolbench.pooling.pool_builder import join_columns, sample_columns
from poolbench.pooling.session import PoolSession
from poolbench.pooling.tables import PoolTable
from poolbench.reading.reader import DocnoArray
from poolbench.reports.csv import format_csv
from poolbench.runs.pair_index import PairIndex
from poolbench.runs.qrels import qrels_from_rows
from poolbench.runs.sampled_qrels import SampledQrels, write_frame, write_prels, write_strata
from poolbench.runs.tables import QrelsTable, group_starts

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
        names = np.array(self.topics, object)
        return np.repeat(names, np.diff(self.starts)).tolist()

    @property
    def unjudged(self) -> int:
        """The number of sampled documents without a grade."""
        return int((self.sampled & (self.grades < 0)).sum())


def build_frame(sessions: Iterable[PoolSession]) -> SamplingFrame:
    """The sampling frame of a pool; topics without selected documents are omitted, unless they
    could have had some: their scores count in a mean over topics.
    """
    parts = [
        (session, frame_rows(session), *sample_columns(session))
        for session in sessions
        if session.selected or session.sample is not None
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
        docnos=pool.docnos,
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


SAMPLED = ("priority", "stratum", "probability")
"""Additional columns of a sampled pool."""


def pool_to_trec(pool: PoolTable) -> str:
    """``topic 0 docno -1``: unjudged qrels, without runs and ranks."""
    rows = zip(pool.iter_rows(), pool.docnos, strict=True)
    return "".join(f"{topic} 0 {docno} -1\n" for (topic, _row), docno in rows)


def pool_to_csv(pool: PoolTable) -> str:
    """``topic,docno,min_rank,contributors``, with space-separated tags; for a sampled pool also
    ``priority,stratum,probability``.
    """
    more = SAMPLED if pool.is_sampled else ()
    rows = (
        (
            *(topic, docno, int(pool.min_rank[row])),
            " ".join(pool.contributor_tags(row)),
            *(getattr(pool, name)[row].item() for name in more),
        )
        for (topic, row), docno in zip(pool.iter_rows(), pool.docnos, strict=True)
    )
    head = ("topic", "docno", "min_rank", "contributors", *more)
    return format_csv("pool", head, rows, {"runs": list(pool.runs)})


def pool_to_json(pool: PoolTable) -> str:
    """The runs, and the documents by topic."""
    topics: dict[str, list[dict[str, object]]] = {topic: [] for topic in pool.topics}
    more = SAMPLED if pool.is_sampled else ()
    for (topic, row), docno in zip(pool.iter_rows(), pool.docnos, strict=True):
        topics[topic].append(
            {
                "docno": docno,
                "min_rank": int(pool.min_rank[row]),
                "contributors": list(pool.contributor_tags(row)),
                **{name: getattr(pool, name)[row].item() for name in more},
            }
        )
    content = {"runs": list(pool.runs), "topics": topics}
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"


def pool_to_ntcir(pool: PoolTable) -> str:
    """``topic docno`` in the order of selection: to judge from the top, as with NTCIRPOOL."""
    order = sorted(pool.iter_rows(), key=lambda item: (item[0], int(pool.priority[item[1]])))
    docnos = list(pool.docnos)
    return "".join(f"{topic} {docnos[row]}\n" for topic, row in order)


def pool_to_strata(frame: SamplingFrame) -> str:
    """``topic 0 docno stratum grade`` of the whole frame, as read by sample_eval.pl."""
    strata = tuple(map(str, frame.stratum.tolist()))
    qrels = QrelsTable(frame.topics, frame.starts, frame.docnos, frame.grades)
    return write_strata(SampledQrels(qrels, frame.probability, strata)).decode()


def pool_to_prels(frame: SamplingFrame) -> str:
    """``topic docno grade method probability`` of the sample, as read by statAP programs."""
    columns = zip(frame.row_topics, frame.docnos, frame.grades.tolist(), frame.sampled, strict=True)
    rows = [(topic, docno, grade) for topic, docno, grade, is_sampled in columns if is_sampled]
    probability = frame.probability[frame.sampled]
    return write_prels(SampledQrels(qrels_from_rows(rows), probability)).decode()


def pool_to_frame(frame: SamplingFrame) -> str:
    """As ``pool_to_prels``, with all documents that could be drawn: estimates from a sample need
    their probabilities too.
    """
    columns = zip(frame.row_topics, frame.docnos, frame.grades.tolist(), strict=True)
    qrels = qrels_from_rows(columns)
    return write_frame(qrels, frame.probability).decode()


FORMATS: dict[str, Callable[[PoolTable], str]] = {
    "trec": pool_to_trec,
    "csv": pool_to_csv,
    "json": pool_to_json,
    "ntcir": pool_to_ntcir,
}
FRAME_FORMATS: dict[str, Callable[[SamplingFrame], str]] = {
    "strata": pool_to_strata,
    "prels": pool_to_prels,
    "frame": pool_to_frame,
}
"""Formats of the sampling frame, with grades; `evaluate --qrels-format` reads the first two,
`estimate` the last one."""
