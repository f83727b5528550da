"""Every diagnostic on the toy, worked by hand."""

from dataclasses import astuple

import numpy as np
import pytest

from poolbench.evaluation.comparison.rank_drop import RankDrop
from poolbench.reliability.collection.condensed_lists import compare_condensed
from poolbench.reliability.collection.contributors import count_contributions
from poolbench.reliability.collection.correction import (
    ALL_POOLED,
    FEW_POOLED,
    correct_unpooled_scores,
)
from poolbench.reliability.collection.depths import count_new_by_depth
from poolbench.reliability.collection.extrapolation import extrapolate_counts, extrapolate_depths
from poolbench.reliability.collection.inputs import CollectionSource, build_collection
from poolbench.reliability.collection.leave_one_group_out import leave_groups_out
from poolbench.reliability.collection.pool import NO_RUN, NO_TOPIC
from poolbench.reliability.collection.stability import assess_stability
from poolbench.runs.qrels import qrels_from_rows
from poolbench.statistics.draws import ResamplingOptions
from tests.poolbench.pooling.toy import run
from tests.poolbench.reliability.collection.toy import P_2, toy_collection, toy_qrels


def test_what_each_team_alone_brought():
    found = count_contributions(toy_collection())
    assert [astuple(row) for row in found.by_team] == [
        # b, x, y and z, of which z is relevant; 5 relevant in all.
        ("north", 2, 6, 3, 4, 1, 1 / 4, 1 / 5),
        ("south", 1, 4, 3, 2, 1, 1 / 2, 1 / 5),
    ]
    assert (found.from_elsewhere, found.relevant_from_elsewhere) == (1, 1)


def test_what_each_run_alone_brought():
    rows = count_contributions(toy_collection()).by_run
    assert [(row.name, row.alone, row.relevant_alone, row.rate) for row in rows] == [
        ("gamma", 2, 1, 1 / 2), ("beta", 1, 1, 1.0), ("alpha", 1, 0, 0.0),
    ]  # fmt: skip


def test_a_group_that_brought_nothing_alone_has_no_rate():
    qrels = qrels_from_rows([("1", "a", 0)])
    runs = [run(tag, {"1": "a"}) for tag in ("one", "two")]
    found = count_contributions(build_collection(runs, qrels, CollectionSource(depth=1)))
    assert [(row.alone, row.rate, row.share) for row in found.by_run] == [(0, None, None)] * 2


def test_grades_below_0_are_no_judgments():
    qrels = qrels_from_rows([("1", "a", -1), ("1", "b", 1)])
    found = build_collection([run("one", {"1": "ab"})], qrels, CollectionSource(depth=2))
    (row,) = count_contributions(found).by_team
    assert (row.judged, row.alone, row.relevant_alone) == (1, 1, 1)
    assert [(d.new, d.judged, d.relevant, d.rate) for d in count_new_by_depth(found)] == [
        (1, 0, 0, None),
        (1, 1, 1, 1.0),
    ]


def test_leave_one_team_out():
    (found,) = leave_groups_out(toy_collection(), [P_2])
    rows = {row.run: row for row in found.runs}
    assert list(rows) == ["beta", "gamma", "alpha"]  # delta's team has no pooled run
    scores = {tag: (row.score, row.without) for tag, row in rows.items()}
    assert scores["beta"] == pytest.approx((1 / 3, 1 / 6))  # z is gone
    assert scores["gamma"] == pytest.approx((1 / 2, 1 / 3))  # l is gone
    assert scores["alpha"] == pytest.approx((1 / 3, 1 / 3))
    assert rows["beta"].percent == pytest.approx(-50)
    assert {tag: (row.rank, row.rank_without) for tag, row in rows.items()} == {
        "beta": (2, 4),
        "alpha": (2, 2),
        "gamma": (1, 1),  # then tied with alpha, beta and delta
    }
    assert found.mean_change == pytest.approx(-1 / 9)
    assert found.mean_percent == pytest.approx(-(50 + 100 / 3) / 3)
    # gamma stands above the three others, then beta below them: one pair agrees of 3 and 3.
    assert found.coefficients["tau-b"].value == pytest.approx(1 / 3)
    assert found.drop == RankDrop("beta", 2, 4)


