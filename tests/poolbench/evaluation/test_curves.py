"""Precision–recall curves, and average precision, the area under them; the precision histogram."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from poolbench.evaluation.charts.topics import (
    PRECISION_HISTOGRAM,
    build_precision_histogram,
    precision_histogram,
)
from poolbench.evaluation.curves import (
    ELEVEN,
    average_curves,
    count_relevant_needed,
    interpolate_precision,
    sawtooth_curve,
)
from poolbench.evaluation.evaluate import evaluate
from poolbench.evaluation.judgments import JudgmentTable
from poolbench.evaluation.matching import batch_from_table
from poolbench.evaluation.options import ScoringOptions
from poolbench.evaluation.profiles import POOLBENCH, TREC_EVAL_9, TREC_EVAL_10, Profile
from poolbench.runs.qrels import qrels_from_rows
from poolbench.runs.runs import run_from_rows
from poolbench.runs.tables import RunTable
from tests.poolbench.evaluation.lectures import area_under_curve, batch_of, value
from tests.poolbench.evaluation.made import Topic, made, random_topics

FERRO = ([0, 1, 1, 0, 1, 0, 0, 1, 1, 0], [1] * 5 + [0] * 5)


def test_the_saw_tooth_has_every_rank_and_a_topic_alone() -> None:
    batch = batch_of(([1], [1, 1]), FERRO)
    recall, precision = sawtooth_curve(batch, 1)
    assert recall.tolist() == [0, 0.2, 0.4, 0.4, 0.6, 0.6, 0.6, 0.8, 1, 1]
    assert precision.tolist() == [0, 1 / 2, 2 / 3, 2 / 4, 3 / 5, 3 / 6, 3 / 7, 4 / 8, 5 / 9, 0.5]


def test_unlisted_documents_stand_in_the_saw_tooth() -> None:
    recall, precision = sawtooth_curve(batch_of(([None, 1, None], [1, 1])), 0)
    assert (recall.tolist(), precision.tolist()) == ([0, 0.5, 0.5], [0, 1 / 2, 1 / 3])


def test_interpolation_equals_the_definition_word_by_word() -> None:
    batch = batch_of(*random_topics(60, seed=2).values())
    for topic, found in enumerate(interpolate_precision(batch).tolist()):
        recall, precision = sawtooth_curve(batch, topic)
        beyond = [precision[recall >= level - 1e-12] for level in ELEVEN]
        assert found == [max(values, default=0.0) for values in beyond]


def test_topics_without_points_are_zero_and_counted() -> None:
    batch = batch_of(([1], [1]), ([0, 0], [0, 0, 1]), ([0], [0]), ([], [1]))
    values = interpolate_precision(batch)
    assert values.tolist() == [[1.0] * 11] + [[0.0] * 11] * 3
    assert average_curves(values) == [0.25] * 11
    assert area_under_curve(batch).tolist() == [1, 0, 0, 0]


def test_no_topic_has_no_mean() -> None:
    run, qrels = made({"a": ([1], [1])})
    lone = replace(run, topics=("z",))
    batch = batch_from_table(lone, JudgmentTable.from_table(qrels), ScoringOptions(topics="common"))
    assert interpolate_precision(batch).shape == (0, 11)
    assert average_curves(interpolate_precision(batch)) == [None] * 11


@pytest.mark.parametrize(
    ("profile", "wanted"),
    [(POOLBENCH, [0, 1, 2, 3]), (TREC_EVAL_9, [0, 1, 2, 3]), (TREC_EVAL_10, [0, 0, 2, 3])],
)
def test_levels_count_documents_as_the_profile_says(profile: Profile, wanted: list[int]) -> None:
    found = count_relevant_needed((0.0, 0.1, 0.5, 1.0), np.array([3]), profile.recall_points)
    assert found.tolist() == [wanted]


def test_a_level_just_below_a_document_needs_it_and_no_rounding_asks_for_more() -> None:
    assert count_relevant_needed((0.55, 0.551), np.array([100]), "exact").tolist() == [[55, 56]]
    assert count_relevant_needed((0.01,), np.array([10, 11]), "plus 0.9").tolist() == [[1], [1]]
    assert count_relevant_needed((0.04,), np.array([2]), "plus 0.9").tolist() == [[0]]


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


grades = st.lists(st.sampled_from([None, -1, 0, 1, 2]), max_size=30)


def topic_of(ranked: list[int | None], missed: int) -> Topic:
    return ranked, [grade for grade in ranked if grade is not None] + [1] * missed


def hits_of(ranked: list[int | None]) -> list[int]:
    return [rank for rank, grade in enumerate(ranked, 1) if grade is not None and grade >= 1]


@given(grades, st.integers(0, 3))
def test_readings_are_their_definitions(ranked: list[int | None], missed: int) -> None:
    topic, hits = topic_of(ranked, missed), hits_of(ranked)
    at_hits = sum(place / rank for place, rank in enumerate(hits, 1))
    last = hits[-1] if hits else 0
    at_ranks = sum(sum(hit <= rank for hit in hits) / rank for rank in range(1, last + 1))
    wanted = {
        "map": at_hits / (len(hits) + missed) if hits else 0.0,
        "map(over=seen)": at_hits / len(hits) if hits else 0.0,
        "map(over=ranks)": at_ranks / last if hits else 0.0,
    }
    # An empty topic has no line in the qrels.
    if topic[1]:
        assert {name: value(name, topic) for name in wanted} == pytest.approx(wanted, abs=1e-12)


@given(grades, st.integers(1, 3))
def test_average_precision_is_the_area_under_the_curve(ranked, missed):
    topic = topic_of(ranked, missed)
    area = area_under_curve(batch_of(topic))[0]
    assert area == pytest.approx(value("map", topic), abs=1e-12)


def test_readings_differ_where_something_is_not_found() -> None:
    topic: Topic = ([1], [1, 1, 1, 1])
    names = ("map", "map(over=seen)", "map(over=ranks)")
    assert [value(name, topic) for name in names] == [1 / 4, 1.0, 1.0]
