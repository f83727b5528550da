"""Bradley–Terry strengths by hand and against a logistic regression; cycles and circular triads."""

import math
from itertools import combinations

import numpy as np
import pytest
import statsmodels.api as sm

from poolbench.preferences.preference_pairs import PairMatrix, PreferenceRecord, build_pair_matrix
from poolbench.preferences.strengths import (
    BradleyTerryResult,
    count_circular_triads,
    examine_cycles,
    fit_bradley_terry,
)


def matrix_of(*rows: tuple[str, str, int] | tuple[str, str, int, bool]) -> PairMatrix:
    return build_pair_matrix([PreferenceRecord("1", *row) for row in rows])


def strengths(result: BradleyTerryResult) -> dict[str, float]:
    return {item.item: item.strength.value or 0.0 for item in result.items}


def test_the_example_of_the_card_holds() -> None:
    result = fit_bradley_terry(matrix_of(("a", "b", 3), ("b", "a", 1)))
    assert strengths(result) == pytest.approx({"a": math.log(3) / 2, "b": -math.log(3) / 2})
    best = result.items[0]
    assert (best.item, best.rank, best.wins, best.losses, best.ties) == ("a", 1, 3, 1, 0)
    half = 1.959964 * math.sqrt(1 / 3)
    assert best.strength.low == pytest.approx(math.log(3) / 2 - half, abs=1e-5)
    assert best.strength.n == 4


def test_a_tie_is_half_a_win_for_both() -> None:
    tied = fit_bradley_terry(matrix_of(("a", "b", 2), ("a", "b", 2, True)))
    halves = fit_bradley_terry(matrix_of(("a", "b", 3), ("b", "a", 1)))
    assert strengths(tied) == pytest.approx(strengths(halves))
    assert (tied.items[0].wins, tied.items[0].ties) == (2, 2)


def test_three_items_in_a_circle_are_equal() -> None:
    result = fit_bradley_terry(matrix_of(("a", "b", 5), ("b", "c", 5), ("c", "a", 5)))
    assert strengths(result) == pytest.approx({"a": 0, "b": 0, "c": 0}, abs=1e-9)
    assert [item.rank for item in result.items] == [1, 1, 1]


def random_matrix(seed: int, n: int = 8) -> PairMatrix:
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=n)
    records = []
    for i in range(n):
        for j in range(i):
            times = int(rng.integers(1, 9))
            won = int(rng.binomial(times, 1 / (1 + math.exp(truth[j] - truth[i]))))
            for better, worse, count in ((i, j, won), (j, i, times - won)):
                if count:
                    records.append(PreferenceRecord("1", f"d{better}", f"d{worse}", count))
    return build_pair_matrix(records)


@pytest.mark.parametrize("seed", range(5))
def test_strengths_and_errors_are_those_of_a_logistic_regression(seed: int) -> None:
    matrix = random_matrix(seed)
    result = fit_bradley_terry(matrix)
    assert result.is_defined
    assert result.converged
    n = len(matrix.items)
    pairs = [(i, j) for i in range(n) for j in range(i)]
    design = np.zeros((len(pairs), n))
    for row, (i, j) in enumerate(pairs):
        design[row, i], design[row, j] = 1, -1
    counts = np.array([(matrix.wins[i, j], matrix.wins[j, i]) for i, j in pairs])
    fitted = sm.GLM(counts, design[:, 1:], family=sm.families.Binomial()).fit(tol=1e-12)
    values = np.concatenate([[0], fitted.params])
    centre = np.eye(n) - 1 / n
    covariance = np.zeros((n, n))
    covariance[1:, 1:] = fitted.cov_params()
    errors = np.sqrt(np.diag(centre @ covariance @ centre))
    by_item = {item.item: item.strength for item in result.items}
    for at, name in enumerate(matrix.items):
        estimate = by_item[name]
        assert estimate.value == pytest.approx(values[at] - values.mean(), abs=1e-6)
        assert estimate.low is not None
        assert estimate.value - estimate.low == pytest.approx(1.959964 * errors[at], rel=1e-5)


