"""Evaluation as a whole: topics, options, means, and that the order of lines is nothing."""

from __future__ import annotations

import random

import numpy as np
import pytest
import pytrec_eval
from hypothesis import assume, given
from hypothesis import strategies as st

from campaigns.core.qrels import qrels_from_rows, read_qrels
from campaigns.core.runs import read_run, run_from_rows
from evaluation.core import JudgmentTable, ScoringOptions, evaluate
from evaluation.core.bounds import compute_run_bounds
from evaluation.core.evaluate import NO_TOPIC, score_batch, select_measures
from evaluation.core.matching import NoCommonTopicError, batch_from_places
from evaluation.core.options import TopicSet
from evaluation.core.profiles import PROFILES
from tests.core.evaluation.made import made
from tests.examples import examples

MEASURES = ["map", "Rprec", "bpref", "recip_rank", "ndcg", "P_5", "recall_10", "ndcg_cut_10"]
DOCNOS = st.sampled_from([f"d{i}" for i in range(12)] + ["é", "Z", "日"])
TOPICS = st.sampled_from(["1", "01", "x"])
RUNS = st.dictionaries(st.tuples(TOPICS, DOCNOS), st.integers(0, 6), min_size=1)
QRELS = st.dictionaries(st.tuples(TOPICS, DOCNOS), st.integers(-2, 3), min_size=1)


def run_bytes(run: dict[tuple[str, str], int]) -> list[bytes]:
    return [f"{t} Q0 {d} 0 {score} made\n".encode() for (t, d), score in run.items()]


def qrels_bytes(qrels: dict[tuple[str, str], int]) -> list[bytes]:
    return [f"{t} 0 {d} {grade}\n".encode() for (t, d), grade in qrels.items()]


def nested(pairs: dict[tuple[str, str], int], kind: type) -> dict[str, dict[str, float]]:
    table: dict[str, dict[str, float]] = {}
    for (topic, docno), value in pairs.items():
        table.setdefault(topic, {})[docno] = kind(value)
    return table


@examples(100)
@given(RUNS, QRELS, st.sampled_from([1, 2]))
def test_values_are_those_of_pytrec_eval(
    run: dict[tuple[str, str], int], qrels: dict[tuple[str, str], int], level: int
) -> None:
    # trec_eval goes wrong where a topic has nothing but negative grades.
    sound = {t for (t, _), grade in qrels.items() if grade >= 0}
    qrels = {pair: grade for pair, grade in qrels.items() if pair[0] in sound}
    if not qrels:
        return
    names = {"P.5", "recall.10", "ndcg_cut.10", *MEASURES[:5]}
    assume({topic for topic, _ in run} & {topic for topic, _ in qrels})
    oracle = pytrec_eval.RelevanceEvaluator(nested(qrels, int), names, relevance_level=level)
    wanted = oracle.evaluate(nested(run, float))
    scores = evaluate(
        read_run(b"".join(run_bytes(run))),
        read_qrels(b"".join(qrels_bytes(qrels))),
        MEASURES,
        ScoringOptions(level=level, topics="common"),
    )
    assert set(scores.topics) == set(wanted)
    for name in MEASURES:
        ours = scores.by_topic(name)
        assert ours == pytest.approx({t: wanted[t][name] for t in wanted}, abs=1e-12), name


@examples(50)
@given(RUNS, QRELS, st.randoms(use_true_random=False))
def test_the_order_of_lines_changes_nothing(
    run: dict[tuple[str, str], int], qrels: dict[tuple[str, str], int], chance: random.Random
) -> None:
    assume({topic for topic, _ in run} & {topic for topic, _ in qrels})
    lines, judged = run_bytes(run), qrels_bytes(qrels)
    first = evaluate(read_run(b"".join(lines)), read_qrels(b"".join(judged)), MEASURES)
    chance.shuffle(lines)
    chance.shuffle(judged)
    second = evaluate(read_run(b"".join(lines)), read_qrels(b"".join(judged)), MEASURES)
    assert np.array_equal(first.values, second.values)
    assert first.means == second.means
    assert first.conditions == second.conditions


def test_a_topic_with_negative_grades_only_silences_no_other() -> None:
    run, qrels = made({"1": ([-1, None], [-1, -2]), "2": ([1], [1])})
    scores = evaluate(run, qrels, ["map", "ndcg", "bpref", "num_q"])
    assert scores.by_topic("map") == {"1": 0.0, "2": 1.0}
    assert scores.means == (2.0, 0.5, 0.5, 0.5)
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
    assert scores.means == (1.0, 1.0)
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
    assert scores.means == (None,)
    assert scores.reasons == {"map": NO_TOPIC}
    assert evaluate({}, {"1": {"a": 1}}, ["map"]).means == (0.0,)


def test_judged_is_undefined_where_nothing_is_retrieved() -> None:
    run, qrels = made({"1": ([1, None, -1, 0], [1, -1, 0]), "2": ([], [1])})
    scores = evaluate(run, qrels, ["judged_10", "judged_2"])
    assert scores.by_topic("judged_10") == {"1": 0.5, "2": None}
    assert scores.means == (0.5, 0.5)
    assert scores.reasons["judged_10"].startswith("1 of 2 topics are undefined")


def test_depth_cuts_before_unjudged_documents_go() -> None:
    run, qrels = made({"1": ([None, None, 1, 1], [1, 1])})
    both = ScoringOptions(max_per_topic=3, judged_only=True)
    assert evaluate(run, qrels, ["num_ret", "map", "P_5"], both).means == (1.0, 0.5, 0.2)
    assert evaluate(run, qrels, ["num_ret"], ScoringOptions(judged_only=True)).means == (2.0,)


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
    "wrong",
    [{"level": 0}, {"max_per_topic": 0}, {"topics": "all"}, {"gains": {1: -1.0}}],
)
def test_options_out_of_range_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=" must be "):
        ScoringOptions(**wrong)  # type: ignore[arg-type]
