"""Rows for unjudged pairs, beside the judged ones."""

import numpy as np

from poolbench.judging.policies import PairBallot, get_policy
from poolbench.reliability.disagreement.ballots import add_unjudged_pairs, build_ballots
from poolbench.runs.run_matrix import PairArray


def test_they_are_the_rows_of_a_reference_with_these_pairs():
    judged = [("2", "b"), ("2", "d"), ("3", "a")]
    ballots = [PairBallot(*pair, people={"ann": 1}) for pair in judged]
    others = [("1", "x"), ("2", "a"), ("2", "b"), ("2", "e"), ("4", "y")]
    policy = get_policy("majority")
    wanted = build_ballots(ballots, policy, dict.fromkeys(others, -1))
    found = add_unjudged_pairs(build_ballots(ballots, policy), PairArray.from_pairs(others))
    assert list(found.pairs) == list(wanted.pairs)
    assert np.array_equal(found.policy_grades, wanted.policy_grades)
    assert np.array_equal(found.adjudicated, wanted.adjudicated)
    assert found.topics == ("1", "2", "3", "4")
