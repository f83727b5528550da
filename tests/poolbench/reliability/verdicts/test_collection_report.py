"""The figures of the verdict on a collection, by hand."""

from __future__ import annotations

from poolbench.reliability.verdicts.reusability import compute_collection
from tests.poolbench.reliability.collection.toy import P_2, toy_collection


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
