"""Write a pool: as TREC lines for judges, as CSV or JSON with what brought each document."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator

from pooling.core.tables import PoolTable


def trec_text(pool: PoolTable) -> str:
    """``topic 0 docno -1``: qrels of a pool that nobody judged; no run and no rank is seen."""
    return "".join(f"{topic} 0 {pool.docnos[row]} -1\n" for topic, row in _rows(pool))


def csv_text(pool: PoolTable) -> str:
    """``topic,docno,min_rank,contributors``, tags separated by blanks."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(["topic", "docno", "min_rank", "contributors"])
    for topic, row in _rows(pool):
        tags = " ".join(pool.contributors_of(row))
        writer.writerow([topic, pool.docnos[row], int(pool.min_rank[row]), tags])
    return stream.getvalue()


def json_text(pool: PoolTable) -> str:
    """Runs, and the documents by topic."""
    topics: dict[str, list[dict[str, object]]] = {topic: [] for topic in pool.topics}
    for topic, row in _rows(pool):
        topics[topic].append(
            {
                "docno": pool.docnos[row],
                "min_rank": int(pool.min_rank[row]),
                "contributors": list(pool.contributors_of(row)),
            }
        )
    content = {"runs": list(pool.runs), "topics": topics}
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"


def _rows(pool: PoolTable) -> Iterator[tuple[str, int]]:
    for index, topic in enumerate(pool.topics):
        rows = pool.rows(index)
        for row in range(rows.start, rows.stop):
            yield topic, row


FORMATS: dict[str, Callable[[PoolTable], str]] = {
    "trec": trec_text,
    "csv": csv_text,
    "json": json_text,
}
