"""Tukey's HSD against scipy, statsmodels and the counting out of all shuffles."""

import itertools

import numpy as np
import pytest
from scipy import stats
from statsmodels.regression.linear_model import OLS

from poolbench.evaluation.comparison.family import (
    NO_RESIDUAL,
    TOO_SMALL,
    FamilyExample,
    FamilyTest,
    critical_range,
    residual_variance,
    shuffled_ranges,
)
from poolbench.evaluation.comparison.registry import FAMILY_TESTS, TESTS
from poolbench.evaluation.comparison.studentized_range import (
    studentized_range_isf,
    studentized_range_sf,
)
from poolbench.statistics.draws import Floats, ResamplingOptions
from tests.examples import take

TUKEY, RANDOMISED = FAMILY_TESTS["tukey-hsd"], FAMILY_TESTS["randomised-tukey-hsd"]
EXAMPLES = [(test, example) for test in FAMILY_TESTS.values() for example in test.examples]
SMALL = np.array(EXAMPLES[0][1].values)


def campaign(runs: int, topics: int, seed: int = 2) -> Floats:
    generator = np.random.default_rng(seed)
    values = generator.beta(1, 2, topics) + generator.normal(0, 0.1, (runs, topics))
    shifted: Floats = values + generator.normal(0, 0.05, (runs, 1))
    return shifted


@pytest.mark.parametrize(("test", "example"), EXAMPLES)
def test_examples_of_the_cards_hold(test: FamilyTest, example: FamilyExample) -> None:
    found = test.of_runs(np.array(example.values), 0.05, ResamplingOptions())
    assert found.p_value.tolist() == pytest.approx(list(example.p_values), abs=5e-5)


def test_the_small_campaign_by_hand() -> None:
    assert residual_variance(SMALL) == pytest.approx(1 / 3)
    found = TUKEY.of_runs(SMALL, 0.05, ResamplingOptions())
    assert found.differences.tolist() == [1.0, 3.0, 2.0]
    assert found.statistic == pytest.approx(np.array([1.0, 3.0, 2.0]) / np.sqrt(1 / 12))
    wanted = stats.studentized_range.ppf(0.95, 3, 6) * np.sqrt(1 / 12)
    assert found.critical == pytest.approx(wanted, abs=1e-7)
    assert found.n == 4


@pytest.mark.parametrize(("runs", "topics"), [(2, 5), (4, 10), (9, 30)])
def test_the_residual_variance_is_that_of_statsmodels(runs: int, topics: int) -> None:
    values = campaign(runs, topics)
    run, topic = (place.ravel() for place in np.indices(values.shape))
    design = np.column_stack([np.eye(runs)[run], np.eye(topics)[topic][:, 1:]])
    wanted = OLS(values.ravel(), design).fit().mse_resid
    assert residual_variance(values) == pytest.approx(wanted)


@pytest.mark.parametrize(("runs", "topics"), [(3, 4), (10, 25)])
def test_tukeys_p_is_the_studentised_range_of_scipy(runs: int, topics: int) -> None:
    values = campaign(runs, topics)
    found = TUKEY.of_runs(values, 0.05, ResamplingOptions())
    df = (runs - 1) * (topics - 1)
    wanted = stats.studentized_range.sf(take(found.statistic, 3), runs, df)
    assert take(found.p_value, 3) == pytest.approx(wanted, abs=1e-8)


@pytest.mark.parametrize(
    ("groups", "df"),
    take([(2, 1), (2, 9), (3, 2), (5, 4), (20, 19), (129, 128 * 49), (400, 399 * 29)], 2),
)
def test_the_studentised_range_is_that_of_scipy(groups: int, df: int) -> None:
    q = np.array(take([0.0, 0.01, 0.3, 1, 2, 3, 4, 5, 6, 8, 12, 30], 4, groups))
    wanted = stats.studentized_range.sf(q, groups, df)
    assert studentized_range_sf(q, groups, df) == pytest.approx(wanted, abs=1e-8)
    if df > 1:
        above = stats.studentized_range.sf(studentized_range_isf(0.05, groups, df), groups, df)
        assert above == pytest.approx(0.05, abs=1e-8)


def test_tukeys_hsd_of_two_runs_is_the_paired_t_test() -> None:
    values = campaign(2, 20)
    found = TUKEY.of_runs(values, 0.05, ResamplingOptions())
    wanted = TESTS["t"].of_pair(values[0], values[1], ResamplingOptions())
    assert found.p_value[0] == pytest.approx(wanted.p_value, abs=1e-9)
    assert found.statistic[0] == pytest.approx(np.sqrt(2) * abs(wanted.statistic or 0))


