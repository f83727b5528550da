"""Threshold priming: the moments are exact, the test holds its level and has power."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from judging.core.agreement.counts import Floats
from judging.core.quality.formats import QUALITY_FORMATS
from judging.core.quality.ordered_grades import OrderedGrades, untimed_judgments
from judging.core.quality.priming import (
    PRIMING,
    WINDOW,
    Priming,
    priming_by_assessor,
    sequence_moments,
)
from judging.core.quality.report import JudgingRecord, quality_report
from tests.core.judging.labelled import labels
from tests.core.judging.sequences import said
from tests.examples import examples


def statistic(grades: Floats) -> float:
    """T, written out document by document."""
    y = grades - grades.mean()
    return sum(y[at] * y[max(0, at - WINDOW) : at].mean() for at in range(1, len(y)))


@examples(12)
@given(st.lists(st.integers(0, 3), min_size=4, max_size=7))
def test_mean_and_variance_are_those_of_all_permutations(grades: list[int]) -> None:
    assume(len(set(grades)) > 1)
    values = [statistic(np.array(order, float)) for order in permutations(grades)]
    found = sequence_moments(np.array(grades, float))
    assert found.value == pytest.approx(statistic(np.array(grades, float)), abs=1e-12)
    assert found.mean == pytest.approx(np.mean(values), abs=1e-9)
    assert found.variance == pytest.approx(np.var(values), abs=1e-9)


def test_the_example_of_the_card() -> None:
    found = sequence_moments(np.array([2.0, 0, 2, 0, 1, 1]))
    told = f"T = {found.value:.4f}, E T = {found.mean:.4f}, Var T = {found.variance:.4f}"
    assert told in PRIMING.example


def test_longer_sequences_have_the_moments_of_many_shuffles() -> None:
    random = np.random.default_rng(2)
    grades = random.choice(4, size=40, p=[0.6, 0.2, 0.1, 0.1]).astype(float)
    values = [statistic(random.permutation(grades)) for _ in range(20_000)]
    found = sequence_moments(grades)
    assert found.mean == pytest.approx(np.mean(values), abs=4 * np.std(values) / 141)
    assert found.variance == pytest.approx(np.var(values), rel=0.05)


def campaign(seed: int, effect: float, topics: int = 12, each: int = 25) -> OrderedGrades:
    """Three assessors; relevance of topics differs, the order is random. The bar of each rises
    by ``effect`` for each grade that the mean of the last five grades is higher.
    """
    random = np.random.default_rng(seed)
    prevalence = random.beta(2, 3, topics)
    assessors = {}
    for name in "ABC":
        topic, grades = [], []
        for number in range(topics):
            before: list[float] = []
            for _ in range(each):
                latent = 3 * prevalence[number] + random.normal(0, 1.0)
                bar = effect * float(np.mean(before[-WINDOW:])) if before else 0.0
                before.append(float(np.clip(round(latent - bar), 0, 3)))
            topic += [number] * each
            grades += before
        assessors[name] = (np.array(topic), np.array(grades))
    return said(assessors)


def test_the_test_holds_its_level_when_nobody_is_primed() -> None:
    found = [priming_by_assessor(campaign(seed, 0.0, topics=6))[0] for seed in range(400)]
    share = np.mean([(one.p or 0) < 0.05 for one in found])
    assert 0.025 <= share <= 0.08
    slopes = [one.slope or 0 for one in found]
    assert np.mean(slopes) == pytest.approx(0, abs=3 * np.std(slopes) / 20)


def test_the_test_has_power_when_somebody_is() -> None:
    found = [priming_by_assessor(campaign(seed, 0.4))[0] for seed in range(40)]
    assert np.mean([(one.p or 1) < 0.05 and (one.slope or 0) < 0 for one in found]) >= 0.8
    assert all(one.low is not None and one.low < (one.slope or 0) for one in found)


def test_one_assessor_alone_is_found_among_others() -> None:
    primed, calm = campaign(1, 0.6), campaign(2, 0.0)
    grade = np.where(calm.assessor == 1, primed.grade, calm.grade)
    mixed = said(
        {name: (calm.topic[calm.assessor == at], grade[calm.assessor == at])
         for at, name in enumerate("ABC")}
    )  # fmt: skip
    _, by_assessor = priming_by_assessor(mixed)
    ps = {name: one.p or 0 for name, one in by_assessor.items()}
    assert ps["B"] < 0.01 < min(ps["A"], ps["C"])


def test_a_plain_regression_would_see_priming_where_there_is_none() -> None:
    """Why the test is not a t-test of the slope: within a sequence it is below 0 by itself."""
    slopes = []
    for seed in range(60):
        grades = campaign(seed, 0.0, topics=1, each=25).grade.reshape(3, 25)
        for row in grades:
            y = row - row.mean()
            before = np.array([y[max(0, at - WINDOW) : at].mean() for at in range(1, 25)])
            slopes.append(np.polyfit(before, y[1:], 1)[0] if np.ptp(row) else 0.0)
    assert np.mean(slopes) < -0.1


@pytest.mark.parametrize(
    ("given_", "reason"),
    [
        (
            untimed_judgments(labels((1, 2, 0), (1, 1, 2))),
            "no documents were shown in random order",
        ),
        (said({"A": (np.zeros(40, int), np.arange(40) % 2.0)}, shuffled=False), "random order"),
        (said({"A": (np.arange(20) // 5, np.arange(20) % 2.0)}), "6 judgments of one topic"),
        (
            said({"A": (np.zeros(40, int), np.ones(40))}),
            "all grades within each sequence are the same",
        ),
        (said({"A": (np.zeros(12, int), np.arange(12) % 2.0)}), "fewer than 30"),
    ],
)
def test_priming_is_undefined_with_a_reason(given_: OrderedGrades, reason: str) -> None:
    overall, by_assessor = priming_by_assessor(given_)
    assert (overall.slope, overall.p) == (None, None)
    assert reason in (overall.reason or "")
    assert reason in (by_assessor["A"].reason or "")


def test_topics_judged_by_turns_are_taken_apart() -> None:
    random = np.random.default_rng(6)
    topic = np.arange(60) % 2
    grades = random.integers(0, 3, 60).astype(float)
    mixed, _ = priming_by_assessor(said({"A": (topic, grades)}))
    order = np.argsort(topic, kind="stable")
    apart, _ = priming_by_assessor(said({"A": (topic[order], grades[order])}))
    assert isinstance(mixed, Priming)
    assert mixed == apart
    assert (mixed.sequences, mixed.n) == (2, 60)


def test_each_assessor_is_told_their_own_reason() -> None:
    """A has enough; B's documents came in another order, C's topics are short, D is flat."""
    topics, grades = np.arange(40) // 20, np.arange(40) % 2.0
    whole = said(
        {
            "A": (topics, grades),
            "B": (topics, grades),
            "C": (np.arange(20) // 5, grades[:20]),
            "D": (topics, np.ones(40)),
        }
    )
    whole.shuffled[whole.assessor == 1] = False
    overall, found = priming_by_assessor(whole)
    assert (overall.reason, found["A"].reason) == (None, None)
    assert found["B"].reason == "no documents were shown in random order"
    assert "6 judgments of one topic" in (found["C"].reason or "")
    assert "all grades within each sequence are the same" in (found["D"].reason or "")


@pytest.mark.parametrize(("topics", "printed", "hint"), [(4, False, False), (6, True, True)])
def test_intervals_of_assessor_quality_need_five_topics(
    topics: int, printed: bool, hint: bool
) -> None:
    given_ = campaign(3, 0.3, topics=topics)
    report = quality_report(JudgingRecord(labels((0,)), given_), 1)
    slopes = [drift.slope for drift in report.drift.values() if drift.slope.value is not None]
    for found in (*report.priming_by_assessor.values(), *report.bias.values(), *slopes):
        if found.reason is None:
            assert (found.low is not None, found.is_hint) == (printed, hint)
            assert (found.no_interval == "fewer than 5 topics") is not printed
    assert report.priming.p is not None
    assert ("hint: interval from fewer than 10 topics" in QUALITY_FORMATS["table"](report)) is hint
