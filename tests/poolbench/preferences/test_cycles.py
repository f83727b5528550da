"""Cycles, circular triads and the coefficient of consistence."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from poolbench.preferences.strengths import count_circular_triads, examine_cycles
from tests.poolbench.preferences.test_bradley_terry import matrix_of


def test_the_example_of_the_card_holds() -> None:
    rows = [("a", "b", 1), ("b", "c", 2), ("c", "a", 1)]
    report = examine_cycles(matrix_of(*rows, *((item, "d", 1) for item in "abc")))
    assert (report.circular, report.triads, report.zeta) == (1, 4, 0.5)
    assert report.cycles == (("a", "b", "c"),)


def test_an_order_has_no_cycle() -> None:
    rows = [(a, b, 1) for a, b in combinations("abcde", 2)]
    report = examine_cycles(matrix_of(*rows))
    assert (report.circular, report.zeta, report.cycles) == (0, 1, ())


def test_the_most_circular_majorities_have_zeta_zero() -> None:
    """Five items, each preferred to the next two: the maximum of (n³ − n) / 24 = 5 triads."""
    rows = [
        ("abcde"[at], "abcde"[(at + step) % 5], 1) for at in range(5) for step in (1, 2)
    ]  # fmt: skip
    report = examine_cycles(matrix_of(*rows))
    assert (report.circular, report.triads, report.zeta) == (5, 10, 0)


def test_undecided_pairs_leave_zeta_undefined() -> None:
    report = examine_cycles(matrix_of(("a", "b", 1), ("b", "a", 1), ("b", "c", 1), ("c", "a", 1)))
    assert (report.triads, report.zeta, report.cycles) == (0, None, ())


def test_longer_cycles_are_listed_with_the_shortest_first() -> None:
    rows = [("a", "b", 1), ("b", "c", 1), ("c", "d", 1), ("d", "a", 1),
            ("x", "y", 1), ("y", "z", 1), ("z", "x", 1)]  # fmt: skip
    report = examine_cycles(matrix_of(*rows))
    assert report.cycles == (("x", "y", "z"), ("a", "b", "c", "d"))


@pytest.mark.parametrize("seed", range(5))
def test_triads_are_those_counted_one_by_one(seed: int) -> None:
    rng = np.random.default_rng(seed)
    draws = rng.integers(0, 3, (7, 7))
    ahead = np.triu(draws == 1, 1) | np.triu(draws == 2, 1).T
    circular = triads = 0
    for a, b, c in combinations(range(7), 3):
        pairs = ((a, b), (b, c), (a, c))
        if all(ahead[i, j] or ahead[j, i] for i, j in pairs):
            triads += 1
            circular += (ahead[a, b], ahead[b, c], ahead[c, a]) in {(1, 1, 1), (0, 0, 0)}
    assert count_circular_triads(ahead) == (circular, triads)
