"""The worked examples of the lectures, and small helpers to score their rankings.

``worked_examples.json`` holds the numbers, copied from the lecture material by hand.
"""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from poolbench.evaluation.batch import ScoringBatch
from poolbench.evaluation.curves import sawtooth_curve
from poolbench.evaluation.evaluate import evaluate
from poolbench.evaluation.judgments import Floats, JudgmentTable
from poolbench.evaluation.matching import batch_from_table
from poolbench.evaluation.options import ScoringOptions
from tests.poolbench.evaluation.made import Topic, made

OWN = Path(__file__).with_name("worked_examples.json")
Entry = dict[str, Any]
Check = Callable[..., Any]


def read_book(path: Path) -> dict[str, Entry]:
    """``{"given": …, "expect": …}`` by id."""
    entries = json.loads(path.read_text())
    return {e["id"]: {"given": e["given"], "expect": e["expect"]} for e in entries}


BOOK = read_book(OWN)


def listed(into: dict[str, Check], name: str) -> Callable[[Check], Check]:
    """Put a function into a table under the id of its example."""

    def put(check: Check) -> Check:
        into[name] = check
        return check

    return put


def value(measure: str, *topics: Topic, options: ScoringOptions | None = None) -> float | None:
    """The mean of one measure over a few topics."""
    named = {str(number): topic for number, topic in enumerate(topics)}
    return evaluate(*made(named), [measure], options).overall[0]


def batch_of(*topics: Topic) -> ScoringBatch:
    run, qrels = made({str(number): topic for number, topic in enumerate(topics)})
    return batch_from_table(run, JudgmentTable.from_table(qrels), ScoringOptions())


def of_documents(given: Mapping[str, list[str]]) -> Topic:
    """Of a ranking of docnos and the relevant ones; the others are judged not to be."""
    ranked: list[int | None] = [int(docno in given["relevant"]) for docno in given["ranking"]]
    missing = len(given["relevant"]) - sum(grade or 0 for grade in ranked)
    return ranked, [grade or 0 for grade in ranked] + [1] * missing


def of_grades(ranked: list[int], recall_base: int) -> Topic:
    """Of 0 and 1 in rank order, ``recall_base`` documents being relevant."""
    return list(ranked), ranked + [1] * (recall_base - sum(ranked))


def of_gains(ranked: list[int], judged: list[int]) -> Topic:
    """Of graded documents; ``judged`` are the grades above 0."""
    return list(ranked), judged + [0] * ranked.count(0)


def area_under_curve(batch: ScoringBatch) -> Floats:
    """The area under each curve: Σ precision · increase in recall, which equals AP."""
    curves = [sawtooth_curve(batch, segment) for segment in range(len(batch))]
    return np.array([precision @ np.diff(recall, prepend=0.0) for recall, precision in curves])
