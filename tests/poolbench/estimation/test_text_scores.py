"""The text classifier: vectors, what is learned fold by fold, and what it brings to chances."""

import numpy as np
import pytest

from poolbench.estimation.calibration import FOLDS
from poolbench.estimation.report import compute_estimates
from poolbench.estimation.sample import JudgedSample
from poolbench.estimation.text_scores import (
    RIDGE,
    TextScores,
    build_text_scores,
    build_vectors,
    compute_left_out_scores,
)
from tests.poolbench.estimation.frames import find, make_frame, to_steps

GRADES = np.array([1, 1, 1, 1, 0, 0, 0, 0] * 2)
FOLD = np.arange(16) % FOLDS


def build_scores(second: str = "goldfish") -> TextScores:
    """Two topics of eight documents: four on goldfish, four on routers. ``second``: the query of
    topic 2.
    """
    docnos = [f"d{at}" for at in range(8)]
    frame = make_frame({"a": {"1": docnos, "2": docnos}}, {"1": docnos, "2": docnos})
    fish = [f"a goldfish can grow large, says number {at}" for at in range(4)]
    routers = [f"set up the router of channel {at}" for at in range(4)]
    return build_text_scores(frame, ["do goldfish grow", second], [*fish, *routers] * 2)


def test_vectors_hold_words_and_pairs_of_neighbours() -> None:
    vectors = build_vectors(["Man and man", "", "and"], 3).toarray()
    assert vectors.shape == (3, 4)  # man, and, man and, and man
    assert (vectors**2).sum(axis=1) == pytest.approx([1, 0, 1])
    # idf of "and", in two of three texts: ln(4/3) + 1; of the others ln 2 + 1; "man" stands twice.
    rare, common = np.log(2) + 1, np.log(4 / 3) + 1
    length = np.sqrt((rare * (1 + np.log(2))) ** 2 + common**2 + 2 * rare**2)
    assert vectors[0] @ vectors[2] == pytest.approx(common / length)


def test_words_do_not_pair_across_texts() -> None:
    assert build_vectors(["one", "two"], 2).shape == (2, 2)


def test_cosine_with_the_query_of_the_own_topic() -> None:
    found = build_scores("routers: the router").query > 0
    assert found.tolist() == [True] * 4 + [False] * 8 + [True] * 4


def test_left_out_predictions_are_those_of_a_fit_without_the_pair() -> None:
    rng = np.random.default_rng(3)
    points, response = rng.normal(size=(7, 4)), rng.normal(size=5)
    kernel, train = points @ points.T, np.array([0, 2, 3, 4, 6])
    predicted = compute_left_out_scores(kernel[:, train], train, response)
    for at, pair in enumerate(train):
        rest = np.delete(train, at)
        inner = kernel[np.ix_(rest, rest)] + RIDGE * np.eye(4)
        weights = np.linalg.solve(inner, np.delete(response, at))
        assert predicted[pair] == pytest.approx(kernel[pair, rest] @ weights)


def test_scores_of_a_fold_do_not_depend_on_its_grades() -> None:
    scores, judged = build_scores(), np.arange(16)
    other = GRADES.copy()
    other[FOLD == 2] = 1 - other[FOLD == 2]
    before, after = (
        scores.learn(judged, to_steps(grades, 1), FOLD) for grades in (GRADES.tolist(), other)
    )
    assert after[2].columns == pytest.approx(before[2].columns)
    assert after[1].columns != pytest.approx(before[1].columns)


def test_learned_scores_tell_relevant_texts_from_others() -> None:
    judged = np.array([0, 1, 4, 5, 8, 9, 12, 13])
    for own in build_scores().learn(judged, to_steps(GRADES[judged].tolist(), 1), FOLD):
        assert own.columns[[2, 3, 10, 11]].min() > own.columns[[6, 7, 14, 15]].max()


def test_a_topic_without_judgments_and_no_judgments_at_all() -> None:
    scores = build_scores()
    (first, *_) = scores.learn(np.array([0, 4]), np.array([[1.0], [0.0]]), FOLD)
    assert np.ptp(first.columns[8:]) == 0
    nothing = scores.learn(np.empty(0, np.int64), np.empty((0, 1)), FOLD)
    assert all((own.columns == 0).all() for own in nothing)


def test_the_report_names_the_classifier_and_uses_it() -> None:
    scores = build_scores()
    judged = np.array([0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14])
    steps = to_steps(GRADES[judged].tolist(), 1)
    sample = JudgedSample(scores.frame, judged, steps, np.full(16, 0.75))
    drawn = compute_estimates(sample, [], {"P_2": find("P_2")}, 0, texts=scores)
    alone = compute_estimates(sample, [], {"P_2": find("P_2")}, 0)
    assert drawn.report.machines == ("text classifier",)
    gap = drawn.chances[[3, 11], 0].min() - drawn.chances[[7, 15], 0].max()
    assert gap > alone.chances[[3, 11], 0].max() - alone.chances[[7, 15], 0].min()
