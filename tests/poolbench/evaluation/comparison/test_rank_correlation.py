"""Coefficients of rankings against published values, scipy and brute force."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from poolbench.evaluation.comparison.rank_correlation import (
    ALL_TIED,
    REFERENCE_TIES,
    TIES,
    TOO_FEW_RUNS,
    RankCorrelation,
    RankingExample,
    correlate_measures,
    score_levels,
)
from poolbench.evaluation.comparison.rank_drop import RankDrop, find_largest_drop
from poolbench.evaluation.comparison.registry import CORRELATIONS
from poolbench.statistics.estimate import Estimate
from tests.examples import examples

EXAMPLES = [(c, example) for c in CORRELATIONS.values() for example in c.examples]
PAIRS = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=2, max_size=8)
ORDERS = st.integers(2, 7).flatmap(lambda n: st.permutations(range(n)))

# The sets of the tests of Urbano's R package ircor: x, y, and both rounded to one digit.
IRCOR = [
    (
        (0.897, 0.372, 0.908, 0.898, 0.661, 0.062, 0.177, 0.384, 0.498, 0.992),
        (0.82, 0.406, 0.817, 0.953, 0.673, 0.073, 0.364, 0.547, 0.589, 0.988),
        {"tau-ap": 0.8519, "tau-ap-a": 0.7454, "tau-ap-b": 0.8333, "tied": 0.7321},
    ),
    (
        (0.266, 0.573, 0.202, 0.945, 0.629, 0.206, 0.687, 0.77, 0.718, 0.38),
        (0.263, 0.843, 0.728, 0.928, 0.08, 0.114, 0.467, 0.641, 0.973, 0.644),
        {"tau-ap": 0.2504, "tau-ap-a": 0.2692, "tau-ap-b": 0.2880, "tied": 0.297},
    ),
    (
        (0.185, 0.573, 0.944, 0.129, 0.468, 0.553, 0.761, 0.405, 0.976, 0.445),
        (0.845, 0.272, 0.275, 0.924, 0.605, 0.334, 0.162, 0.872, 0.018, 0.25),
        {"tau-ap": -0.6971, "tau-ap-a": -0.5558, "tau-ap-b": -0.668, "tied": -0.7047},
    ),
]


def value(name: str, first: object, second: object, persistence: float = 0.9) -> float | None:
    one, two = np.array(first, float), np.array(second, float)
    return CORRELATIONS[name].of_scores(one, two, persistence).value


@pytest.mark.parametrize(("correlation", "example"), EXAMPLES)
def test_examples_of_the_cards_hold(correlation: RankCorrelation, example: RankingExample) -> None:
    found = value(correlation.name, example.first, example.second)
    assert found == pytest.approx(example.value, abs=5e-7)


@pytest.mark.parametrize(("x", "y", "wanted"), IRCOR)
def test_ap_correlations_have_the_published_values(x, y, wanted):
    x_tied, y_tied = (tuple(round(score, 1) for score in side) for side in (x, y))
    assert value("tau-ap", x, y) == pytest.approx(wanted["tau-ap"], abs=5e-5)
    assert value("tau-ap-a", x, y_tied) == pytest.approx(wanted["tau-ap-a"], abs=5e-5)
    assert value("tau-ap-b", x, y) == pytest.approx(wanted["tau-ap-b"], abs=5e-5)
    assert value("tau-ap-b", x_tied, y_tied) == pytest.approx(wanted["tied"], abs=5e-5)


@examples(100)
@given(PAIRS)
def test_tau_b_and_rho_are_those_of_scipy(cells: list[tuple[int, int]]) -> None:
    first, second = zip(*cells, strict=True)
    if len(set(first)) == 1 or len(set(second)) == 1:
        assert value("tau-b", first, second) is None
        assert value("rho", first, second) is None
        return
    wanted = stats.kendalltau(first, second).statistic
    assert value("tau-b", first, second) == pytest.approx(wanted, abs=1e-12)
    ranks = stats.rankdata(first), stats.rankdata(second)
    assert value("rho", first, second) == pytest.approx(np.corrcoef(*ranks)[0, 1], abs=1e-9)


@examples(60)
@given(ORDERS)
def test_tau_ap_is_its_definition_and_without_ties_all_forms_agree(order: list[int]) -> None:
    n = len(order)
    reference = np.arange(n, 0, -1)
    scores = np.array(order, float)
    ranking = sorted(range(n), key=lambda run: -scores[run])
    parts = [
        sum(reference[above] > reference[ranking[i]] for above in ranking[:i]) / i
        for i in range(1, n)
    ]
    wanted = 2 / (n - 1) * sum(parts) - 1
    assert value("tau-ap", reference, scores) == pytest.approx(wanted)
    assert value("tau-ap-a", reference, scores) == pytest.approx(wanted)
    back = value("tau-ap", scores, reference) or 0
    assert value("tau-ap-b", reference, scores) == pytest.approx((wanted + back) / 2)


@examples(40)
@given(st.lists(st.integers(0, 3), min_size=2, max_size=6))
def test_tau_ap_a_is_the_mean_over_all_ways_to_break_ties(scores: list[int]) -> None:
    n = len(scores)
    reference = np.random.default_rng(n).permutation(n)
    orders = [
        order
        for order in itertools.permutations(range(n))
        if all(scores[a] >= scores[b] for a, b in itertools.pairwise(order))
    ]
    broken = [value("tau-ap", reference, -np.argsort(order)) or 0 for order in orders]
    assert value("tau-ap-a", reference, scores) == pytest.approx(np.mean(broken), abs=1e-12)


@pytest.mark.parametrize("name", CORRELATIONS)
@examples(60)
@given(order=ORDERS, data=st.data())
def test_coefficients_depend_on_ranks_alone(name, order, data):
    scores, other = np.arange(len(order), dtype=float), np.array(order, float)
    straight = value(name, scores, other)
    assert value(name, np.exp(scores), other * 0.001 - 5) == pytest.approx(straight)
    shuffled = data.draw(st.permutations(range(len(order))))
    assert value(name, scores[shuffled], other[shuffled]) == pytest.approx(straight)
    assert value(name, scores, scores) == pytest.approx(1)
    if not CORRELATIONS[name].directed:
        assert value(name, other, scores) == pytest.approx(straight)


@pytest.mark.parametrize("name", ["tau-b", "tau-ap", "tau-ap-a", "tau-ap-b", "rho"])
def test_a_ranking_turned_around_gives_minus_1(name: str) -> None:
    assert value(name, range(9), range(9, 0, -1)) == pytest.approx(-1)


@pytest.mark.parametrize("name", ["tau-ap", "tau-ap-b", "rbo-b", "rbo-a", "rbo-w"])
def test_a_swap_at_the_top_costs_more_than_one_at_the_bottom(name: str) -> None:
    order = [8, 7, 6, 5, 4, 3, 2, 1]
    top, bottom = [7, 8, 6, 5, 4, 3, 2, 1], [8, 7, 6, 5, 4, 3, 1, 2]
    assert (value(name, order, top) or 0) < (value(name, order, bottom) or 0) < 1
    assert value("tau-b", order, top) == value("tau-b", order, bottom)


@pytest.mark.parametrize(("name", "first", "second", "n", "reason"), [
    *((name, [0.5], [0.4], 1, TOO_FEW_RUNS) for name in CORRELATIONS),
    *((name, [1, np.nan, 2], [1, 2, np.nan], 1, TOO_FEW_RUNS) for name in CORRELATIONS),
    *((name, [1, 1, 1], [1, 2, 3], 3, ALL_TIED) for name in ("tau-b", "tau-ap-b", "rho")),
    ("tau-ap", [1, 2, 3], [1, 2, 2], 3, TIES),
    ("tau-ap-a", [1, 2, 2], [1, 2, 3], 3, REFERENCE_TIES),
])  # fmt: skip
def test_undefined_coefficients_are_null_with_a_reason(name, first, second, n, reason):
    found = CORRELATIONS[name].of_scores(np.array(first, float), np.array(second, float))
    assert found == Estimate(None, n, why=reason)


def test_scores_apart_by_noise_alone_are_tied() -> None:
    assert score_levels(np.array([0.1 + 0.2, 0.3, 0.30001, -1.0])).tolist() == [1, 1, 2, 0]


def test_every_two_measures_are_compared_once_or_in_both_directions() -> None:
    scores = {
        "map": np.array([0.4, 0.3, 0.2]),
        "P_10": np.array([0.5, 0.6, 0.1]),
        "bpref": np.array([0.4, 0.3, np.nan]),
    }
    found = correlate_measures(scores, CORRELATIONS["tau-b"])
    assert {names: (e.value, e.n) for names, e in found.items()} == {
        ("map", "P_10"): (pytest.approx(1 / 3), 3),
        ("map", "bpref"): (1.0, 2),
        ("P_10", "bpref"): (-1.0, 2),
    }
    assert len(correlate_measures(scores, CORRELATIONS["tau-ap"])) == 6


def test_the_largest_drop_is_the_run_that_falls_most() -> None:
    before = np.array([0.5, 0.4, 0.3, 0.2, 0.9, np.nan])
    after = np.array([0.5, 0.1, 0.45, 0.6, np.nan, 0.9])
    found = find_largest_drop("abcdef", before, after)
    assert found == RankDrop("b", 2, 4)
    assert found.places == 2
    assert find_largest_drop("abcdef", before, before) is None
    assert find_largest_drop((), np.empty(0), np.empty(0)) is None


def test_tied_runs_share_the_best_rank_and_the_higher_of_equal_drops_is_told() -> None:
    before = np.array([0.5, 0.5, 0.3, 0.1, np.nan])
    after = np.array([0.1, 0.5, 0.05, 0.6, 0.7])
    assert find_largest_drop("abcde", before, after) == RankDrop("a", 1, 3)
