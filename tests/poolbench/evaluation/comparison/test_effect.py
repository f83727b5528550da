"""Effect sizes and confidence intervals."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from poolbench.evaluation.comparison.effect import (
    FLAT,
    EffectSize,
    WinLossTie,
    count_wins_and_losses,
)
from poolbench.evaluation.comparison.interval import NO_INTERVAL, IntervalMethod
from poolbench.evaluation.comparison.paired_tests import TEN_QUERIES
from poolbench.evaluation.comparison.paired_values import SAME, TOO_FEW
from poolbench.evaluation.comparison.registry import EFFECTS, INTERVALS, TESTS
from poolbench.statistics.draws import Floats, ResamplingOptions
from poolbench.statistics.estimate import Estimate
from tests.examples import examples
from tests.poolbench.evaluation.comparison.test_paired import VALUES, drawn

FIRST, SECOND = map(np.array, TEN_QUERIES)


def effect(name: str, first: Floats, second: Floats) -> float | None:
    return EFFECTS[name].of_pair(np.array(first, float), np.array(second, float)).value


@pytest.mark.parametrize("chosen", EFFECTS.values(), ids=lambda chosen: chosen.name)
def test_examples_of_the_effect_cards_hold(chosen: EffectSize) -> None:
    assert chosen.of_pair(FIRST, SECOND).value == pytest.approx(chosen.expected, abs=5e-5)


@examples(60)
@given(VALUES)
def test_swapping_the_runs_turns_the_sign(values: tuple[Floats, Floats]) -> None:
    first, second = values
    for name in ("difference", "d_z", "g_z", "d_av", "cliff"):
        straight, turned = effect(name, first, second), effect(name, second, first)
        assert turned == (None if straight is None else pytest.approx(-straight, abs=1e-12))
    together = (effect("superiority", first, second) or 0) + (
        effect("superiority", second, first) or 0
    )
    assert together == pytest.approx(1)


def test_cliffs_delta_is_scipys_mann_whitney_statistic() -> None:
    first, second = (np.round(side, 1) for side in drawn(40))
    u = stats.mannwhitneyu(first, second, method="asymptotic").statistic
    assert effect("cliff", first, second) == pytest.approx(2 * u / 1600 - 1)


def test_d_z_is_t_over_the_root_of_n() -> None:
    first, second = drawn(30)
    t = TESTS["t"].of_pair(first, second, ResamplingOptions()).statistic or 0
    assert effect("d_z", first, second) == pytest.approx(t / np.sqrt(30))


def test_hedges_correction_is_near_its_usual_approximation() -> None:
    first, second = drawn(25)
    plain, corrected = effect("d_z", first, second), effect("g_z", first, second)
    assert (corrected or 0) / (plain or 1) == pytest.approx(1 - 3 / (4 * 24 - 1), abs=1e-4)


def test_wins_losses_and_ties_are_counted_on_common_topics() -> None:
    first = np.array([0.1, 0.2, 0.3, np.nan, 0.5])
    second = np.array([0.0, 0.2, 0.4, 0.1, np.nan])
    assert count_wins_and_losses(first, second) == WinLossTie(wins=1, losses=1, ties=1)
    assert EFFECTS["superiority"].of_pair(first, second) == Estimate(0.5, 3)


@pytest.mark.parametrize(("name", "first", "second", "reason"), [
    *((name, [0.5], [0.4], TOO_FEW) for name in EFFECTS),
    ("d_z", [0.5, 0.6, 0.7], [0.4, 0.5, 0.6], SAME),
    ("g_z", [0.5, 0.6, 0.7], [0.4, 0.5, 0.6], SAME),
    ("g_z", [0.5, 0.8], [0.4, 0.5], "the bias correction needs at least three topics"),
    ("d_av", [0.5, 0.5], [0.4, 0.4], FLAT), ("glass", [0.5, 0.7], [0.4, 0.4], FLAT),
])  # fmt: skip
def test_undefined_effects_are_null_with_a_reason(name, first, second, reason):
    found = EFFECTS[name].of_pair(np.array(first), np.array(second))
    assert found == Estimate(None, len(first), why=reason)


@pytest.mark.parametrize("name", EFFECTS)
def test_equal_runs_have_no_effect(name: str) -> None:
    wanted = 0.5 if name == "superiority" else 0.0
    assert effect(name, FIRST, FIRST) == wanted


@pytest.mark.parametrize("method", INTERVALS.values(), ids=lambda method: method.name)
def test_examples_of_the_interval_cards_hold(method: IntervalMethod) -> None:
    found = method.of_mean(FIRST - SECOND)
    assert (found.low, found.high) == pytest.approx(method.expected, abs=5e-4)


def test_students_interval_is_that_of_scipy() -> None:
    first, second = drawn(30)
    wanted = stats.ttest_rel(first, second).confidence_interval(0.9)
    found = INTERVALS["t"].of_mean(first - second, 0.9)
    assert (found.low, found.high) == pytest.approx((wanted.low, wanted.high))


@pytest.mark.parametrize(("name", "theirs"), [("percentile", "percentile"), ("bca", "BCa")])
@pytest.mark.parametrize("topics", [5, 50, 800])
def test_bootstrap_intervals_are_those_of_scipy_on_the_same_draws(name, theirs, topics):
    values = np.random.default_rng(7).gamma(0.5, 1, topics)
    wanted = stats.bootstrap(
        (values,),
        np.mean,
        n_resamples=3000,
        method=theirs,
        confidence_level=0.9,
        rng=np.random.default_rng(11),
    ).confidence_interval
    found = INTERVALS[name].of_mean(values, 0.9, ResamplingOptions(11, 3000))
    assert (found.low, found.high) == pytest.approx((wanted.low, wanted.high), rel=1e-9)


@pytest.mark.parametrize("method", INTERVALS.values(), ids=lambda method: method.name)
def test_columns_are_handled_alone_with_their_own_topics(method: IntervalMethod) -> None:
    values = np.random.default_rng(0).normal(0.4, 0.1, (30, 5))
    values[3, 1] = values[4, 1] = values[3, 4] = np.nan
    values[1:, 2] = np.nan
    found = method.of_columns(values, 0.95, ResamplingOptions(0, 500))
    for column, interval in enumerate(found):
        alone = values[:, column][~np.isnan(values[:, column])]
        wanted = method.of_mean(alone, 0.95, ResamplingOptions(0, 500))
        assert (interval.value, interval.n) == (wanted.value, wanted.n)
        assert interval.low == (None if column == 2 else pytest.approx(wanted.low, abs=1e-12))
    assert found[2] == Estimate(values[0, 2], 1, level=0.95, why=NO_INTERVAL)
    assert method.of_columns(np.full((3, 1), np.nan)) == [
        Estimate(None, 0, level=0.95, why=NO_INTERVAL)
    ]


@pytest.mark.parametrize("method", INTERVALS.values(), ids=lambda method: method.name)
@examples(30)
@given(
    values=st.lists(st.integers(0, 10), min_size=5, max_size=15),
    shift=st.sampled_from([-3.0, 0.5, 100.0]),
)
def test_intervals_hold_the_mean_and_move_with_the_values(method, values, shift):
    column = np.array(values, float)
    found, moved = (
        method.of_mean(v, 0.95, ResamplingOptions(0, 500)) for v in (column, column + shift)
    )
    low, high = found.low or 0, found.high or 0
    if method.name == "t" or len(values) >= 8:
        assert low - 1e-9 <= (found.value or 0) <= high + 1e-9
    assert (moved.low, moved.high) == pytest.approx((low + shift, high + shift), abs=1e-6)


@pytest.mark.parametrize("method", INTERVALS.values(), ids=lambda method: method.name)
def test_equal_values_give_an_interval_of_no_width(method: IntervalMethod) -> None:
    found = method.of_mean(np.full(6, 0.3))
    assert (found.low, found.high) == pytest.approx((0.3, 0.3))


@pytest.mark.parametrize("method", INTERVALS.values(), ids=lambda method: method.name)
@pytest.mark.parametrize(
    ("topics", "printed", "hint"), [(4, False, False), (5, True, True), (10, True, False)]
)
def test_intervals_need_five_topics_and_are_a_hint_below_ten(method, topics, printed, hint):
    found = method.of_mean(np.arange(float(topics)))
    assert found.value == (topics - 1) / 2
    assert (found.low is not None, found.is_hint) == (printed, hint)
    assert found.why == (None if printed else "fewer than 5 topics have a value")


@pytest.mark.parametrize("confidence", [0.0, 1.0, 95.0])
def test_a_confidence_is_between_0_and_1(confidence: float) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        INTERVALS["t"].of_mean(np.ones(3), confidence)
