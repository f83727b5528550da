"""Qrels made of what several assessors said."""

import numpy as np
import pytest

from poolbench.judging.policies import POLICIES, PairBallot, apply_policy, get_policy
from poolbench.reliability.disagreement.ballots import (
    ABSENT,
    JointPolicyError,
    build_ballots,
    build_ballots_from_qrels,
)
from poolbench.runs.qrels import qrels_from_rows
from tests.poolbench.reliability.disagreement.drawn import PEOPLE, drawn_ballots, qrels_of

SAID = [
    PairBallot("1", "a", {"ada": 2, "bob": 0}, automatic={"robot": 3}),
    PairBallot("1", "b", {"ada": 1, "bob": 1}),
    PairBallot("1", "c", {"bob": -1}),
    PairBallot("2", "a", {"ada": 0, "bob": 3}, adjudicated=1),
    PairBallot("2", "b", {"ada": 1}, extra={"bob": 2}),
]


def test_a_row_a_pair_and_a_column_an_assessor():
    found = build_ballots(SAID, get_policy("maximum"))
    assert found.topics == ("1", "2")
    assert found.assessors == ("ada", "bob", "automatic:robot")
    assert found.automatic == {"automatic:robot"}
    assert found.policy_grades.tolist() == [2, 1, -1, 3, 1]
    assert found.counts.tolist() == [2, 2, 0, 2, 1]
    assert found.disagreements.tolist() == [True, False, False, True, False]


def test_own_qrels_hold_what_the_assessor_said_and_nothing_else():
    found = build_ballots(SAID, get_policy("maximum"))
    assert qrels_of(found, found.own(0)) == {
        ("1", "a"): 2, ("1", "b"): 1, ("2", "a"): 0, ("2", "b"): 1,
    }  # fmt: skip
    assert found.own(1).tolist() == [0, 1, -1, 3, 2]
    assert found.own_or_policy(2).tolist() == [3, 1, -1, 3, 1]


def test_union_and_intersection_are_of_the_people_who_count():
    found = build_ballots(SAID, get_policy("median-floor"))
    assert found.highest.tolist() == [2, 1, -1, 3, 1]
    assert found.lowest.tolist() == [0, 1, -1, 0, 1]


def test_a_settled_pair_is_in_dispute_only_where_the_policy_does_not_hear_it():
    heard = build_ballots(SAID, get_policy("adjudicated-maximum"))
    assert heard.policy_grades.tolist() == [2, 1, -1, 1, 1]
    assert heard.disagreements.tolist() == [True, False, False, False, False]


def test_a_reference_adds_its_pairs():
    found = build_ballots(SAID, get_policy("maximum"), {("1", "a"): 1, ("3", "z"): 2})
    assert found.topics == ("1", "2", "3")
    assert found.base.tolist() == [1, ABSENT, ABSENT, ABSENT, ABSENT, 2]
    assert found.policy_grades[-1] == ABSENT


def test_no_judgment_at_all_is_no_row():
    found = build_ballots([], get_policy("maximum"))
    assert (len(found), found.topics, found.highest.tolist()) == (0, (), [])


def test_qrels_files_are_assessors():
    tables = {
        "ada": qrels_from_rows([("1", "a", 2), ("1", "b", 0)]),
        "bob": qrels_from_rows([("1", "b", 1)]),
    }
    assert build_ballots_from_qrels(tables) == [
        PairBallot("1", "a", {"ada": 2}),
        PairBallot("1", "b", {"ada": 0, "bob": 1}),
    ]


@pytest.mark.parametrize("name", POLICIES)
def test_resampling_is_the_policy_on_repeated_judgments(name):
    rng = np.random.default_rng(len(name))
    said, policy = drawn_ballots(rng, adjudicated=0.2), get_policy(name)
    found = build_ballots(said, policy)
    drawn = rng.multinomial(3, [1 / 3] * 3, size=40)
    resampled = found.resample_grades(drawn, slice(0, len(found)))
    known = dict(zip(found.pairs, found.policy_grades.tolist(), strict=True))
    for times, grades in zip(drawn.tolist(), resampled, strict=True):
        again = [repeated(ballot, dict(zip(PEOPLE, times, strict=True))) for ballot in said]
        rows, undecided = apply_policy(policy, [ballot for ballot in again if ballot.people])
        wanted = dict.fromkeys(undecided, ABSENT) | {(t, d): grade for t, d, grade in rows}
        kept = {ballot.pair: known[ballot.pair] for ballot in again if not ballot.people}
        assert dict(zip(found.pairs, grades.tolist(), strict=True)) == wanted | kept


def repeated(ballot: PairBallot, times: dict[str, int]) -> PairBallot:
    """The ballot when each person has spoken so often, each time under another name."""
    people = {
        f"{who}-{n}": grade for who, grade in ballot.people.items() for n in range(times[who])
    }
    return PairBallot(ballot.topic, ballot.docno, people, adjudicated=ballot.adjudicated)


def test_a_machine_is_not_drawn():
    found = build_ballots(SAID, get_policy("maximum"))
    grades = found.resample_grades(np.array([[0, 2], [2, 0]]), slice(0, len(found)))
    assert grades.tolist() == [[0, 1, -1, 3, 1], [2, 1, -1, 0, 1]]


def test_a_policy_for_all_pairs_together_is_not_resampled():
    with pytest.raises(JointPolicyError, match="crowd:mace decides all pairs together"):
        build_ballots([PairBallot("1", "a", {"x": 1})], get_policy("crowd:mace"))
