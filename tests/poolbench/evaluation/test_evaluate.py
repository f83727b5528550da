"""Evaluation as a whole: topics, options, means, the order of lines; edges that ordinary campaigns
seldom come to, and parameters far beyond the usual.
"""

from math import log2

import numpy as np
import pytest

from poolbench.evaluation.bounds import compute_run_bounds
from poolbench.evaluation.evaluate import NO_TOPIC, evaluate, score_batch, select_measures
from poolbench.evaluation.judgments import JudgmentTable
from poolbench.evaluation.matching import NoCommonTopicError, batch_from_places
from poolbench.evaluation.measures.names import UnknownMeasureError, parse_measure
from poolbench.evaluation.measures.registry import FAMILIES
from poolbench.evaluation.options import ScoringOptions, TopicSet
from poolbench.evaluation.profiles import PROFILES
from poolbench.runs.qrels import qrels_from_rows
from poolbench.runs.runs import run_from_rows
from poolbench.runs.sampled_qrels import build_strata_sample
from tests.poolbench.evaluation.everything import measures_of
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


def test_a_reader_who_has_more_than_was_wanted_stops() -> None:
    run, qrels = {"1": {"a": 3.0, "b": 2.0, "c": 1.0}}, {"1": {"a": 1, "c": 1}}
    found = evaluate(run, qrels, ["inst(T=0.25)", "cwl_items(user=inst, T=0.25)"])
    # 1 + 2T − gain − 1 is below 0 after the first document.
    assert found.overall == pytest.approx((1, 1), abs=1e-12)
    assert evaluate(run, qrels, ["inst_3(T=1)"]).overall[0] == pytest.approx(
        (1 + 1 / 4 * 4 / 9) / (1 + 1 / 4 + 1 / 4 * 4 / 9)
    )


def test_a_gain_of_grade_0_is_not_one_of_documents_without_a_judgment() -> None:
    run, qrels = {"1": {"a": 3.0, "b": 2.0, "c": 1.0, "d": 0.5}}, {"1": {"a": 0, "b": -1, "c": -2}}
    options = ScoringOptions(gains={0: 1.0, 1: 3.0})
    assert evaluate(run, qrels, ["cg", "ndcg"], options).overall == (1.0, 1.0)


def test_only_topics_without_any_relevant_document_are_left_out() -> None:
    run = {"1": {"a": 1.0}, "2": {"b": 1.0}, "3": {"c": 1.0}}
    qrels = {"1": {"a": 1}, "2": {"b": 0}, "3": {"c": 0, "d": 1}}
    found = evaluate(run, qrels, ["map"], ScoringOptions(leave_out_empty=True))
    assert found.topics == ("1", "3")
    assert found.overall == (0.5,)


def test_an_estimate_that_is_whole_but_for_rounding_has_all_its_ranks_in_the_ideal() -> None:
    rows = [("1", f"d{at:02}", "s", 1 if at else -1) for at in range(11)]
    judged = JudgmentTable.from_sampled(build_strata_sample(rows))
    run = run_from_rows("r", [("1", "d01", 1.0)])
    # Ten documents stand for 1.1 each: 10.999999999999998 when they are added up.
    ideal = sum(1 / log2(1 + rank) for rank in range(1, 12))
    assert evaluate(run, judged, ["infNDCG"]).overall[0] == pytest.approx(1 / ideal, abs=1e-12)


@pytest.mark.parametrize(
    "family",
    [family for family in FAMILIES.values() if family.better != "neither"],
    ids=lambda family: family.name,
)
def test_a_measure_that_says_what_is_better_tells_the_best_ranking_from_a_bad_one(family):
    rows = [("1", docno, "s", 2 if docno in "abcdef" else 0) for docno in "abcdefghijkl"]
    judged = JudgmentTable.from_sampled(build_strata_sample(rows))
    runs = (
        run_from_rows("r", [("1", docno, -float(at)) for at, docno in enumerate(ranking)])
        for ranking in ("abcdef", "ghijkf")
    )
    best, bad = (evaluate(run, judged, [measures_of(family)[0]]).values.item() for run in runs)
    low, high = (best, bad) if family.better == "lower" else (bad, best)
    assert low < high


RUN = {"1": {"a": 3.0, "b": 2.0, "c": 1.0}}
QRELS = {"1": {"a": 2, "c": 1, "d": 2}}


def value(name: str, options: ScoringOptions | None = None) -> float | None:
    with np.errstate(all="raise"):
        return evaluate(RUN, QRELS, [name], options).overall[0]


def test_precision_at_a_great_multiple_is_small_and_not_negative() -> None:
    assert value("Rprec_mult_1e30") == pytest.approx(2 / 3e30)
    assert value("Rprec_mult_1e100") == pytest.approx(2 / 3e100)


def test_g_of_great_gains_does_not_divide_by_zero() -> None:
    # Rank 3 is reached at the cost of three gains, one of which was missed.
    assert value("G_1=1e100,2=1e100") == pytest.approx((1 + 1 / np.log2(1e100)) / 3)
    best, same = {"1": {"a": 3.0, "b": 2.0}}, {"1": {"a": 1, "b": 1}}
    assert evaluate(best, same, ["G_1=1e16"]).overall == (1.0,)


@pytest.mark.parametrize("reader", ["insq", "inst"])
def test_a_reader_who_wants_very_much_reads_the_first_k_evenly(reader: str) -> None:
    gained = 1 + 1 / 2
    assert value(f"{reader}_10(T=1000000)") == pytest.approx(gained / 10, rel=1e-4)
    with pytest.raises(UnknownMeasureError, match="T must be at most 1,000,000"):
        parse_measure(f"{reader}_10(T=1e17)")


def test_taken_for_relevant_they_are_relevant_though_the_gain_table_ends_below_the_level() -> None:
    strict = ScoringOptions(level=3, gains={1: 1.0, 2: 2.0})
    found = evaluate(
        {"1": {"a": 2.0, "b": 1.0}}, {"1": {"a": 1}}, ["map(unjudged=relevant)"], strict
    )
    assert found.overall == (0.5,)
