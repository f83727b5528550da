"""Rank-swap value: against scoring every run again by the plain function, and by hand."""

from itertools import combinations, product

import numpy as np
import pytest

from poolbench.evaluation.comparison.rank_correlation import score_levels
from poolbench.judging.policies import PairBallot
from poolbench.reliability.disagreement.panel import DisagreementPanel
from poolbench.reliability.disagreement.rank_swaps import rank_swap_values
from poolbench.reliability.disagreement.turning_point import find_turning_point
from tests.examples import take
from tests.poolbench.reliability.disagreement.drawn import (
    drawn_panel,
    panel_of_first,
    plain_scores,
    qrels_of,
)

MEASURES = [
    "ndcg_cut_5", "map", "bpref", "P_2", "recip_rank", "gm_map", "search_length", "num_rel_ret",
]  # fmt: skip
POLICIES = ["median-floor", "adjudicated-majority", "single"]
CASES = product(MEASURES, POLICIES, [None, (0, 3)])


def effect(before: np.ndarray, after: np.ndarray, runs: list[int]) -> tuple[float, float, float]:
    """``(swaps, closed, shift)`` run by run, higher being better; a run that has no score
    then changes nothing.
    """
    runs = [run for run in runs if not np.isnan(after[run])]
    was, now = score_levels(np.nan_to_num(before)), score_levels(np.nan_to_num(after))
    swaps, closed = 0.0, 0.0
    for i, j in combinations(runs, 2):
        a, b = (i, j) if before[i] >= before[j] else (j, i)
        old, new = np.sign(was[a] - was[b]), np.sign(now[a] - now[b])
        swaps += abs(int(old) - int(new)) / 2
        if old == new == 1:
            gap = before[a] - before[b]
            closed = max(closed, (gap - (after[a] - after[b])) / gap)
    return swaps, closed, max((abs(after[run] - before[run]) for run in runs), default=0.0)


def brute_force(panel: DisagreementPanel, runs: list, only: tuple[int, int] | None) -> dict:
    """``{(topic, docno): (value, shift)}`` with one call of ``evaluate`` a run and grade."""
    ballots = panel.ballots
    made = qrels_of(ballots, ballots.policy_grades)
    before = panel.better * np.array(plain_scores(panel, runs, made))
    looked_at = [run for run in only or range(len(runs)) if not np.isnan(before[run])]
    found = {}
    for row, pair in enumerate(ballots.pairs):
        votes = {grade for grade in ballots.votes[row].tolist() if grade >= 0}
        if len(votes) < 2 or ballots.adjudicated[row] or (len(looked_at) < 2):
            continue
        effects = []
        for grade in votes - {made.get(pair)}:
            after = panel.better * np.array(plain_scores(panel, runs, {**made, pair: grade}))
            swaps, closed, shift = effect(before, after, looked_at)
            effects.append((swaps + closed, shift))
        found[pair] = max(effects)
    return found


@pytest.mark.parametrize(("measure", "policy", "between"), take(CASES, 5))
def test_values_are_those_of_scoring_all_again(measure, policy, between):
    panel, runs = drawn_panel(len(measure) + len(policy), measure, policy)
    wanted = brute_force(panel, runs, between)
    found = rank_swap_values(panel, between)
    assert {(v.topic, v.docno) for v in found} == set(wanted)
    for value in found:
        expected = wanted[value.topic, value.docno]
        assert (value.value, value.shift) == pytest.approx(expected, abs=1e-9)
    assert [v.value for v in found] == sorted((v.value for v in found), reverse=True)


def three_runs(*, two: tuple[int, int] = (1, 0)) -> DisagreementPanel:
    """P_1 on three topics. A leads B 2 to 1 by the policy, the maximum; C finds nothing.

    Topic 1: A ranks d1 first, given 0 and 1. Topic 2: A ranks d2 first, given ``two``.
    Topic 3: B ranks d3 first, agreed to be relevant, and A ranks d4 first, agreed not to be.
    """
    first = {"A": ("d1", "d2", "d4"), "B": ("d9", "d9", "d3"), "C": ("d8", "d8", "d8")}
    said = [
        PairBallot("1", "d1", {"ada": 0, "bob": 1}),
        PairBallot("2", "d2", {"ada": two[0], "bob": two[1]}),
        PairBallot("3", "d3", {"ada": 1, "bob": 1}),
        PairBallot("3", "d4", {"ada": 0, "bob": 0}),
    ]
    return panel_of_first(first, said)