def test_one_run_left_out_loses_less_than_its_team():
    (qrels,) = [qrels_from_rows([("1", "a", 1), ("1", "b", 1)])]
    runs = [run("old", {"1": "a"}), run("variant", {"1": "ab"}), run("other", {"1": "x"})]
    teams = {"old": "t", "variant": "t", "other": "o"}
    found = build_collection(runs, qrels, CollectionSource(teams=teams, depth=2))
    (by_team,), (by_run,) = (
        leave_groups_out(found, [P_2], "team"),
        leave_groups_out(found, [P_2], "run"),
    )
    losses = [{row.run: row.change for row in kind.runs} for kind in (by_team, by_run)]
    assert losses[0] == pytest.approx({"old": -0.5, "variant": -1.0, "other": 0.0})
    assert losses[1] == pytest.approx({"old": 0.0, "variant": -0.5, "other": 0.0})
    assert {row.run: row.percent for row in by_team.runs}["other"] is None  # its score is 0


def test_runs_of_a_pooled_team_are_scored_again_and_do_not_count_in_the_mean():
    found = toy_collection(pooled=("alpha", "gamma"))
    (row,) = leave_groups_out(found, [P_2])
    pooled = {one.run: one.pooled for one in row.runs}
    assert pooled == {"alpha": True, "beta": False, "gamma": True}
    assert row.mean_change == pytest.approx(np.mean([c.change for c in row.runs if c.pooled]))


def test_new_documents_by_depth():
    assert [astuple(row) for row in count_new_by_depth(toy_collection())] == [
        (1, 6, 6, 3, 1 / 2),
        (2, 2, 2, 1, 1 / 2),
    ]
    # Nobody judged c: it is new, and no judged document.
    assert [astuple(row) for row in count_new_by_depth(toy_collection("c"))][1] == (2, 2, 1, 1, 1.0)


def test_the_depth_is_found_where_it_is_not_told():
    found = toy_collection(depth=None)
    # At depth 3 come d, judged, and e and m, not judged.
    assert (found.pool.depth, found.pool.depth_specified) == (2, False)
    assert toy_collection().pool.depth_specified


def test_no_depth_without_judgments_of_what_the_runs_have_first():
    with pytest.raises(ValueError, match="cannot be inferred"):
        toy_collection("ab", depth=None)


def test_no_pool_without_runs_or_topics():
    with pytest.raises(ValueError, match=NO_RUN):
        toy_collection(pooled=())
    with pytest.raises(ValueError, match=NO_TOPIC):
        build_collection([run("one", {"9": "a"})], toy_qrels(), CollectionSource(depth=1))
    with pytest.raises(ValueError, match="same tag"):
        build_collection(
            [run("one", {"1": "a"})] * 2, toy_qrels(), CollectionSource(depth=1, pooled=())
        )


def power_counts(topics: int, depth: int, slope: float) -> np.ndarray:
    """Each topic finds 100 · k^slope new relevant documents at depth k."""
    return np.tile(100 * np.arange(1.0, depth + 1) ** slope, (topics, 1))


def test_the_extrapolation_of_a_power_law_is_that_law():
    found = extrapolate_counts(power_counts(10, 20, -1.0), ResamplingOptions(0, 100), target=22)
    further = 1000 * (1 / 21 + 1 / 22)
    assert found.slope == pytest.approx(-1)
    assert found.log_c == pytest.approx(np.log(1000))
    assert found.further == pytest.approx(further)
    # Topics are alike, so it does not matter which are drawn.
    assert (found.low, found.high) == pytest.approx((further, further))
    assert (found.fitted, found.fitted_draws, found.target) == (11, 100, 22)
    assert found.share_found == pytest.approx(found.relevant / (found.relevant + further))


def test_depths_without_a_new_relevant_document_are_left_out_of_the_fit():
    counts = power_counts(3, 20, -1.0)
    counts[:, 14] = 0
    found = extrapolate_counts(counts, ResamplingOptions(0, 100))
    assert found.fitted == 10
    assert found.slope == pytest.approx(-1)
    assert found.target == 40


