"""Paired tests against published values, scipy and the properties they must have."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from poolbench.evaluation.comparison import resampling_tests
from poolbench.evaluation.comparison.paired_tests import (
    NO_DIFFERENCE,
    TEN_QUERIES,
    PairedOutcome,
    PairedTest,
    PairExample,
)
from poolbench.evaluation.comparison.paired_values import SAME, TOO_FEW, subtract_without_noise
from poolbench.evaluation.comparison.registry import TESTS
from poolbench.statistics.draws import Floats, ResamplingOptions
from tests.examples import examples

EXAMPLES = [(test, example) for test in TESTS.values() for example in test.examples]
EXACT_TESTS = [TESTS[name] for name in ("t", "wilcoxon", "sign", "randomisation")]
VALUES = st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), min_size=2, max_size=12).map(
    lambda cells: tuple(np.array(side, float) / 20 for side in zip(*cells, strict=True))
)


def outcome(
    name: str, first: Floats, second: Floats, sampling: ResamplingOptions | None = None
) -> PairedOutcome:
    return TESTS[name].of_pair(np.array(first), np.array(second), sampling or ResamplingOptions())


def drawn(topics: int, seed: int = 1, gap: float = 0.05) -> tuple[Floats, Floats]:
    """Two runs like real ones: hard and easy topics, the first run better by ``gap``."""
    generator = np.random.default_rng(seed)
    hard = generator.beta(1, 2, topics)
    first, second = hard + generator.normal(0, 0.1, (2, topics))
    return first + gap, second


@pytest.mark.parametrize(("test", "example"), EXAMPLES)
def test_examples_of_the_cards_hold(test: PairedTest, example: PairExample) -> None:
    found = test.of_pair(np.array(example.first), np.array(example.second), ResamplingOptions())
    assert found.statistic == pytest.approx(example.statistic, abs=0.005)
    assert found.p_value == pytest.approx(example.p_value, abs=0.0005)


def test_the_ten_queries_have_the_published_values() -> None:
    first, second = map(np.array, TEN_QUERIES)
    assert (first - second).mean() == pytest.approx(21.4)
    assert round(float((first - second).std(ddof=1)), 1) == 29.1
    found = outcome("t", first, second)
    assert round(found.statistic or 0, 2) == 2.33
    assert round((found.p_value or 0) / 2, 2) == 0.02
    assert outcome("wilcoxon", first, second).statistic == 35.0
    assert outcome("sign", first, second).statistic == 7.0


@examples(80)
@given(VALUES)
def test_t_is_that_of_scipy(values: tuple[Floats, Floats]) -> None:
    first, second = values
    found = outcome("t", first, second)
    apart = np.round(first - second, 9)
    if np.ptp(apart) == 0:
        assert found.p_value == (None if apart.any() else 1.0)
        return
    wanted = stats.ttest_rel(first, second)
    assert found.statistic == pytest.approx(wanted.statistic, rel=1e-9)
    assert found.p_value == pytest.approx(wanted.pvalue, rel=1e-9)


@examples(80)
@given(VALUES)
def test_wilcoxon_is_that_of_scipy(values: tuple[Floats, Floats]) -> None:
    found = outcome("wilcoxon", *values)
    apart = np.round(values[0] * 20) - np.round(values[1] * 20)
    moved = apart[apart != 0]
    if not len(moved):
        assert found == PairedOutcome(0.0, 1.0, len(apart), NO_DIFFERENCE)
        return
    method = "exact" if len(np.unique(np.abs(moved))) == len(moved) else "approx"
    wanted = stats.wilcoxon(moved, method=method, correction=False)
    total = len(moved) * (len(moved) + 1) / 2
    assert (total - abs(found.statistic or 0)) / 2 == pytest.approx(wanted.statistic)
    assert found.p_value == pytest.approx(wanted.pvalue, abs=1e-12)


@pytest.mark.parametrize("topics", [3, 20, 50, 51, 200])
def test_wilcoxon_without_ties_is_that_of_scipy(topics: int) -> None:
    first, second = drawn(topics)
    found = outcome("wilcoxon", first, second)
    method = "exact" if topics <= 50 else "approx"
    wanted = stats.wilcoxon(first, second, method=method, correction=False).pvalue
    assert found.p_value == pytest.approx(wanted, rel=1e-9)
    assert found.note == ("exact" if topics <= 50 else "normal, corrected for ties")


@examples(80)
@given(VALUES)
def test_sign_is_scipys_binomial_test(values: tuple[Floats, Floats]) -> None:
    found = outcome("sign", *values)
    wins, losses = int((values[0] > values[1]).sum()), int((values[0] < values[1]).sum())
    if wins + losses == 0:
        assert (found.statistic, found.p_value, found.note) == (0.0, 1.0, NO_DIFFERENCE)
        return
    assert found.statistic == wins
    wanted = stats.binomtest(wins, wins + losses).pvalue
    assert found.p_value == pytest.approx(wanted, rel=1e-9)


@examples(40)
@given(VALUES)
def test_randomisation_of_few_topics_is_scipys_permutation_test(values):
    found = outcome("randomisation", *values)
    apart = np.round(values[0] * 20) - np.round(values[1] * 20)
    signs = np.array(list(itertools.product((1, -1), repeat=len(apart))))
    wanted = np.mean(np.abs(signs @ apart) >= abs(apart.sum()))
    assert found.p_value == pytest.approx(wanted, abs=1e-12)


def test_randomisation_is_scipys_permutation_test() -> None:
    first, second = drawn(9)
    wanted = stats.permutation_test(
        (first, second),
        lambda x, y, axis: np.mean(x - y, axis=axis),
        permutation_type="samples",
        n_resamples=np.inf,
    )
    found = outcome("randomisation", first, second)
    assert found.statistic == pytest.approx(wanted.statistic)
    assert found.p_value == pytest.approx(wanted.pvalue, abs=1e-12)


def test_randomisation_by_chance_is_near_the_exact_one(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = drawn(14, gap=0.03)
    exact = outcome("randomisation", first, second).p_value or 0
    monkeypatch.setattr(resampling_tests, "EXACT", 0)
    found = outcome("randomisation", first, second, ResamplingOptions(3, 40_000))
    error = np.sqrt(exact * (1 - exact) / 40_000)
    assert abs((found.p_value or 0) - exact) < 3 * error
    assert found.note == "40000 random assignments of signs, seed 3"


def test_bootstrap_is_near_all_resamples_of_four_topics() -> None:
    apart = np.array([0.5, 0.3, -0.1, 0.4])
    shifted = apart - apart.mean()
    t = np.mean(apart) / (np.std(apart, ddof=1) / 2)
    reached = 0
    for places in itertools.product(range(4), repeat=4):
        sample = shifted[list(places)]
        alike = len(set(places)) == 1
        spread = 0.0 if alike else np.std(sample, ddof=1) / 2
        reached += alike or abs(sample.mean()) >= t * spread * (1 - 1e-9)
    exact = reached / 4**4
    found = outcome("bootstrap", apart, np.zeros(4), ResamplingOptions(5, 40_000))
    assert found.statistic == pytest.approx(t)
    assert abs((found.p_value or 0) - exact) < 3 * np.sqrt(exact * (1 - exact) / 40_000)


@pytest.mark.parametrize("name", ["randomisation", "bootstrap"])
def test_tests_by_resampling_agree_with_t_on_ordinary_runs(name: str) -> None:
    first, second = drawn(50, seed=3, gap=0.02)
    wanted = outcome("t", first, second).p_value or 0
    assert 0.005 < wanted < 0.5
    found = outcome(name, first, second, ResamplingOptions(0, 20_000)).p_value
    assert found == pytest.approx(wanted, abs=0.02)


@pytest.mark.parametrize("name", TESTS)
def test_no_difference_gives_p_1_with_a_note(name: str) -> None:
    values = np.array([0.1, 0.2, 0.3])
    assert outcome(name, values, values) == PairedOutcome(0.0, 1.0, 3, NO_DIFFERENCE)


@pytest.mark.parametrize("name", TESTS)
@pytest.mark.parametrize("values", [[], [0.5]])
def test_fewer_than_two_topics_are_undefined(name: str, values: list[float]) -> None:
    found = outcome(name, np.array(values, float), np.zeros(len(values)))
    assert found == PairedOutcome(None, None, len(values), reason=TOO_FEW)


@pytest.mark.parametrize("name", ["t", "bootstrap"])
def test_one_and_the_same_difference_is_undefined_where_spread_is_needed(name: str) -> None:
    second = np.array([0.1, 0.2, 0.3, 0.7])
    found = outcome(name, second + 0.1, second)
    assert found == PairedOutcome(None, None, 4, reason=SAME)
    assert outcome("sign", second + 0.1, second).p_value == pytest.approx(2 / 16)


@pytest.mark.parametrize("name", TESTS)
def test_topics_undefined_in_one_run_are_left_out(name: str) -> None:
    first, second = drawn(12)
    holed, other = first.copy(), second.copy()
    holed[3], other[7] = np.nan, np.nan
    kept = np.delete(np.arange(12), [3, 7])
    assert outcome(name, holed, other) == outcome(name, first[kept], second[kept])


def test_runs_with_other_topics_are_refused() -> None:
    with pytest.raises(ValueError, match="same list of topics"):
        outcome("t", np.zeros(3), np.zeros(4))


def test_floating_point_noise_makes_no_difference_and_breaks_no_tie() -> None:
    first, second = np.array([0.3, 0.1 + 0.2, 0.2]), np.array([0.1, 0.3, 0.4])
    assert subtract_without_noise(first, second).tolist()[1] == 0.0
    found = outcome("wilcoxon", first, second)
    assert found.statistic == 0.0
    assert found.note == "normal, corrected for ties; zero differences left out: 1"


@pytest.mark.parametrize("test", EXACT_TESTS, ids=lambda test: test.name)
@examples(40)
@given(values=VALUES, data=st.data())
def test_exact_tests_do_not_depend_on_the_order_of_topics(test, values, data):
    order = data.draw(st.permutations(range(len(values[0]))))
    straight = test.of_pair(*values, ResamplingOptions())
    turned = test.of_pair(*(side[order] for side in values), ResamplingOptions())
    assert turned.p_value == pytest.approx(straight.p_value, abs=1e-12)
    assert turned.statistic == pytest.approx(straight.statistic, abs=1e-9)


@pytest.mark.parametrize("test", TESTS.values(), ids=lambda test: test.name)
@examples(40)
@given(values=VALUES, scale=st.sampled_from([1e-6, 0.3, 7.0, 1e6]))
def test_swapping_the_runs_or_the_unit_keeps_p(test, values, scale):
    few = ResamplingOptions(0, 200)
    first, second = values
    wanted = test.of_pair(first, second, few).p_value
    assert test.of_pair(second, first, few).p_value == pytest.approx(wanted, abs=1e-12)
    assert test.of_pair(first * scale, second * scale, few).p_value == pytest.approx(
        wanted, abs=1e-12
    )


@pytest.mark.parametrize("name", TESTS)
def test_p_lies_between_the_least_possible_and_1(name: str) -> None:
    sampling = ResamplingOptions(0, 1000)
    for topics, gap in ((2, 0.0), (5, 0.5), (12, 5.0), (30, 50.0)):
        p_value = outcome(name, *drawn(topics, gap=gap), sampling).p_value or 0
        assert TESTS[name].smallest(topics, sampling) <= p_value <= 1


@pytest.mark.parametrize("name", ["sign", "wilcoxon", "randomisation", "bootstrap"])
def test_the_least_possible_p_is_reached(name: str) -> None:
    sampling = ResamplingOptions(0, 1000)
    topics = 40 if name == "bootstrap" else 12
    found = outcome(name, *drawn(topics, gap=5.0), sampling).p_value
    assert found == pytest.approx(TESTS[name].smallest(topics, sampling))


@pytest.mark.parametrize("name", ["randomisation", "bootstrap"])
def test_the_same_seed_gives_the_same_p_and_another_one_another(name: str) -> None:
    first, second = drawn(30, gap=0.03)
    told = [outcome(name, first, second, ResamplingOptions(seed)).p_value for seed in (0, 0, 1)]
    assert told[0] == told[1]
    assert told[0] != told[2]


@pytest.mark.parametrize("name", TESTS)
def test_a_pair_among_others_has_the_outcome_of_the_pair_alone(name: str) -> None:
    generator = np.random.default_rng(0)
    apart = generator.normal(0.02, 0.1, (700, 40))
    apart[5] = 0.0
    apart[6] = 0.25
    together = TESTS[name].of_differences(apart, ResamplingOptions(0, 500))
    for row in (0, 5, 6, 512, 699):
        alone = TESTS[name].of_differences(apart[row : row + 1], ResamplingOptions(0, 500))[0]
        assert together[row].p_value == alone.p_value
        assert together[row].reason == alone.reason