def test_the_worked_example():
    """With d1 = 0 A and B are tied at 1/3: half a swap. Of A's lead over C half is gone."""
    first, second = rank_swap_values(three_runs())
    assert (first.topic, first.docno, first.grades, first.policy, first.grade) == (
        *("1", "d1", (0, 1)),
        *(1, 0),
    )
    assert (first.swaps, first.closed, first.shift) == pytest.approx((0.5, 0.5, 1 / 3))
    assert first.value == pytest.approx(1.0)
    assert (second.topic, second.value) == ("2", pytest.approx(1.0))


def test_between_two_runs_only_their_order_counts():
    (only,) = rank_swap_values(three_runs(two=(1, 1)), (0, 2))
    assert (only.docno, only.swaps, only.closed) == ("d1", 0.0, pytest.approx(0.5))


def test_a_grade_that_moves_nothing_has_no_value():
    (first, _) = rank_swap_values(three_runs(), (1, 2))
    assert (first.swaps, first.closed, first.shift) == (0.0, 0.0, 0.0)


def test_two_pairs_turn_what_one_does_not():
    found = find_turning_point(three_runs(), (1, 0))
    assert (found.better, found.worse, found.needed) == ("A", "B", 2)
    assert found.gap == pytest.approx(1 / 3)
    assert [(step.docno, step.grade) for step in found.steps] == [("d1", 0), ("d2", 0)]
    assert [step.gap for step in found.steps] == pytest.approx([0.0, -1 / 3])


def test_what_cannot_turn_does_not():
    found = find_turning_point(three_runs(two=(1, 1)), (0, 1))
    assert (found.needed, len(found.steps), found.reason) == (None, 1, None)


@pytest.mark.parametrize("measure", ["ndcg_cut_5", "map", "search_length"])
def test_the_gap_after_each_step_is_that_of_scoring_again(measure):
    panel, runs = drawn_panel(21, measure)
    found = find_turning_point(panel, (1, 2))
    first, second = panel.tags.index(found.better), panel.tags.index(found.worse)
    qrels = qrels_of(panel.ballots, panel.ballots.policy_grades)
    turned = []
    for step in found.steps:
        qrels[step.topic, step.docno] = step.grade
        scores = panel.better * np.array(plain_scores(panel, runs, qrels))
        assert step.gap == pytest.approx(scores[first] - scores[second], abs=1e-12)
        turned.append(step.gap < -1e-12)
    assert found.needed == (turned.index(True) + 1 if any(turned) else None)


@pytest.mark.parametrize("measure", ["ndcg_cut_5", "search_length"])
def test_pairs_are_settled_in_the_order_of_what_each_does_alone(measure):
    panel, runs = drawn_panel(21, measure)
    found = find_turning_point(panel, (1, 2))
    first, second = panel.tags.index(found.better), panel.tags.index(found.worse)
    made = qrels_of(panel.ballots, panel.ballots.policy_grades)

    def helped(pair: tuple[str, str], grade: int) -> float:
        scores = panel.better * np.array(plain_scores(panel, runs, {**made, pair: grade}))
        return round(found.gap - (scores[first] - scores[second]), 9)

    best = {}
    for row, pair in enumerate(panel.ballots.pairs):
        votes = {grade for grade in panel.ballots.votes[row].tolist() if grade >= 0}
        if len(votes) > 1 and not panel.ballots.adjudicated[row]:
            best[pair] = max(helped(pair, grade) for grade in votes)
    steps = [helped((step.topic, step.docno), step.grade) for step in found.steps]
    assert steps == sorted((help_ for help_ in best.values() if help_ > 0), reverse=True)
    assert len(steps) > 1


def test_without_dispute_or_scores_there_is_nothing_to_turn():
    runs = {"a": ("d1",), "b": ("d1",)}
    panel = panel_of_first(runs, [PairBallot("1", "d1", {"ada": 1, "bob": 1})], "single")
    assert rank_swap_values(panel) == []
    assert "no unresolved disagreement" in (find_turning_point(panel, (0, 1)).reason or "")
    none = panel_of_first(runs, [], "single")
    assert rank_swap_values(none) == []
    assert find_turning_point(none, (0, 1)).reason == "one of the two runs has no score"
