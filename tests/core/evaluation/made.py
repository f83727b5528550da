"""Make a tiny run and its qrels out of grades in rank order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from campaigns.core.qrels import qrels_from_rows
from campaigns.core.runs import run_from_rows
from campaigns.core.tables import QrelsTable, RunTable

Topic = tuple[Sequence[int | None], Sequence[int]]


def made(topics: Mapping[str, Topic]) -> tuple[RunTable, QrelsTable]:
    """``{topic: (grades in rank order, None for unjudged; all judged grades)}``."""
    run, qrels = [], []
    for topic, (ranked, judged) in topics.items():
        left = list(judged)
        for rank, grade in enumerate(ranked, 1):
            docno = f"d{rank:03}"
            run.append((topic, docno, float(1000 - rank)))
            if grade is not None:
                left.remove(grade)
                qrels.append((topic, docno, grade))
        qrels += [(topic, f"unretrieved{i}", grade) for i, grade in enumerate(left)]
    return run_from_rows("made", run), qrels_from_rows(qrels)
