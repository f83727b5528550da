"""Write a pool: lines for assessors, or CSV and JSON with the contributing runs; and its sampling
frame, all documents that could be drawn, for programs that estimate measures.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from poolbench.pooling.candidates import Floats, Ints, Mask
from poolbench.pooling.pool_builder import join_columns, sample_columns
from poolbench.pooling.session import PoolSession
from poolbench.pooling.tables import PoolTable
from poolbench.reading.reader import DocnoArray
from poolbench.reports.csv import iter_csv_parts
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


@dataclass(frozen=True, eq=False)
class PoolParts:
    """A pool as tables of some topics each, in their order, so that not all of it is in memory."""

    runs: Sequence[str]
    is_sampled: bool
    tables: Iterable[PoolTable]


def format_pool(pool: PoolTable, fmt: str) -> str:
    """The whole file in a format of ``FORMATS``."""
    return "".join(FORMATS[fmt](PoolParts(pool.runs, pool.is_sampled, [pool])))


SAMPLED = ("priority", "stratum", "probability")
"""Additional columns of a sampled pool."""


def iter_trec_file(pool: PoolParts) -> Iterator[str]:
    """``topic 0 docno -1``: unjudged qrels, without runs and ranks."""
    for table in pool.tables:
        rows = zip(table.iter_rows(), table.docnos, strict=True)
        yield "".join(f"{topic} 0 {docno} -1\n" for (topic, _row), docno in rows)


def iter_csv_file(pool: PoolParts) -> Iterator[str]:
    """``topic,docno,min_rank,contributors``, with space-separated tags; for a sampled pool also
    ``priority,stratum,probability``.
    """
    more = SAMPLED if pool.is_sampled else ()
    rows = (
        (
            *(topic, docno, int(table.min_rank[row])),
            " ".join(table.contributor_tags(row)),
            *(getattr(table, name)[row].item() for name in more),
        )
        for table in pool.tables
        for (topic, row), docno in zip(table.iter_rows(), table.docnos, strict=True)
    )
    head = ("topic", "docno", "min_rank", "contributors", *more)
    yield from iter_csv_parts("pool", head, rows, {"runs": list(pool.runs)})


def iter_json_file(pool: PoolParts) -> Iterator[str]:
    """The runs, and the documents by topic."""
    topics: dict[str, list[dict[str, object]]] = {}
    more = SAMPLED if pool.is_sampled else ()
    for table in pool.tables:
        for (topic, row), docno in zip(table.iter_rows(), table.docnos, strict=True):
            topics.setdefault(topic, []).append(
                {
                    "docno": docno,
                    "min_rank": int(table.min_rank[row]),
                    "contributors": list(table.contributor_tags(row)),
                    **{name: getattr(table, name)[row].item() for name in more},
                }
            )
    content = {"runs": list(pool.runs), "topics": topics}
    yield json.dumps(content, ensure_ascii=False, indent=1) + "\n"


def iter_ntcir_file(pool: PoolParts) -> Iterator[str]:
    """``topic docno`` in the order of selection: to judge from the top, as with NTCIRPOOL."""
    for table in pool.tables:
        order = sorted(table.iter_rows(), key=lambda at: (at[0], int(table.priority[at[1]])))
        docnos = list(table.docnos)
        yield "".join(f"{topic} {docnos[row]}\n" for topic, row in order)


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


FORMATS: dict[str, Callable[[PoolParts], Iterator[str]]] = {
    "trec": iter_trec_file,
    "csv": iter_csv_file,
    "json": iter_json_file,
    "ntcir": iter_ntcir_file,
}
FRAME_FORMATS: dict[str, Callable[[SamplingFrame], str]] = {
    "strata": pool_to_strata,
    "prels": pool_to_prels,
    "frame": pool_to_frame,
}
"""Formats of the sampling frame, with grades; `evaluate --qrels-format` reads the first two,
`estimate` the last one."""
