"""The summary table of a run and the precision histogram of two."""

from __future__ import annotations

import pytest

from poolbench.evaluation.charts.topics import (
    PRECISION_HISTOGRAM,
    build_precision_histogram,
    precision_histogram,
)
from poolbench.evaluation.evaluate import evaluate
from poolbench.evaluation.options import ScoringOptions
from poolbench.runs.qrels import qrels_from_rows
from poolbench.runs.runs import run_from_rows
from poolbench.runs.tables import RunTable
from tests.poolbench.evaluation.made import made


def run_of(tag: str, rankings: dict[str, str]) -> RunTable:
    """Rankings of one-letter documents."""
    return run_from_rows(
        tag,
        ((topic, docno, float(-rank)) for topic, docnos in rankings.items()
         for rank, docno in enumerate(docnos)),
    )  # fmt: skip


QRELS = qrels_from_rows(
    (topic, docno, int(docno in "abcd")) for topic in "1234" for docno in "abcdefgh"
)


def test_a_bar_stands_for_each_topic_that_both_runs_have() -> None:
    a = run_of("a", {"1": "abce", "2": "ea", "3": "a", "4": "efgh"})
    b = run_of("b", {"1": "efga", "2": "abcd", "4": "hefg"})
    first, second = (
        evaluate(run, QRELS, ["Rprec"], ScoringOptions(topics="common")) for run in (a, b)
    )
    found = precision_histogram(first, second)
    assert found == {"1": 1 / 2, "2": -3 / 4, "4": 0.0}
    chart = build_precision_histogram(found, "R-prec", ("a", "b"), "421")
    assert chart.caption == "a has the higher R-prec on 1 of 3 topics, b on 1, with 1 ties."
    assert PRECISION_HISTOGRAM.example.endswith("3/4 − 1/4 = 1/2.")


def test_any_measure_can_be_compared_and_must_have_been_computed() -> None:
    run, qrels = made({"1": ([1], [1]), "2": ([None], [1])})
    scores = evaluate(run, qrels, ["map", "search_length"])
    assert precision_histogram(scores, scores, "search_length") == {"1": 0.0}
    assert precision_histogram(scores, scores, "map") == {"1": 0.0, "2": 0.0}
    with pytest.raises(ValueError, match="was not scored"):
        precision_histogram(scores, scores)
