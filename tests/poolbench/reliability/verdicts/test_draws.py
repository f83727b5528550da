"""Draws behind the verdicts, by hand and against scipy."""

from __future__ import annotations

import numpy as np
from scipy.stats import kendalltau, ttest_rel

from poolbench.reliability.disagreement.ballots import ABSENT
from poolbench.reliability.verdicts.ranking_draws import (
    correlate_rankings,
    draw_rest_of_pool,
    draw_second_opinions,
    rank_competitors,
    summarize_taus,
)
from poolbench.reliability.verdicts.reusability import compute_collection, measure_left_out_moves
from tests.poolbench.reliability.collection.toy import P_2, toy_collection


class Sums:
    """Run r retrieves document r: its score is the grade of it."""

    better = 1.0

    def score(self, topic, grades):
        del topic
        return np.where(grades == ABSENT, 0, grades).astype(float)

    def means(self, by_topic):
        return by_topic.mean(axis=0)


def test_tau_b_is_that_of_scipy():
    generator = np.random.default_rng(3)
    base, others = generator.integers(0, 5, 9) / 7, generator.integers(0, 5, (20, 9)) / 7
    expected = [kendalltau(base, other).statistic for other in others]
    assert np.allclose(correlate_rankings(base, others), expected)
    assert np.isnan(correlate_rankings(base, np.ones((1, 9)))).all()
    assert rank_competitors(np.array([[0.5, 0.9, 0.5, 0.1]])).tolist() == [[2, 1, 2, 4]]


def test_the_rest_of_a_judged_pool_changes_nothing():
    grades = [np.array([2, 1, 0], np.int32), np.array([2, 0, 1], np.int32)]
    now, then = draw_rest_of_pool(Sums(), grades, 50, 1)
    assert now.tolist() == [2.0, 0.5, 0.5]
    assert (then == now).all()
    assert summarize_taus(now, then).low == 1.0


def test_unjudged_documents_get_the_grades_of_their_topic():
    """Topic: three of four judged documents relevant, the prior is the same share: p = .75."""
    grades = [np.array([1, 1, 1, 0, ABSENT], np.int32)]
    now, then = draw_rest_of_pool(Sums(), grades, 20_000, 1)
    assert now.tolist() == [1, 1, 1, 0, 0]
    assert (then[:, :4] == now[:4]).all()
    assert abs(then[:, 4].mean() - 0.75) < 0.01
    untouched = [*grades, np.full(5, ABSENT, np.int32)]
    assert (draw_rest_of_pool(Sums(), untouched, 10, 1)[0] == now).all()


def test_second_opinions_follow_the_shared_documents():
    """Always the same grade: nothing changes. Half of the grades 1 are 0 to others: they do."""
    grades = [np.array([1, 1, 0, ABSENT], np.int32)]
    same = [np.diag([50.0, 50.0])]
    now, then = draw_second_opinions(Sums(), grades, same, (0, 1), 200, 1)
    assert (then == now).all()
    half = [np.array([[75.0, 25.0], [25.0, 25.0]])]
    _, then = draw_second_opinions(Sums(), grades, half, (0, 1), 20_000, 1)
    assert np.allclose(then.mean(axis=0), [0.5, 0.5, 0.25, 0.0], atol=0.015)


def test_undefined_rankings_have_no_tau():
    assert summarize_taus(np.array([np.nan, 1.0]), np.ones((3, 2))).value is None
    assert summarize_taus(np.empty(0), np.empty((3, 0))).low is None


def test_a_team_left_out_by_hand():
    """Runs a (team A), b and c (team B). Without A's unique documents a falls behind b."""
    by_topic = np.array([[0.9, 0.5, 0.1], [0.8, 0.6, 0.1], [0.7, 0.4, 0.2]])
    scores = by_topic.mean(axis=0)
    without = np.array([0.45, 0.5, 0.13])
    moves = measure_left_out_moves(("a", "b", "c"), ("A", "B", "B"), by_topic, scores, without)
    assert [(m.run, m.place, m.place_without) for m in moves] == [
        ("a", 1, 2), ("b", 2, 2), ("c", 3, 3),
    ]  # fmt: skip
    significant = ttest_rel(by_topic[:, 1], by_topic[:, 0]).pvalue <= 0.05
    assert [m.passed for m in moves] == [int(significant), 0, 0]


def test_a_left_out_run_is_judged_as_far_as_other_teams_contributed():
    """Pool of the first two: north has a, b; x, y, z; k. South (gamma) has a, c; -; l, k.

    alpha ab, xy, k keeps a and k: (1/2 + 0 + 1) / 3. beta ba, yz keeps a: (1/2 + 0) / 2.
    gamma ac, lk keeps a and k: (1/2 + 1/2) / 2.
    """
    figures = compute_collection(toy_collection(), P_2)
    assert figures.judged == [1.0, 1.0, 1.0]
    assert figures.left_out == [0.5, 0.25, 0.5]
    assert figures.lowest_left_out == 0.25
    assert figures.teams == 2
