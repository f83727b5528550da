"""Variation between assessors against published values, by hand and by a plain twin."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from poolbench.judging.agreement.labels import MISSING, LabelTable, build_labels
from poolbench.judging.agreement.variation import (
    count_grades,
    intraclass_correlation,
    measure_variation,
)


def table(*rows, topic="1"):
    """One row per assessor; None: not judged."""
    keys = {
        (f"a{row}", (topic, f"d{column}")): grade
        for row, grades in enumerate(rows)
        for column, grade in enumerate(grades)
        if grade is not None
    }
    return build_labels(keys)


def test_icc_of_shrout_and_fleiss_1979():
    """Their table 2: six targets, four judges; ICC(1,1) is .17."""
    targets = [(9, 2, 5, 8), (6, 1, 3, 2), (8, 4, 6, 8), (7, 1, 2, 6), (10, 5, 6, 9), (6, 2, 4, 7)]
    labels = table(*zip(*targets, strict=True))
    value = intraclass_correlation(count_grades(labels), np.array(labels.scale, float))
    assert round(value, 2) == 0.17
    assert value == pytest.approx(0.1657, abs=5e-5)


def test_the_example_of_the_card():
    whole = measure_variation(table((2, 0), (2, 0), (1, 1))).whole
    assert whole.icc == pytest.approx(0.7)
    assert whole.within == pytest.approx(1 / 3)
    assert (whole.pairs, whole.judgments, whole.mean, whole.unanimous) == (2, 6, 1.0, 0.0)


def test_agreement_with_others_by_hand():
    ada, bob, cem = measure_variation(table((2, 0), (2, 0), (1, 1))).assessors
    assert (ada.observed, bob.observed, cem.observed) == (0.5, 0.5, 0.0)
    # ada: p = (1/2, 0, 1/2); others of d0: 2, 1; of d1: 0, 1: q = (1/4, 1/2, 1/4); expected 1/4.
    assert ada.corrected == pytest.approx(1 / 3)
    # cem gives 1 only, which nobody else does: expected 0.
    assert cem.corrected == 0.0


def test_the_widest_pair_comes_first():
    pairs = measure_variation(table((3, 1, 2), (0, 1, 1), (None, 1, None))).pairs
    assert [(row.pair[1], row.variance) for row in pairs] == [("d0", 4.5), ("d2", 0.5), ("d1", 0.0)]
    assert pairs[0].counts == (1, 0, 0, 1)


def test_what_is_undefined_is_none():
    alone = measure_variation(table((2, 0)))
    assert alone.whole.icc is None
    assert alone.whole.within is None
    assert alone.assessors[0].observed is None
    same = measure_variation(table((1, 1), (1, 1)))
    assert same.whole.icc is None
    assert same.whole.unanimous == 1.0
    assert same.assessors[0].observed == 1.0
    assert same.assessors[0].corrected is None


def slow_icc(pairs):
    """The same by exact fractions, from lists of grades."""
    pairs = [grades for grades in pairs if len(grades) > 1]
    if len(pairs) < 2:
        return None
    total = sum(map(len, pairs))
    grand = Fraction(sum(map(sum, pairs)), total)
    means = [Fraction(sum(grades), len(grades)) for grades in pairs]
    between = sum(len(g) * (m - grand) ** 2 for g, m in zip(pairs, means, strict=True))
    within = sum((x - m) ** 2 for g, m in zip(pairs, means, strict=True) for x in g)
    msb, msw = between / (len(pairs) - 1), Fraction(within, total - len(pairs))
    usual = (total - Fraction(sum(len(g) ** 2 for g in pairs), total)) / (len(pairs) - 1)
    spread = msb + (usual - 1) * msw
    return (msb - msw) / spread if spread > 0 else None


GRADES = st.lists(
    st.lists(st.none() | st.integers(0, 3), min_size=4, max_size=4), min_size=1, max_size=6
)


@given(GRADES)
def test_icc_and_variances_equal_a_slow_twin(rows):
    grades = np.array([[MISSING if g is None else g for g in row] for row in rows], np.int32)
    pairs = tuple(("1", f"d{at}") for at in range(4))
    labels = LabelTable(tuple(f"a{at}" for at in range(len(rows))), pairs, grades, (0, 1, 2, 3))
    columns = [[g for g in column if g is not None] for column in zip(*rows, strict=True)]
    variation = measure_variation(labels)
    slow = slow_icc(columns)
    assert (variation.whole.icc is None) == (slow is None)
    if slow is not None:
        assert variation.whole.icc == pytest.approx(float(slow), abs=1e-9)
    for row in variation.pairs:
        expected = np.var(columns[int(row.pair[1][1:])], ddof=1)
        assert row.variance == pytest.approx(expected)
    for at, assessor in enumerate(variation.assessors):
        shares = []
        for column, given_grade in enumerate(rows[at]):
            others = [r[column] for i, r in enumerate(rows) if i != at and r[column] is not None]
            if given_grade is not None and others:
                shares.append(others.count(given_grade) / len(others))
        assert (assessor.observed is None) == (not shares)
        if shares:
            assert assessor.observed == pytest.approx(float(np.mean(shares)))
