"""The summary table of a run and the precision histogram of two."""

from __future__ import annotations

import pytest

from campaigns.core.qrels import qrels_from_rows
from campaigns.core.runs import run_from_rows
from campaigns.core.tables import RunTable
from evaluation.core.evaluate import evaluate
from evaluation.core.judgments import JudgmentTable
from evaluation.core.matching import batch_from_table
from evaluation.core.options import ScoringOptions
from evaluation.core.precision_histogram import PRECISION_HISTOGRAM, precision_histogram
from evaluation.core.summary import summarize_counts
from tests.core.evaluation.made import made, random_topics


def test_the_summary_table_counts_over_all_topics() -> None:
    run, qrels = made({"a": ([1, 0, None], [1, 1, 0]), "b": ([], [1, 0]), "c": ([0], [0])})
    found = summarize_counts(
        batch_from_table(run, JudgmentTable.from_table(qrels), ScoringOptions())
    )
    assert found.rows() == (
        ("Number of topics", 3),
        ("Documents retrieved over all topics", 4),
        ("Relevant documents retrieved over all topics", 1),
        ("Relevant documents over all topics as judged", 3),
    )


@pytest.mark.parametrize("options", [ScoringOptions(), ScoringOptions(level=2, max_per_topic=5)])
def test_the_summary_table_says_what_the_counting_measures_say(options: ScoringOptions) -> None:
    run, qrels = made(random_topics(30, seed=4))
    found = summarize_counts(batch_from_table(run, JudgmentTable.from_table(qrels), options))
    names = ["num_q", "num_ret", "num_rel_ret", "num_rel"]
    scores = evaluate(run, qrels, names, options)
    assert [count for _, count in found.rows()] == [scores.mean(name) for name in names]


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
    assert found.topics == ("1", "2", "4")
    assert found.values.tolist() == [1 / 2, -3 / 4, 0.0]
    assert (found.ahead, found.behind) == (1, 1)
    assert PRECISION_HISTOGRAM.example.endswith("3/4 − 1/4 = 1/2.")


def test_any_measure_can_be_compared_and_must_have_been_computed() -> None:
    run, qrels = made({"1": ([1], [1]), "2": ([None], [1])})
    scores = evaluate(run, qrels, ["map", "search_length"])
    assert precision_histogram(scores, scores, "search_length").topics == ("1",)
    assert precision_histogram(scores, scores, "map").values.tolist() == [0.0, 0.0]
    with pytest.raises(ValueError, match="was not scored"):
        precision_histogram(scores, scores)
