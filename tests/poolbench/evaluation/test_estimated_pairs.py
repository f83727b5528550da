"""Pairs of estimated runs by the intervals of their differences. By hand: .40 − .34 with the error
.02 is z = 3, p = .0027; .06 ± 1.96 · .02 is .0208 to .0992.
"""

import numpy as np
import pytest

from poolbench.evaluation.comparison.estimated import compare_estimates, estimate_difference
from poolbench.evaluation.comparison.marks import assign_letters, describe_test
from poolbench.statistics.estimate import Estimate

MEANS = [Estimate(value, 10, value - 0.03, value + 0.03, 0.95) for value in (0.40, 0.34, 0.34)]
ERRORS = np.array([[0.0, 0.02, 0.04], [0.02, 0.0, 0.0], [0.04, 0.0, 0.0]])


def test_runs_differ_where_the_interval_of_the_difference_excludes_zero():
    compared = compare_estimates(["a", "b", "c"], MEANS, ERRORS, topics=3)
    first, _, tied = compared.rows
    assert (first.statistic, first.p_value) == (pytest.approx(3), pytest.approx(0.0027, abs=5e-5))
    assert [row.different for row in compared.rows] == [True, False, False]
    assert (tied.p_value, tied.wins, tied.effect) == (1.0, None, None)
    ends = estimate_difference(first, 0.02)
    assert (ends.low, ends.high) == (pytest.approx(0.0208), pytest.approx(0.0992))
    assert assign_letters(compared, ["a", "c", "b"]).letters == {"a": "a", "c": "ab", "b": "b"}
    assert compared.corrected("holm").rows[0].adjusted == pytest.approx(3 * first.p_value)
    assert "no correction over 3 run pairs" in describe_test(compared)
    assert compared.part({"b": "b", "a": "a"}).rows[0].statistic == pytest.approx(-3)


def test_without_intervals_nothing_differs_and_the_reason_is_told():
    means = [Estimate(value, 3, why="too few") for value in (0.4, 0.1)]
    compared = compare_estimates(["a", "b"], means, np.ones((2, 2)), topics=3)
    (row,) = compared.rows
    assert (row.p_value, row.different, row.reason) == (None, False, "too few")
    assert estimate_difference(row, 0.1).low is None


def test_without_an_error_any_difference_is_one():
    compared = compare_estimates(["a", "b"], MEANS[:2], np.zeros((2, 2)), topics=3)
    assert (compared.rows[0].p_value, compared.rows[0].statistic) == (0.0, None)
