"""Chances of grades: the regression, folds, few grades, machines without a grade."""

import numpy as np
import pytest

from poolbench.estimation.calibration import (
    FOLDS,
    PairFeatures,
    build_rank_features,
    compute_logistic,
    fit_chances,
    fit_logistic,
)
from poolbench.estimation.machines import NONE, MachineInput, build_machine_features
from tests.poolbench.estimation.frames import make_frame, to_steps

PAIRS, TOPICS, TOP = 400, 4, 2


def made_pairs() -> tuple[PairFeatures, np.ndarray, np.ndarray, np.ndarray]:
    """Features, topics, folds and grades of pairs; half of the grades follow the first feature."""
    rng = np.random.default_rng(1)
    columns = rng.normal(size=(PAIRS, 2))
    grades = np.clip(np.round(columns[:, 0] + rng.normal(size=PAIRS)), 0, TOP).astype(int)
    features = PairFeatures(columns, np.array([0.5, 0.5]))
    return features, np.arange(PAIRS) % TOPICS, np.arange(PAIRS) // 7 % FOLDS, grades


def fit(grades: np.ndarray, judged: np.ndarray) -> np.ndarray:
    features, topics, fold, _ = made_pairs()
    return fit_chances(features, topics, to_steps(grades[judged], TOP), judged, fold, TOPICS)


def test_slopes_and_topics_are_where_the_penalized_likelihood_is_highest() -> None:
    features, topics, _, grades = made_pairs()
    x = np.column_stack([np.ones(PAIRS), features.columns])
    y, penalties = (grades > 0).astype(float), np.array([0, 0.5, 0.5])
    slopes, effects = fit_logistic(x, penalties, topics, y, TOPICS)
    left = y - compute_logistic(x @ slopes + effects[topics])
    assert x.T @ left - penalties * slopes == pytest.approx(np.zeros(3), abs=1e-6)
    by_topic = np.bincount(topics, left, TOPICS)
    assert by_topic - effects == pytest.approx(np.zeros(TOPICS), abs=1e-6)


def test_chances_follow_the_grades_and_never_rise_with_the_step() -> None:
    _, _, _, grades = made_pairs()
    judged = np.arange(0, PAIRS, 2)
    chances = fit(grades, judged)
    assert (np.diff(chances, axis=1) <= 0).all()
    rest = np.setdiff1d(np.arange(PAIRS), judged)
    assert np.corrcoef(chances[rest, 0], grades[rest] > 0)[0, 1] > 0.4


def test_the_chances_of_a_pair_do_not_depend_on_grades_of_its_fold() -> None:
    _, _, fold, grades = made_pairs()
    judged = np.arange(0, PAIRS, 2)
    first, own = fit(grades, judged), fold == 3
    other = grades.copy()
    other[own] = TOP - other[own]
    second = fit(other, judged)
    assert (first[own] == second[own]).all()
    assert not np.allclose(first[~own], second[~own])


def test_a_step_with_few_grades_has_its_share_of_the_sample() -> None:
    _, _, fold, grades = made_pairs()
    judged = np.arange(0, PAIRS, 2)
    few = np.minimum(grades, 1)
    few[judged[:2]] = 2
    chances = fit(few, judged)
    for own in range(FOLDS):
        train = judged[fold[judged] != own]
        share = ((few[train] >= 2).sum() + 0.5) / (len(train) + 1)
        assert chances[fold == own, 1] == pytest.approx(np.minimum(share, chances[fold == own, 0]))


def test_without_any_grade_the_chances_are_even() -> None:
    _, _, _, grades = made_pairs()
    assert (fit(grades, np.arange(0)) == 0.5).all()


def test_no_grade_of_a_machine_is_a_value_of_its_own() -> None:
    grades = np.array([0, 0, 0, NONE, NONE, 1, 2])
    features = build_machine_features([MachineInput("m", grades)])
    assert features is not None
    columns = {tuple(column) for column in features.columns.T.astype(int).tolist()}
    assert columns == {(0, 0, 0, 1, 1, 0, 0), (0, 0, 0, 0, 0, 1, 0), (0, 0, 0, 0, 0, 0, 1)}
    assert MachineInput("m", grades).coverage == pytest.approx(5 / 7)
    assert build_machine_features([]) is None


def test_several_machines_have_their_mean_besides_of_those_that_gave_a_grade() -> None:
    machines = [
        MachineInput("a", np.array([0, 2, NONE, 0])), MachineInput("b", np.array([0, 0, 2, NONE]))
    ]  # fmt: skip
    features = build_machine_features(machines)
    assert features is not None
    mean = np.array([0, 1, 2, 0.0])
    assert features.columns[:, -1] == pytest.approx((mean - mean.mean()) / mean.std())
    assert set(features.penalties) == {2.0}


def test_chances_of_a_machine_are_log_odds_and_an_expected_grade() -> None:
    chances = np.array([[0.7, 0.2, 0.1], [0.1, 0.2, 0.7], [np.nan] * 3, [1, 0, 0]])
    features = build_machine_features([MachineInput("m", np.zeros(4, int), chances)])
    assert features is not None
    odds_1, odds_2, expected, missing = features.columns.T
    assert missing.tolist() == [0, 0, 1, 0]
    assert np.argsort(expected).tolist() == [3, 0, 2, 1]
    # Certainty is cut to .01: log odds of 9 / 1 and of .99 / .01.
    spread = np.log(0.9 / 0.1) - np.log(0.01 / 0.99)
    assert (odds_1[1] - odds_1[3]) / (odds_1[1] - odds_1[0]) == pytest.approx(
        spread / (np.log(0.9 / 0.1) - np.log(0.3 / 0.7))
    )
    assert odds_2[0] > odds_2[3]


def test_features_of_ranks_by_hand() -> None:
    frame = make_frame({"a": {"1": "xyz"}, "b": {"1": "yx"}}, {"1": "wxyz"})
    features = build_rank_features(frame).columns
    best = np.log2([4, 1, 1, 3])
    assert features[:, 0] == pytest.approx((best - best.mean()) / best.std())
    shares = np.array([0, 1, 1, 0.5])
    assert features[:, 1] == pytest.approx((shares - shares.mean()) / shares.std())
    weights = np.log(np.array([1 / 16, 1 / 11 + 1 / 12, 1 / 11 + 1 / 12, 1 / 13]) / 2)
    assert features[:, 4] == pytest.approx((weights - weights.mean()) / weights.std())