def test_groups_that_are_not_connected_are_listed_from_the_top() -> None:
    rows = [("c", "d", 1), ("d", "c", 1), ("a", "b", 2), ("b", "a", 1), ("a", "c", 1)]
    result = fit_bradley_terry(matrix_of(*rows))
    assert not result.is_defined
    assert result.groups == (("a", "b"), ("c", "d"))
    assert result.items[0].strength.why == "the comparisons are not strongly connected: 2 groups"
    assert [item.item for item in result.items] == ["a", "b", "c", "d"]


def test_a_prior_defines_and_shrinks_all_strengths() -> None:
    matrix = matrix_of(("a", "b", 4))
    assert not fit_bradley_terry(matrix).is_defined
    weak, strong = (strengths(fit_bradley_terry(matrix, prior)) for prior in (0.5, 5.0))
    assert weak["a"] > strong["a"] > 0
    # By hand: 0 = W - 4 p + prior (1 - 2 q) with q = 1/(1+exp(-s)), p = 1/(1+exp(-2 s)).
    s = weak["a"]
    p, q = 1 / (1 + math.exp(-2 * s)), 1 / (1 + math.exp(-s))
    assert 4 - 4 * p + 0.5 * (1 - 2 * q) == pytest.approx(0, abs=1e-8)
    with pytest.raises(ValueError, match="must not be negative"):
        fit_bradley_terry(matrix, -1)


def test_too_many_documents_are_refused() -> None:
    records = [PreferenceRecord("1", f"d{at}", "x") for at in range(1001)]
    with pytest.raises(ValueError, match="1,002 documents in a topic"):
        build_pair_matrix(records)


def each_beats(*rows: str) -> list[tuple[str, str, int]]:
    """The first of each word is preferred to the second."""
    return [(better, worse, 1) for better, worse in rows]


@pytest.mark.parametrize(("rows", "circular", "triads", "zeta", "cycles"), [
    # The example of the card.
    (each_beats("ab", "bc", "ca", "ad", "bd", "cd"), 1, 4, 0.5, ["abc"]),
    # An order.
    ([(a, b, 1) for a, b in combinations("abcde", 2)], 0, 10, 1, []),
    # Undecided pairs leave zeta undefined.
    (each_beats("ab", "ba", "bc", "ca"), 0, 0, None, []),
    # The shortest cycle comes first.
    (each_beats("ab", "bc", "cd", "da", "xy", "yz", "zx"), 1, 1, None, ["xyz", "abcd"]),
])  # fmt: skip
def test_cycles_by_hand(rows, circular, triads, zeta, cycles) -> None:
    report = examine_cycles(matrix_of(*rows))
    assert (report.circular, report.triads, report.zeta) == (circular, triads, zeta)
    assert report.cycles == tuple(map(tuple, cycles))


def test_the_most_circular_majorities_have_zeta_zero() -> None:
    """Five items, each preferred to the next two: the maximum of (n³ − n) / 24 = 5 triads."""
    rows = [("abcde"[at], "abcde"[(at + step) % 5], 1) for at in range(5) for step in (1, 2)]
    report = examine_cycles(matrix_of(*rows))
    assert (report.circular, report.triads, report.zeta) == (5, 10, 0)


@pytest.mark.parametrize("seed", range(5))
def test_triads_are_those_counted_one_by_one(seed: int) -> None:
    rng = np.random.default_rng(seed)
    draws = rng.integers(0, 3, (7, 7))
    ahead = np.triu(draws == 1, 1) | np.triu(draws == 2, 1).T
    circular = triads = 0
    for a, b, c in combinations(range(7), 3):
        pairs = ((a, b), (b, c), (a, c))
        if all(ahead[i, j] or ahead[j, i] for i, j in pairs):
            triads += 1
            circular += (ahead[a, b], ahead[b, c], ahead[c, a]) in {(1, 1, 1), (0, 0, 0)}
    assert count_circular_triads(ahead) == (circular, triads)