def test_tukeys_hsd_ignores_how_hard_topics_are() -> None:
    values = campaign(6, 15)
    shifted = values + np.random.default_rng(0).normal(0, 10, 15)
    straight, moved = (TUKEY.of_runs(v, 0.05, ResamplingOptions()) for v in (values, shifted))
    assert moved.p_value == pytest.approx(straight.p_value, abs=1e-9)


def test_randomised_tukey_is_near_the_share_of_all_shuffles() -> None:
    orders = list(itertools.permutations(range(3)))
    columns = [[SMALL[list(order), topic] for order in orders] for topic in range(4)]
    ranges = np.array([np.ptp(sum(dealt)) / 4 for dealt in itertools.product(*columns)])
    assert len(ranges) == 1296
    wanted = [float(np.mean(ranges >= apart - 1e-9)) for apart in (1, 3, 2)]
    assert wanted == pytest.approx([972 / 1296, 12 / 1296, 312 / 1296])
    found = RANDOMISED.of_runs(SMALL, 0.05, ResamplingOptions(0, 40_000))
    errors = [3 * np.sqrt(p * (1 - p) / 40_000) for p in wanted]
    assert (np.abs(found.p_value - wanted) < errors).all()


def test_shuffles_stay_within_topics() -> None:
    values = np.array([[0.0, 100.0, 200.0], [1.0, 100.0, 200.0]])
    assert set(shuffled_ranges(values, ResamplingOptions(0, 200)).round(9)) == {round(1 / 3, 9)}


@pytest.mark.parametrize("alpha", [0.01, 0.05, 0.3])
def test_beyond_the_critical_difference_pairs_are_different_and_no_others(alpha: float) -> None:
    for test in FAMILY_TESTS.values():
        found = test.of_runs(2 * campaign(12, 40, seed=5), alpha, ResamplingOptions(0, 999))
        beyond = np.abs(found.differences) > (found.critical or 0)
        assert beyond.tolist() == (found.p_value <= alpha).tolist()
        assert 0 < beyond.sum() < len(beyond)


def test_a_critical_range_needs_enough_shuffles() -> None:
    ranges = np.arange(1.0, 101.0)
    assert critical_range(ranges, 0.005) is None
    assert critical_range(ranges, 1 / 101) == 100.0
    assert critical_range(ranges, 0.05) == 96.0


@pytest.mark.parametrize("test", FAMILY_TESTS.values(), ids=lambda test: test.name)
def test_topics_that_a_run_lacks_are_left_out_for_all(test: FamilyTest) -> None:
    values = campaign(4, 12)
    holed = values.copy()
    holed[1, 3], holed[2, 7] = np.nan, np.nan
    found = test.of_runs(holed, 0.05, ResamplingOptions(0, 500))
    wanted = test.of_runs(np.delete(values, [3, 7], axis=1), 0.05, ResamplingOptions(0, 500))
    assert (found.n, found.critical) == (10, wanted.critical)
    assert found.p_value.tolist() == wanted.p_value.tolist()


@pytest.mark.parametrize("test", FAMILY_TESTS.values(), ids=lambda test: test.name)
@pytest.mark.parametrize(("runs", "topics", "pairs"), [(1, 5, 0), (3, 1, 3), (3, 0, 3)])
def test_too_few_runs_or_topics_are_undefined(test, runs, topics, pairs):
    found = test.of_runs(np.ones((runs, topics)), 0.05, ResamplingOptions())
    assert (found.reason, found.critical, len(found.p_value)) == (TOO_SMALL, None, pairs)
    assert np.isnan(found.p_value).all()


def test_without_residual_tukeys_hsd_is_undefined_and_the_randomised_is_not() -> None:
    values = np.array([[0.1, 0.5, 0.3], [0.2, 0.6, 0.4], [0.3, 0.7, 0.5]])
    assert TUKEY.of_runs(values, 0.05, ResamplingOptions()).reason == NO_RESIDUAL
    assert RANDOMISED.of_runs(values, 0.05, ResamplingOptions()).reason is None
    same = RANDOMISED.of_runs(np.ones((3, 4)), 0.05, ResamplingOptions())
    assert same.p_value.tolist() == [1.0, 1.0, 1.0]


def test_the_same_seed_gives_the_same_p() -> None:
    values = campaign(5, 20)
    told = [
        RANDOMISED.of_runs(values, 0.05, ResamplingOptions(s)).p_value.tolist() for s in (0, 0, 1)
    ]
    assert told[0] == told[1]
    assert told[0] != told[2]
