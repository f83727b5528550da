"""Alarms about the work of an assessor: pace, share of the lowest grade, blind repeats."""

import numpy as np
import pytest

from poolbench.judging.today.assessor_alarms import (
    check_lowest_grade,
    check_pace,
    check_repeats,
    measure_lowest_share,
    measure_topic_variance,
)
from poolbench.judging.today.first_day import AssessorToday, describe_assessors
from tests.poolbench.judging.situations import (
    build_log,
    build_situation,
    pace_case,
    repeats,
    shift_case,
)

# ---------- pace ----------


@pytest.mark.parametrize(("situation", "sounds", "examined"), [
    (pace_case(10, 10), False, 1), (pace_case(10, 7), False, 1), (pace_case(10, 3), True, 1),
    (pace_case(10, 30), True, 1), (pace_case(10, 3, n=149), False, 0),
    (build_situation(build_log([(0, 0, at, 0) for at in range(400)])), False, 0),
])  # fmt: skip
def test_pace_of_an_assessor(situation, sounds, examined):
    check = check_pace(situation)
    assert (bool(check.alarms), check.examined) == (sounds, examined)
    assert bool(check.missing) == (not examined)


def test_easy_topics_explain_a_pace():
    """Every topic has a pace of its own, and the last 50 documents are all of one."""
    rng = np.random.default_rng(3)
    rows, seconds = [], []
    for topic, ease in enumerate((2.0, 0.4, 1.0, 3.0, 0.5, 0.4)):
        for at in range(50):
            rows.append((0, topic, topic * 50 + at, 0))
            seconds.append(10 * ease * float(rng.lognormal(0, 0.3)))
    log = build_log(rows, seconds=seconds)
    assert measure_topic_variance(log) > 0.4
    assert not check_pace(build_situation(log)).alarms


# ---------- share of the lowest grade ----------


@pytest.mark.parametrize(
    ("situation", "names"),
    [
        (shift_case(62, 60), []),
        (shift_case(78, 60), []),  # 18 points
        (shift_case(86, 60), ["a0", "a1"]),  # each beside the other
        (shift_case(85, 60, n=99), ["a1"]),  # a0 has too few; a1 is compared
        (shift_case(86, 60, shuffled=False), []),
    ],
)
def test_share_of_the_lowest_grade(situation, names):
    assert [alarm.subject for alarm in check_lowest_grade(situation).alarms] == names


def test_lowest_share_by_hand():
    """86 of 100 beside 60 of 100: (60 + ½) / 101 is expected, with the binomial error of both."""
    share = measure_lowest_share(shift_case(86, 60).log, 0)
    assert share is not None
    p = 60.5 / 101
    assert share.expected == pytest.approx(p)
    error = (100 * p * (1 - p) + 100**2 * p * (1 - p) / 101) ** 0.5
    assert share.errors == pytest.approx((86 - 100 * p) / error)


# ---------- blind repeats ----------


@pytest.mark.parametrize(
    ("rows", "names"),
    [
        (repeats("a0", 9, n=11), []),  # not yet enough
        (repeats("a0", 2), []),
        (repeats("a0", 3), []),  # P(3 or more of 12 | 0.08) = 0.065
        (repeats("a0", 4), ["a0"]),  # 0.012
        # Two assessors are examined: each at half the level.
        (repeats("a0", 4) + repeats("a1", 0), ["a0"]),
        # Where all contradict themselves as often, that is no matter of one of them.
        (repeats("a0", 4) + repeats("a1", 4) + repeats("a2", 4), []),
    ],
)
def test_blind_repeats(rows, names):
    check = check_repeats(build_situation(repeats=rows))
    assert [alarm.subject for alarm in check.alarms] == names


def test_the_first_day_counts_by_assessor_and_concludes_nothing():
    rows = [(0, 0, 1, 0), (0, 0, 2, 0), (0, 0, 3, 2), (0, 1, 1, 1),
            (1, 0, 1, 0), (1, 0, 2, 1), (1, 0, 9, 2), (2, 0, 1, 0), (2, 0, 2, 0)]  # fmt: skip
    third = [False] * 8 + [True]
    seconds = [10.0, np.nan, 30.0, 80.0, 5.0, np.nan, np.nan, np.nan, np.nan]
    first, second, last = describe_assessors(build_log(rows, seconds=seconds, third=third))
    # Document 1: two comparisons each, all the same; document 2: one, not the same.
    assert first == AssessorToday("a0", 4, 2, 30.0, 3, shared=3, same=2)
    assert second == AssessorToday("a1", 3, 1, 5.0, 1, shared=3, same=2)
    assert last == AssessorToday("a2", 2, 2, None, 0, shared=2, same=2)
    assert describe_assessors(build_log([])) == ()
