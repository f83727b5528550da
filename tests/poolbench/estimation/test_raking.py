"""Chances that agree with what the sample says of a topic."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from poolbench.estimation.raking import rake_chances
from tests.examples import examples
from tests.poolbench.estimation.frames import one_topic, random_frame, random_steps, take, to_steps


def test_raking_by_hand() -> None:
    """Of six pairs with chances of a quarter, one of two judged is relevant, drawn with a third:
    the four others have 1 expected, the sample says 2, so odds rise from 1:3 to 1:1.
    """
    sample = take(one_topic("abcdef"), {0: 1, 1: 0}, [1 / 3] * 6)
    raked = rake_chances(sample, np.full((6, 1), 0.25))
    assert raked[2:, 0] == pytest.approx([0.5] * 4)
    assert sample.fill(raked).sum() == pytest.approx(3)


def test_a_shrunken_shortfall_is_within_the_full_one() -> None:
    """V = 9 · 2/3 · 2 · 3/16 = 2.25 is more than the shortfall of 1 squared: no topic differs."""
    sample = take(one_topic("abcdef"), {0: 1, 1: 0}, [1 / 3] * 6)
    raked = rake_chances(sample, np.full((6, 1), 0.25), shrink=True)
    assert raked[2:, 0] == pytest.approx([0.25] * 4)
    sure = take(one_topic("abcdef"), {0: 1, 1: 1, 2: 1}, [0.6] * 6)
    full, less = (rake_chances(sure, np.full((6, 1), 0.25), shrink=own) for own in (False, True))
    # δ = 3 · 2/3 · 3/4 = 1.5, V = .4 / .36 · 3 · 3/16 = .625, τ² of δ² − V: kept 1.625 / 2.25.
    assert full[3:].sum() == pytest.approx(0.75 + 1.5)
    assert less[3:].sum() == pytest.approx(0.75 + 1.5 * 1.625 / 2.25)


@pytest.mark.parametrize(("grade", "goal"), [(0, 0.05 * 4 * 0.25), (1, 0.98 * 4)])
def test_goals_stay_within_the_topic(grade: int, goal: float) -> None:
    sample = take(one_topic("abcdef"), {0: grade, 1: grade}, [0.05] * 6)
    raked = rake_chances(sample, np.full((6, 1), 0.25))
    assert raked[2:].sum() == pytest.approx(goal)


@examples(50)
@given(seed=st.integers(0, 10**6))
def test_unjudged_pairs_sum_to_the_goal_of_each_topic_and_step(seed: int) -> None:
    rng = np.random.default_rng(seed)
    frame = random_frame(rng)
    pairs = len(frame.topic_index)
    chances, grades = random_steps(rng, pairs, 2), rng.integers(0, 3, pairs)
    pi = rng.uniform(0.3, 1, pairs)
    judged = np.flatnonzero(rng.random(pairs) < pi)
    sample = take(frame, {int(at): int(grades[at]) for at in judged}, pi.tolist(), 2)
    raked = rake_chances(sample, chances)
    steps = to_steps(grades, 2)
    for topic in range(len(frame.topics)):
        rows = np.flatnonzero(frame.topic_index == topic)
        own, left = np.intersect1d(rows, judged), np.setdiff1d(rows, judged)
        short = ((1 / pi[own] - 1)[:, None] * (steps[own] - chances[own])).sum(axis=0)
        expected = chances[left].sum(axis=0)
        goal = np.clip(expected + short, 0.05 * expected, 0.98 * len(left))
        assert raked[left].sum(axis=0) == pytest.approx(goal, abs=1e-6)
