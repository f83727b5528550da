"""Evaluation as a whole: topics, options, means, and that the order of lines is nothing."""

from __future__ import annotations

import numpy as np
import pytest

from poolbench.evaluation import JudgmentTable, ScoringOptions, evaluate
from poolbench.evaluation.bounds import compute_run_bounds
from poolbench.evaluation.evaluate import NO_TOPIC, score_batch, select_measures
from poolbench.evaluation.matching import NoCommonTopicError, batch_from_places
from poolbench.evaluation.options import TopicSet
from poolbench.evaluation.profiles import PROFILES
from poolbench.runs.qrels import qrels_from_rows
from poolbench.runs.runs import run_from_rows
from tests.poolbench.evaluation.made import made

MEASURES = ["map", "Rprec", "bpref", "recip_rank", "ndcg", "P_5", "recall_10", "ndcg_cut_10"]


def test_a_topic_with_negative_grades_only_silences_no_other() -> None:
    run, qrels = made({"1": ([-1, None], [-1, -2]), "2": ([1], [1])})
    scores = evaluate(run, qrels, ["num_q", "map", "ndcg", "bpref"])
    assert scores.by_topic("map") == {"1": 0.0, "2": 1.0}
    assert scores.overall == (2.0, 0.5, 0.5, 0.5)
    assert scores.conditions["topics_without_relevant"] == 1


def test_missing_topics_count_as_zero_unless_common() -> None:
    run, qrels = made({"1": ([1], [1]), "2": ([], [1, 0]), "3": ([0, 1], [0, 1])})
    scores = evaluate(run, qrels, ["map", "num_rel"])
    assert scores.by_topic("map") == {"1": 1.0, "2": 0.0, "3": 0.5}
    assert scores.mean("map") == 0.5
    assert scores.mean("num_rel") == 3
    assert scores.conditions["topics_not_retrieved"] == 1
    common = evaluate(run, qrels, ["map", "num_rel"], ScoringOptions(topics="common"))
    assert common.topics == ("1", "3")
    assert common.mean("map") == 0.75
    assert common.conditions["topics_judged"] == 3


def test_topics_of_the_run_without_judgments_are_ignored() -> None:
    run = run_from_rows("r", [("1", "a", 1.0), ("9", "b", 1.0)])
    scores = evaluate(run, qrels_from_rows([("1", "a", 1)]), ["num_ret", "map"])
    assert scores.overall == (1.0, 1.0)
    assert scores.topics == ("1",)


@pytest.mark.parametrize("topics", ["common", "judged"])
@pytest.mark.parametrize("profile", PROFILES)
def test_runs_of_other_topics_are_refused(topics: TopicSet, profile: str) -> None:
    run, qrels = run_from_rows("r", [("9", "b", 1.0)]), qrels_from_rows([("1", "a", 1)])
    options = ScoringOptions(topics=topics, profile=PROFILES[profile])
    for score in (evaluate, compute_run_bounds):
        with pytest.raises(NoCommonTopicError, match=r"run r: .*of the run: 9; of the qrels: 1"):
            score(run, qrels, ["map"], options)


def test_an_empty_run_gives_null_with_a_reason() -> None:
    scores = evaluate({}, {"1": {"a": 1}}, ["map"], ScoringOptions(topics="common"))
    assert scores.overall == (None,)
    assert scores.reasons == {"map": NO_TOPIC}
    assert evaluate({}, {"1": {"a": 1}}, ["map"]).overall == (0.0,)


def test_judged_is_undefined_where_nothing_is_retrieved() -> None:
    run, qrels = made({"1": ([1, None, -1, 0], [1, -1, 0]), "2": ([], [1])})
    scores = evaluate(run, qrels, ["judged_10", "judged_2"])
    assert scores.by_topic("judged_10") == {"1": 0.5, "2": None}
    assert scores.overall == (0.5, 0.5)
    assert scores.reasons["judged_10"].startswith("1 of 2 topics are undefined")


def test_depth_cuts_before_unjudged_documents_go() -> None:
    run, qrels = made({"1": ([None, None, 1, 1], [1, 1])})
    both = ScoringOptions(max_per_topic=3, judged_only=True)
    assert evaluate(run, qrels, ["num_ret", "map", "P_5"], both).overall == (1.0, 0.5, 0.2)
    assert evaluate(run, qrels, ["num_ret"], ScoringOptions(judged_only=True)).overall == (2.0,)


def test_gains_need_not_rise_with_the_grade() -> None:
    run, qrels = made({"1": ([2, 1], [2, 1])})
    scores = evaluate(run, qrels, ["ndcg"], ScoringOptions(gains={1: 3.0, 2: 1.0}))
    log3 = np.log2(3)
    assert scores.mean("ndcg") == pytest.approx((1 + 3 / log3) / (3 + 1 / log3))
    assert scores.conditions["gains"] == {"1": 3.0, "2": 1.0}


def test_a_batch_of_places_gives_the_same_scores_as_tables() -> None:
    run, qrels = made({"1": ([1, None, 0], [1, 0, 2]), "2": ([], [1]), "3": ([0, 2], [0, 2])})
    table = JudgmentTable.from_table(qrels)
    judged = JudgmentTable.from_arrays(qrels.topics, qrels.starts, qrels.grades)
    assert table.index is not None
    places = table.index.find(run)
    assert qrels.grades[places].tolist() == [1, qrels.grades[-1], 0, 0, 2]
    batch = batch_from_places(judged, run.topics, run.starts, places, ScoringOptions())
    scores = score_batch(batch, select_measures(MEASURES), "made")
    assert np.array_equal(scores.values, evaluate(run, qrels, MEASURES).values)


@pytest.mark.parametrize(
    "wrong", [{"level": 0}, {"max_per_topic": 0}, {"topics": "all"}, {"gains": {1: -1.0}}]
)
def test_options_out_of_range_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=" must be "):
        ScoringOptions(**wrong)  # type: ignore[arg-type]
