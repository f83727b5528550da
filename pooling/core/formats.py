"""Write a pool: lines for assessors, or CSV and JSON with the contributing runs; and write its
sampling frame for programs that estimate measures.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

from campaigns.core.qrels import qrels_from_rows
from campaigns.core.sampled_qrels import SampledQrels, write_prels, write_strata
from campaigns.core.tables import QrelsTable
from common.report.csv import format_csv
from pooling.core.frame import SamplingFrame
from pooling.core.tables import PoolTable

SAMPLED = ("priority", "stratum", "probability")
"""Additional columns of a sampled pool."""


def pool_to_trec(pool: PoolTable) -> str:
    """``topic 0 docno -1``: unjudged qrels, without runs and ranks."""
    return "".join(f"{topic} 0 {pool.docnos[row]} -1\n" for topic, row in _rows(pool))


def pool_to_csv(pool: PoolTable) -> str:
    """``topic,docno,min_rank,contributors``, with space-separated tags; for a sampled pool also
    ``priority,stratum,probability``.
    """
    more = SAMPLED if pool.is_sampled else ()
    rows = (
        (
            *(topic, pool.docnos[row], int(pool.min_rank[row])),
            " ".join(pool.contributor_tags(row)),
            *(getattr(pool, name)[row].item() for name in more),
        )
        for topic, row in _rows(pool)
    )
    head = ("topic", "docno", "min_rank", "contributors", *more)
    return format_csv("pool", head, rows, {"runs": list(pool.runs)})


def pool_to_json(pool: PoolTable) -> str:
    """The runs, and the documents by topic."""
    topics: dict[str, list[dict[str, object]]] = {topic: [] for topic in pool.topics}
    more = SAMPLED if pool.is_sampled else ()
    for topic, row in _rows(pool):
        topics[topic].append(
            {
                "docno": pool.docnos[row],
                "min_rank": int(pool.min_rank[row]),
                "contributors": list(pool.contributor_tags(row)),
                **{name: getattr(pool, name)[row].item() for name in more},
            }
        )
    content = {"runs": list(pool.runs), "topics": topics}
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"


def pool_to_ntcir(pool: PoolTable) -> str:
    """``topic docno`` in the order of selection: to judge from the top, as with NTCIRPOOL."""
    order = sorted(_rows(pool), key=lambda item: (item[0], int(pool.priority[item[1]])))
    return "".join(f"{topic} {pool.docnos[row]}\n" for topic, row in order)


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


def _rows(pool: PoolTable) -> Iterator[tuple[str, int]]:
    for index, topic in enumerate(pool.topics):
        rows = pool.rows(index)
        for row in range(rows.start, rows.stop):
            yield topic, row


FORMATS: dict[str, Callable[[PoolTable], str]] = {
    "trec": pool_to_trec,
    "csv": pool_to_csv,
    "json": pool_to_json,
    "ntcir": pool_to_ntcir,
}
FRAME_FORMATS: dict[str, Callable[[SamplingFrame], str]] = {
    "strata": pool_to_strata,
    "prels": pool_to_prels,
}
"""Formats of the sampling frame, with grades; `evaluate --qrels-format` reads them."""
