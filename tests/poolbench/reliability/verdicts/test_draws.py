"""Draws behind the verdicts, by hand and against scipy."""

import numpy as np
from scipy.stats import kendalltau

from poolbench.reliability.disagreement.ballots import ABSENT
from poolbench.reliability.verdicts.ranking_draws import (
    correlate_rankings,
    draw_rest_of_pool,
    draw_second_opinions,
    rank_competitors,
    summarize_taus,
)


class Sums:
    """Run r retrieves document r: its score is the grade of it."""

    better = 1.0

    def __init__(self, documents=3):
        self.documents = documents

    def score(self, topic, grades):
        del topic
        return np.where(grades == ABSENT, 0, grades).astype(float)

    def count_listings(self, topic):
        del topic
        return np.ones(self.documents, np.int64), self.documents

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
    now, then = draw_rest_of_pool(Sums(5), grades, 20_000, 1)
    assert now.tolist() == [1, 1, 1, 0, 0]
    assert (then[:, :4] == now[:4]).all()
    assert abs(then[:, 4].mean() - 0.75) < 0.01
    untouched = [*grades, np.full(5, ABSENT, np.int32)]
    assert (draw_rest_of_pool(Sums(5), untouched, 10, 1)[0] == now).all()


def test_what_more_runs_list_is_relevant_more_often():
    """Six documents of all nine runs, five judged and relevant; 36 of one, 30 judged and not."""
    sums = Sums(42)
    sums.count_listings = lambda _: (np.repeat([9, 1], [6, 36]), 9)
    own = np.repeat([1, ABSENT, 0, ABSENT], [5, 1, 30, 6]).astype(np.int32)
    _, then = draw_rest_of_pool(sums, [own], 20_000, 1)
    # Both strata have one more document of all: 1/7 of 35 judged ones are relevant.
    assert abs(then[:, 5].mean() - (5 + (5 + 1 / 7) / 6) / 6) < 0.005
    assert abs(then[:, 36:].mean() - (1 / 7) / 31 / 31) < 0.001


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
