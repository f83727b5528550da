"""Draws, the bootstrap, estimates and box plots: by hand, by slow twins, at the edges."""

from dataclasses import dataclass
from math import comb, nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from poolbench.statistics import draws
from poolbench.statistics.bootstrap import (
    ALL_ALIKE,
    UNSTEADY,
    bootstrap_values,
    central_shares,
    percentile_estimates,
    quantiles_by_row,
)
from poolbench.statistics.box_plot import BoxPlot, summarize_as_box
from poolbench.statistics.draws import (
    ResamplingOptions,
    all_signs,
    iter_slices,
    multinomial_counts,
    random_signs,
    resample_counts,
    shuffled_columns,
)
from poolbench.statistics.estimate import Estimate, estimates_to_dict, nan_to_none
from poolbench.statistics.least_topics import TOO_FEW_TOPICS, has_enough_topics

SAMPLING = ResamplingOptions(3, 250)


@pytest.mark.parametrize("n", [1, 2, 7, 40])
def test_units_are_drawn_one_by_one_from_the_one_stream(n: int) -> None:
    generator = np.random.default_rng(3)
    slow = [
        [list(row).count(unit) for unit in range(n)] for row in generator.integers(0, n, (250, n))
    ]
    assert np.concatenate([*resample_counts(n, SAMPLING)]).tolist() == slow


def test_the_first_draws_are_those_of_published_figures() -> None:
    (counts,) = resample_counts(5, ResamplingOptions(0, 100))
    assert counts[:3].tolist() == [[0, 2, 1, 1, 1], [4, 0, 0, 0, 1], [0, 0, 1, 2, 2]]
    counts = multinomial_counts(5, ResamplingOptions(20, 100))
    assert counts[:3].tolist() == [[0, 1, 2, 2, 0], [0, 1, 1, 0, 3], [1, 1, 1, 1, 1]]


@pytest.mark.parametrize("n", [1, 2, 7, 40])
def test_counts_are_those_of_a_multinomial_stream_of_the_number_of_units(n: int) -> None:
    slow = np.random.default_rng([3, n]).multinomial(n, np.full(n, 1 / n), size=250)
    counts = multinomial_counts(n, SAMPLING)
    assert np.array_equal(counts, slow)
    assert counts is multinomial_counts(n, SAMPLING)
    with pytest.raises(ValueError, match="read-only"):
        counts[0, 0] = 1


def test_no_units_have_no_counts() -> None:
    assert multinomial_counts(0, SAMPLING).shape == (250, 0)


def test_batches_do_not_change_the_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.random.default_rng(1).random((3, 6))

    def draw() -> list[list[list[float]]]:
        streams = (resample_counts(6, SAMPLING), random_signs(6, SAMPLING), all_signs(6))
        return [np.concatenate([*stream]).tolist() for stream in streams]

    whole, shuffled = draw(), np.concatenate([*shuffled_columns(values, SAMPLING)])
    monkeypatch.setattr(draws, "CELLS", 60)
    assert len([*resample_counts(6, SAMPLING)]) == 25
    assert draw() == whole
    assert np.array_equal(np.concatenate([*shuffled_columns(values, SAMPLING)]), shuffled)


def test_every_assignment_of_signs_occurs_once() -> None:
    (signs,) = all_signs(4)
    assert len({tuple(row) for row in signs.tolist()}) == 16
    positives = (signs > 0).sum(axis=1).tolist()
    assert [positives.count(k) for k in range(5)] == [comb(4, k) for k in range(5)]
    assert set(np.concatenate([*random_signs(4, SAMPLING)]).ravel().tolist()) == {1.0, -1.0}


def test_shuffles_stay_within_their_unit() -> None:
    values = np.arange(12.0).reshape(3, 4)
    for resample in np.concatenate([*shuffled_columns(values, SAMPLING)]):
        assert np.array_equal(np.sort(resample, axis=1), values.T)


@pytest.mark.parametrize(("seed", "resamples"), [(-1, 100), (0, 99)])
def test_options_that_mean_nothing_are_refused(seed: int, resamples: int) -> None:
    with pytest.raises(ValueError, match="must be"):
        ResamplingOptions(seed, resamples)


@pytest.mark.parametrize(("total", "sizes"), [(0, []), (1, [1]), (6, [3, 3]), (7, [3, 3, 1])])
def test_slices_cover_all(total: int, sizes: list[int]) -> None:
    places = np.arange(total)
    parts = [places[piece].tolist() for piece in iter_slices(total, 3)]
    assert [len(part) for part in parts] == sizes
    assert [place for part in parts for place in part] == places.tolist()


@pytest.mark.parametrize("size", [1, 2, 3, 10, 999])
def test_quantiles_are_those_of_numpy_to_the_last_bit(size: int) -> None:
    values = np.random.default_rng(size).normal(size=(20, size))
    shares = central_shares(0.95)
    assert np.array_equal(quantiles_by_row(values, shares), np.quantile(values, shares, axis=1).T)
    own = np.random.default_rng(0).random((20, 2))
    slow = [np.quantile(row, share) for row, share in zip(values, own, strict=True)]
    assert np.array_equal(quantiles_by_row(values, own), slow)
    below = quantiles_by_row(values, shares, from_below=True)
    assert below == pytest.approx(quantiles_by_row(values, shares), abs=1e-14)