def test_the_interval_is_as_wide_as_topics_differ():
    counts = power_counts(10, 20, -1.0)
    counts[:5] *= 3
    found = extrapolate_counts(counts, ResamplingOptions(0, 1000))
    assert found.low < found.further < found.high
    assert extrapolate_counts(counts, ResamplingOptions(0, 1000)) == found
    assert extrapolate_counts(counts, ResamplingOptions(1, 1000)).low != found.low


@pytest.mark.parametrize(
    ("counts", "told"),
    [
        (power_counts(3, 2, -1.0), "the pool depth is only 2"),
        (power_counts(3, 12, -1.0) * (np.arange(12) != 11), "only 2 of the depths"),
        (power_counts(4, 20, -1.0), "fewer than 5 topics"),
        (np.vstack([power_counts(1, 20, -1.0), np.zeros((9, 20))]), None),
        (np.vstack([np.eye(20)[9:12], np.zeros((9, 20))]), "fewer than half"),
    ],
)
def test_why_there_is_no_extrapolation_or_no_interval(counts, told):
    found = extrapolate_counts(counts, ResamplingOptions(0, 200))
    assert (told in found.reason) if told else found.reason is None
    assert (found.low is None) == bool(told)


def test_the_toy_is_too_shallow_to_extrapolate():
    found = extrapolate_depths(toy_collection(), ResamplingOptions(0, 100))
    assert (found.relevant, found.further) == (4, None)
    with pytest.raises(ValueError, match="target depth"):
        extrapolate_depths(toy_collection(), ResamplingOptions(0, 100), target=1)


def test_signs_of_a_small_pool():
    found = assess_stability(toy_collection())
    shares = {row.run: row.shares["5"] for row in found.runs}
    # gamma: a and c of ace, k and l of lkm; all others are judged down to their ends.
    assert shares == pytest.approx({"alpha": 1, "beta": 1, "delta": 1, "gamma": 2 / 3})
    assert {row.run: row.low for row in found.runs if row.low} == {"gamma": (5, 10, 20, 100)}
    assert found.low_runs == {"5": 1, "10": 1, "20": 1, "100": 1}
    assert [astuple(topic) for topic in found.topics] == [
        ("1", 4, 2, 1 / 2, True, 0, 1, 0.0),
        ("2", 3, 1, 1 / 3, False, 1, 0, 1.0),  # one third is no alarm, more is
        ("3", 2, 2, 1.0, True, 1, 0, 1 / 2),
    ]
    assert (found.dense_topics, found.relevant, found.relevant_alone) == (2, 5, 2)
    assert found.concentration == 2 / 5
    assert found.of_teams == {"0": 1, "1": 2, "2": 2}


def test_condensed_beside_plain():
    (found,) = compare_condensed(toy_collection("b"), [P_2])
    rows = {row.run: row for row in found.runs}
    # Without b beta has a and d on topic 1, and alpha a and c.
    assert rows["beta"].gap == pytest.approx(1 / 6)
    assert (rows["beta"].rank, rows["beta"].rank_condensed) == (2, 1)
    assert [row.gap for row in found.runs] == pytest.approx([1 / 6, 0, 0, 0])
    assert found.mean_gap_pooled == pytest.approx(1 / 18)
    assert found.mean_gap_others == pytest.approx(0)
    assert found.coefficients["tau-b"].value == pytest.approx(2 / np.sqrt(3 * 4))


def test_the_correction_is_the_mean_loss_of_pooled_runs():
    (found,) = correct_unpooled_scores(toy_collection(), [P_2])
    # alpha loses nothing, beta z, gamma l.
    assert found.bias == pytest.approx(1 / 9)
    assert found.sd == pytest.approx(np.std([0, 1 / 6, 1 / 6], ddof=1))
    assert found.most == pytest.approx(1 / 6)
    (row,) = found.runs
    assert row.run == "delta"
    assert (row.score, row.corrected) == pytest.approx((1 / 3, 1 / 3 + 1 / 9))


@pytest.mark.parametrize(("pooled", "reason"), [(None, ALL_POOLED), (("alpha",), FEW_POOLED)])
def test_no_correction(pooled, reason):
    (found,) = correct_unpooled_scores(toy_collection(pooled=pooled), [P_2])
    assert (found.bias, found.runs, found.reason) == (None, (), reason)
