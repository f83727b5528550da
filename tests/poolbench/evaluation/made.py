"""Make a tiny run and its qrels out of grades in rank order."""

from collections.abc import Mapping, Sequence

import numpy as np

from poolbench.runs.qrels import qrels_from_rows
from poolbench.runs.runs import run_from_rows
from poolbench.runs.tables import QrelsTable, RunTable

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


def random_topics(count: int, seed: int, grades: int = 4) -> dict[str, Topic]:
    """Rankings of 0 to 40 documents, some unjudged, with grades from -1 up to ``grades`` - 1."""
    rng = np.random.default_rng(seed)
    return {f"t{topic:03}": _random_topic(rng, grades) for topic in range(count)}


def _random_topic(rng: np.random.Generator, grades: int) -> Topic:
    drawn = rng.integers(-2, grades, size=rng.integers(0, 41)).tolist()
    ranked = [None if grade == -2 else grade for grade in drawn]
    unretrieved = rng.integers(-1, grades, size=rng.integers(1, 10)).tolist()
    return ranked, [grade for grade in ranked if grade is not None] + unretrieved