def test_quantiles_by_hand_leave_nan_out() -> None:
    values = np.array([[4.0, nan, 0.0, 2.0], [nan] * 4, [7.0, nan, nan, nan]])
    for from_below in (False, True):
        quantiles = quantiles_by_row(values, (0.0, 0.25, 0.9, 1.0), from_below=from_below)
        wanted = [[0, 1, 3.6, 4], [nan] * 4, [7] * 4]
        assert quantiles.tolist() == pytest.approx(np.array(wanted), nan_ok=True)


def test_a_bootstrap_joins_the_values_of_all_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(draws, "CELLS", 60)
    rows = np.array([[1.0, 2.0, 3.0], [0.0, 0.0, 9.0]])
    means = bootstrap_values(lambda counts: rows @ counts.T / 3, resample_counts(3, SAMPLING))
    generator = np.random.default_rng(3)
    places = np.concatenate([generator.integers(0, 3, (size, 3)) for size in [20] * 12 + [10]])
    assert means.shape == (2, 250)
    assert means == pytest.approx(rows[:, places].mean(axis=2))
    single = bootstrap_values(lambda counts: counts @ rows[0], [multinomial_counts(3, SAMPLING)])
    assert single.shape == (250,)


def test_intervals_and_why_there_are_none() -> None:
    steady = np.arange(100.0)
    rare, alike, none = steady.copy(), np.full(100, 0.5), np.full(100, nan)
    rare[:6] = nan
    drawn = np.array([steady, steady, rare, alike, none])
    few, *rest = percentile_estimates([1.0] * 4 + [nan], drawn, np.array([4, 5, 5, 5, 0]))
    interval, unsteady, flat, missing = rest
    assert few == Estimate(1.0, 4, why=TOO_FEW_TOPICS)
    assert (interval.value, interval.n, interval.level, interval.why) == (1.0, 5, 0.95, None)
    assert (interval.low, interval.high) == pytest.approx((2.475, 96.525))
    assert unsteady == Estimate(1.0, 5, why=UNSTEADY.format(6, 100))
    assert flat == Estimate(1.0, 5, why=ALL_ALIKE)
    assert missing == Estimate(None, 0, why=TOO_FEW_TOPICS)


@pytest.mark.parametrize(("n", "enough", "hint"), [(0, False, False), (4, False, False),
                                                   (5, True, True), (10, True, False)])  # fmt: skip
def test_five_topics_have_an_interval_and_ten_a_firm_one(n: int, enough: bool, hint: bool) -> None:
    assert has_enough_topics(n) is enough
    assert Estimate(0.5, n, low=0.1 if enough else None).is_hint is hint


def test_undefined_is_none() -> None:
    assert (nan_to_none(nan), nan_to_none(float(np.nan))) == (None, None)
    assert isinstance(nan_to_none(np.float64(0.5)), float)


def test_files_have_other_names_for_the_parts_of_an_estimate() -> None:
    @dataclass
    class Ranking:
        tau: Estimate
        by_name: dict[str, Estimate]
        seeds: tuple[int, ...]

    undefined = {"value": None, "n": 1, "reason": "too few"}
    ranking = Ranking(Estimate(0.5, 3), {"rho": Estimate(None, 1, why="too few")}, (1, 2))
    tau = {"value": 0.5, "n": 3, "reason": None}
    assert estimates_to_dict(ranking) == {
        "tau": tau, "by_name": {"rho": undefined}, "seeds": (1, 2),
    }  # fmt: skip


def test_box_plots_by_hand():
    assert summarize_as_box([1, 2, 3, 4, 10]) == BoxPlot(1, 2, 3, 4, 4, (10,), 5)
    assert summarize_as_box([0.5]) == BoxPlot(0.5, 0.5, 0.5, 0.5, 0.5, (), 1)
    assert summarize_as_box([2, 2, 2, 5]) == BoxPlot(2, 2, 2, 2.75, 2, (5,), 4)


def test_a_box_plot_leaves_undefined_values_out():
    assert summarize_as_box([]) is None
    assert summarize_as_box([float("nan")]) is None
    assert summarize_as_box([float("nan"), 1, 2]) == summarize_as_box([1, 2])


@given(st.lists(st.floats(0, 1), min_size=1, max_size=40))
def test_whiskers_end_at_values_and_nothing_is_lost(values):
    box = summarize_as_box(values)
    assert box is not None
    quartiles = box.first_quartile, box.median, box.third_quartile
    assert quartiles == pytest.approx(np.percentile(values, [25, 50, 75]))
    within = [value for value in values if box.low <= value <= box.high]
    assert len(within) + len(box.outside) == len(values) == box.n
    assert {box.low, box.high} <= set(values)
