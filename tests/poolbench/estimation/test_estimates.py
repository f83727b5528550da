"""Estimates and their errors by hand, and at the edges."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from poolbench.estimation.errors import compute_parts, group_strata
from poolbench.estimation.estimates import MeasureEstimate, estimate_measure
from poolbench.estimation.report import compute_estimates
from poolbench.estimation.run_order import draw_in
from poolbench.estimation.sample import JudgedSample, build_sample
from tests.poolbench.estimation.frames import (
    find,
    make_frame,
    one_topic,
    random_frame,
    random_steps,
    take,
    to_steps,
)

NAMES = ("P@5", "AP", "bpref", "nDCG@5", "RR")


@pytest.mark.parametrize(("grade", "drawn", "mean"), [(0, 0.25, 0.5), (1, 1.25, 1.0)])
def test_linear_measures_are_unbiased_by_hand(grade: int, drawn: float, mean: float) -> None:
    frame, chances, measure = one_topic("ab"), np.array([[0.5], [0.5]]), find("P@2")
    with_b = estimate_measure(take(frame, {0: 1, 1: grade}, [1, 0.5]), chances, measure)
    without = estimate_measure(take(frame, {0: 1}, [1, 0.5]), chances, measure)
    assert (with_b.means[0], without.means[0]) == pytest.approx((drawn, 0.75))
    assert (with_b.means[0] + without.means[0]) / 2 == pytest.approx(mean)


def test_linear_measures_are_unbiased_over_all_samples() -> None:
    """Whatever the chances are that a machine suggests."""
    frame = make_frame({"a": {"1": "abc", "2": "xy"}, "b": {"1": "cda", "2": "yz"}},
                       {"1": "abcd", "2": "xyz"})  # fmt: skip
    grades, pi = np.array([1, 0, 2, 0, 1, 2, 0]), np.array([0.5, 0.3, 1, 0.6, 0.4, 0.9, 0.2])
    chances = random_steps(np.random.default_rng(0), 7, 2)
    for name in ("P@2", "RBP"):
        measure, total = find(name, 2), np.zeros(2)
        for flags in product([False, True], repeat=7):
            is_drawn = np.array(flags)
            weight = np.prod(np.where(is_drawn, pi, 1 - pi))
            if weight:
                judged = {int(at): int(grades[at]) for at in np.flatnonzero(is_drawn)}
                sample = take(frame, judged, pi.tolist(), 2)
                total += weight * estimate_measure(sample, chances, measure).means
        truth = measure.compute(frame, to_steps(grades, 2)).values.mean(axis=1)
        assert total == pytest.approx(truth, abs=1e-12), name


@pytest.mark.parametrize("name", NAMES)
def test_everything_judged_is_what_it_is(name: str) -> None:
    rng = np.random.default_rng(3)
    frame = random_frame(rng, topics=6)
    grades = rng.integers(0, 3, len(frame.topic_index))
    grades[frame.topic_index == 2] = 2  # nothing that is not relevant
    grades[frame.topic_index == 3] = 0  # nothing relevant
    everything = np.arange(len(grades))
    sample = build_sample(frame, grades, everything, np.ones(len(grades)), 2)
    drawn = compute_estimates(sample, [], {name: find(name, 2)}, 0)
    truth = find(name, 2).compute(frame, to_steps(grades, 2)).values.mean(axis=1)
    own = drawn.measures[name]
    assert own.means == pytest.approx(truth, abs=1e-12)
    assert own.errors == pytest.approx(np.zeros(3), abs=1e-12)
    for row in drawn.report.measures[0].runs:
        assert (row.estimate.low, row.estimate.high) == pytest.approx([row.estimate.value] * 2)


def drawn_evenly(
    strata: list[int] | None = None, seed: int = 0, certain: int = 0
) -> tuple[JudgedSample, np.ndarray]:
    """Eight pairs of two topics, all but the last of each judged; chances of them."""
    frame = make_frame({"a": {"1": "abcd", "2": "wx"}, "b": {"1": "dca", "2": "zyx"}},
                       {"1": "abcd", "2": "wxyz"})  # fmt: skip
    pi = [1.0] * certain + [0.75] * (8 - certain)
    sample = take(frame, {0: 1, 1: 0, 2: 1, 4: 0, 5: 1, 6: 0}, pi)
    chances = random_steps(np.random.default_rng(seed), 8, 1)
    return replace(sample, strata=None if strata is None else np.array(strata)), chances


def influences(sample: JudgedSample, chances: np.ndarray) -> np.ndarray:
    """z of P@2 of the first run: 1/2 · (y − m) / 2 of its first two documents of each topic."""
    weight = np.zeros(8)
    weight[[0, 1, 4, 5]] = 0.5
    left = sample.steps[:, 0] - chances[sample.judged, 0]
    return weight[sample.judged] * left / 2


def test_the_variance_of_a_simple_sample_by_hand() -> None:
    """N² (1 − f) s² / n."""
    sample, chances = drawn_evenly()
    measure = find("P@2")
    parts = compute_parts(sample, chances, measure.compute(sample.frame, chances)[1], True)
    z = influences(sample, chances)
    assert (parts[:, 0] ** 2).sum() == pytest.approx(64 * (1 - 0.75) * z.var(ddof=1) / 6)


def test_the_variance_within_strata_by_hand() -> None:
    sample, chances = drawn_evenly([0, 0, 0, 0, 1, 1, 1, 1])
    measure = find("P@2")
    parts = compute_parts(sample, chances, measure.compute(sample.frame, chances)[1], True)
    z = influences(sample, chances)
    own = [16 * (1 - 0.75) * part.var(ddof=1) / 3 for part in (z[:3], z[3:])]
    assert (parts[:, 0] ** 2).sum() == pytest.approx(sum(own))


def test_ratios_pay_a_judged_pair_a_topic_for_raking() -> None:
    sample, chances = drawn_evenly()
    derivative = find("AP").compute(sample.frame, chances).derivative
    linear, ratio = (compute_parts(sample, chances, derivative, own) for own in (True, False))
    assert ratio == pytest.approx(linear * np.sqrt(6 / (6 - 2)))


def test_pairs_that_are_certain_add_nothing() -> None:
    sample, chances = drawn_evenly(certain=3)
    derivative = find("P@2").compute(sample.frame, chances).derivative
    parts = compute_parts(sample, chances, derivative, True)
    assert (parts[:3] == 0).all()
    assert (parts[3:] != 0).any()


@pytest.mark.parametrize(
    ("strata", "wanted"),
    [
        ("0011223344", "0011223344"),
        ("0112234455", "0001112233"),  # 0 joins the next, 3 is the last and joins the one before
        ("0123456789", "0011223344"),
        ("0000012234", "0000001122"),
        ("0123336789", "0011112233"),
    ],
)
def test_strata_of_one_judged_pair_join_others_of_the_topic(strata: str, wanted: str) -> None:
    frame = make_frame({"a": {"1": "a", "2": "w"}}, {"1": "abcdef", "2": "wxyz"})
    sample = take(frame, dict.fromkeys(range(10), 1), [0.5] * 10)
    groups = group_strata(replace(sample, strata=np.array([int(own) for own in strata])))
    found = np.unique(groups, return_inverse=True)[1]
    assert "".join(map(str, found.tolist())) == wanted


def test_a_stratum_alone_in_its_topic_joins_the_next_topic() -> None:
    frame = make_frame({"a": {"1": "ab", "2": "xy"}}, {"1": "ab", "2": "xyz"})
    sample = replace(take(frame, {0: 1, 2: 0, 3: 1}, [0.5] * 5), strata=np.array([0, 0, 1, 1, 1]))
    assert set(group_strata(sample).tolist()) == {0}


@pytest.mark.parametrize("name", NAMES)
def test_tied_runs_have_the_same_estimate_and_no_error_between_them(name: str) -> None:
    frame = make_frame({tag: {"1": "abc", "2": "xy"} for tag in "rst"}, {"1": "abcd", "2": "xyz"})
    sample = take(frame, {0: 1, 1: 0, 3: 1, 4: 1, 6: 0}, [0.7] * 7)
    own = compute_estimates(sample, [], {name: find(name)}, 0).measures[name]
    assert np.ptp(own.means) < 1e-6
    assert (own.errors > 0).all()
    assert own.difference_errors == pytest.approx(np.zeros((3, 3)), abs=1e-6)
    assert draw_in(own.means, own.means, own.covariance) == pytest.approx(own.means, abs=1e-6)


@pytest.mark.parametrize("name", NAMES)
def test_one_run_over_one_topic_has_an_error(name: str) -> None:
    letters = "abcdefghijklmnopqrstuvwxyz"
    sample = take(one_topic(letters), {at: at % 3 // 2 for at in range(22)}, [22 / 26] * 26)
    drawn = compute_estimates(sample, [], {name: find(name)}, 0)
    (row,) = drawn.report.measures[0].runs
    assert 0 < drawn.measures[name].errors[0] < 0.5
    assert row.estimate.low is not None
    assert (row.over_topics.low, row.over_topics.why) == (None, "fewer than 5 topics")


def test_a_topic_without_anything_relevant_expected_counts_0() -> None:
    frame = make_frame({"a": {"1": "abc", "2": "xyz"}}, {"1": "abc", "2": "xyz"})
    sample = take(frame, {0: 1, 1: 0, 3: 0, 4: 0}, [0.6] * 6)
    chances = np.array([0.5] * 3 + [0.01] * 3)[:, None]
    own = estimate_measure(sample, chances, find("AP"))
    assert own.empty.tolist() == [False, True]
    assert own.topics[0, 1] == 0
    assert own.means[0] == own.topics[0, 0] / 2
    assert estimate_measure(sample, chances, find("P@2")).empty.tolist() == [False, False]


def test_the_centre_of_ndcg_is_between_both_rakings() -> None:
    """The allowance reaches either: hence the interval holds both."""
    rng = np.random.default_rng(8)
    frame = random_frame(rng)
    pairs = len(frame.topic_index)
    judged = {int(at): int(at) % 3 // 2 for at in np.flatnonzero(rng.random(pairs) < 0.5)}
    sample, chances = take(frame, judged, [0.5] * pairs), random_steps(rng, pairs, 1)
    measure = find("nDCG@5")
    own = estimate_measure(sample, chances, measure)
    full = estimate_measure(sample, chances, replace(measure, is_concave=False))
    assert abs(own.means - full.means) == pytest.approx(own.allowance)
    assert (own.allowance > 0).any()
    assert own.covariance == pytest.approx(full.covariance)


def test_intervals_are_cut_to_scores_and_differences_know_common_errors() -> None:
    covariance = np.array([[0.04, 0.03], [0.03, 0.04]])
    own = MeasureEstimate(
        np.array([[0.9], [1.1]]), np.array([0.9, 1.1]), covariance, np.array([0.1, 0.0]),
        np.zeros(1, bool), np.zeros(0),
    )  # fmt: skip
    assert own.errors == pytest.approx([0.05**0.5, 0.2])
    low, high = own.limits(1.96)
    assert high.tolist() == [1, 1]
    assert low == pytest.approx([0.9 - 1.96 * 0.05**0.5, 1.1 - 1.96 * 0.2])
    assert own.difference_errors[0, 1] == pytest.approx((0.08 - 0.06 + 0.01) ** 0.5)


def test_order_drawn_in_by_hand() -> None:
    drawn = draw_in(np.array([0, 2, 1, 3.0]), np.arange(4.0), 0.3 * np.eye(4))
    assert drawn == pytest.approx([0.1, 1.7, 1.3, 2.9])


def test_of_few_runs_differences_are_drawn_to_their_mean() -> None:
    """ρ = −.5, 0, .5 of θ − w, |ρ|² = .5, tr(PVP) = .2: λ = .6."""
    drawn = draw_in(np.array([0, 1, 2.0]), np.array([0.5, 1, 1.5]), 0.1 * np.eye(3))
    assert drawn == pytest.approx([0.2, 1, 1.8])
    assert draw_in(np.array([0.3]), np.array([0.9]), np.eye(1)).tolist() == [0.3]
