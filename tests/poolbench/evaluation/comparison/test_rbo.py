"""Rank-biased overlap against published values, limits and brute force."""

import itertools
import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from poolbench.evaluation.comparison.rbo import Ranking, Ties, rbo
from tests.examples import examples

# From the tests of the program that Corsi and Urbano published with their paper: two
# rankings, p, then ext, min and max for each of w, a and b.
PUBLISHED = """
(i5 i9 i13 i15 i16 i19 i20) (i3 i8)|i6 (i4 i18) i2 i7 i8 i17 i14 (i11 i12) i1|0.958074765324023\
|0.0816485573277354 0.0370062754797617 0.59493569657566\
|0.0808189832771587 0.0354671825076603 0.593396603603558\
|0.0813693619867344 0.0356267307324464 0.593556151828344
(i4 i7 i15) (i2 i11) i8 i18|i4 i8 i17 i11 (i2 i3 i5 i7 i9 i13 i14)|0.955836875418683\
|0.601671359995661 0.310498723372055 0.820912519608734\
|0.584235464666522 0.295503371358027 0.805839323150565\
|0.632087129618464 0.322093781902212 0.833840285843908
(i3 i6) (i2 i7) i10|(i3 i6 i7 i10) (i1 i2)|0.965413635276732\
|0.946064537517568 0.343706790399566 0.958770957517067\
|0.92051534467649 0.319428239558438 0.934492406675939\
|0.956844651806714 0.348953051936765 0.964017219054266
(i4 i14) i10 i9 i16 i1 (i11 i21) i7|(i4 i7 i9 i10 i14 i16) i21 (i1 i11) (i3 i6 i17 i18)\
|0.980350757903177\
|0.95731778452095 0.350742506261885 0.95731778452095\
|0.939619367902257 0.336112285552834 0.939619367902257\
|0.96333114711547 0.35963910728389 0.96333114711547
i2 i5 i3 (i1 i4)|i5 i8 i2 (i3 i9)|0.968922741966306\
|0.580287544332462 0.196704918554571 0.917454802645556\
|0.580994268838527 0.197411643060636 0.918161527151621\
|0.583518284931614 0.199935659153723 0.920685543244708
i3 (i1 i5 i7) i9|(i1 i9) i7 i3 i4|0.930093081332594\
|0.697096710334179 0.35176094170816 0.836304027811629\
|0.678580739450433 0.333244970824414 0.817788056927883\
|0.684614956129899 0.339279187503881 0.82382227360735
(i3 i6 i10 i14 i15)|i6 (i3 i7 i10 i14) i8 i15 (i1 i2 i4)|0.926466853612826\
|0.826094305041388 0.472435570943777 0.886946365077668\
|0.756260643055255 0.408427037876955 0.819119845432353\
|0.828615638235269 0.479991820201298 0.891823302442912
i21 i20 (i1 i16 i19) (i5 i10) i4\
|(i12 i17) (i2 i3 i8 i11) (i15 i18) (i6 i13) (i7 i14) i9|0.930074017489188\
|0 0 0.389142712252727|0 0 0.38977330351866|0 0 0.390116806797613
"""
ROWS = [line.split("|") for line in PUBLISHED.strip().splitlines()]
TIES: tuple[Ties, ...] = ("w", "a", "b")


def ranked(text: str) -> Ranking:
    found = re.findall(r"\(([^)]*)\)|(\S+)", text)
    return [group.split() if group else [single] for group, single in found]


def untied(items: str) -> Ranking:
    return [[item] for item in items]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_values_are_those_published_with_the_treatment_of_ties(row: list[str]) -> None:
    first, second, p = ranked(row[0]), ranked(row[1]), float(row[2])
    for ties, values in zip(TIES, row[3:], strict=True):
        found = rbo(first, second, p, ties)
        wanted = [float(value) for value in values.split()]
        assert [found.ext, found.min, found.max] == pytest.approx(wanted, abs=1e-12)
        assert found.residual == pytest.approx(wanted[2] - wanted[1], abs=1e-12)


def test_the_example_of_the_published_program() -> None:
    first = ranked("red (blue green) yellow pink")
    second = ranked("(blue red) white (yellow black purple) green")
    found = {ties: rbo(first, second, 0.95, ties) for ties in TIES}
    assert {ties: round(value.ext, 7) for ties, value in found.items()} == {
        "a": 0.6922853, "w": 0.7068257, "b": 0.7207131,
    }  # fmt: skip
    assert {round(value.residual, 7) for value in found.values()} == {0.5620173}


def test_the_lists_of_webber_moffat_and_zobel_by_hand() -> None:
    found = rbo(untied("abcdefg"), untied("zcavwxy"), 0.9)
    shared = [0, 0, 2, 2, 2, 2, 2]
    base = sum(0.1 * 0.9 ** (d - 1) * x / d for d, x in enumerate(shared, 1))
    assert base == pytest.approx(0.1515, abs=1e-4)
    assert found.ext == pytest.approx(base + 0.9**7 * 2 / 7)
    tail = sum(0.1 * 0.9 ** (d - 1) * 2 / d for d in range(8, 2000))
    assert found.min == pytest.approx(base + tail)
    top = sum(0.1 * 0.9 ** (d - 1) * min(2 + 2 * (d - 7), d) / d for d in range(8, 2000))
    assert found.max == pytest.approx(base + top)


ITEMS = "abcdefghij"
LISTS = st.integers(1, 8).flatmap(lambda n: st.permutations(ITEMS).map(lambda items: items[:n]))


def groups(items: list[str], seed: int) -> Ranking:
    """The items in their order, some neighbours tied."""
    generator = np.random.default_rng(seed)
    cuts = sorted({0, len(items), *generator.integers(0, len(items) + 1, 3).tolist()})
    return [items[start:stop] for start, stop in itertools.pairwise(cuts)]


@examples(150)
@given(LISTS, LISTS, st.sampled_from([0.3, 0.8, 0.9, 0.99]), st.integers(0, 50))
def test_the_value_lies_in_its_bounds_and_is_symmetric(one, two, p, seed):
    first, second = groups(one, seed), groups(two, seed + 1)
    for ties in TIES:
        found = rbo(first, second, p, ties)
        assert -1e-12 <= found.min <= found.max <= 1 + 1e-9
        assert found.min - 1e-9 <= found.ext <= 1 + 1e-9
        turned = rbo(second, first, p, ties)
        assert (turned.ext, turned.min, turned.max) == pytest.approx(
            (found.ext, found.min, found.max), abs=1e-12
        )


@examples(80)
@given(LISTS, LISTS, st.sampled_from([0.3, 0.9]))
def test_without_ties_the_three_ways_agree_and_bounds_enclose(one, two, p):
    found = [rbo([[i] for i in one], [[i] for i in two], p, ties) for ties in TIES]
    assert [f.ext for f in found] == pytest.approx([found[0].ext] * 3)
    assert found[0].min - 1e-9 <= found[0].ext <= found[0].max + 1e-9


@examples(40)
@given(st.permutations("abcdef"), st.integers(0, 50))
def test_a_is_the_mean_over_all_orders_of_ties(items: list[str], seed: int) -> None:
    first, second = groups(items, seed), groups(sorted(items), seed + 1)

    def broken(ranking: Ranking) -> list[Ranking]:
        orders = itertools.product(*(itertools.permutations(group) for group in ranking))
        return [[[item] for group in order for item in group] for order in orders]

    values = [rbo(x, y, 0.8).ext for x in broken(first)[:24] for y in broken(second)[:24]]
    if len(values) == len(broken(first)) * len(broken(second)):
        assert rbo(first, second, 0.8, "a").ext == pytest.approx(np.mean(values))


@examples(40)
@given(LISTS, st.integers(0, 50))
def test_a_ranking_with_itself_gives_1_but_for_a_with_ties(items: list[str], seed: int) -> None:
    ranking = groups(items, seed)
    tied = any(len(group) > 1 for group in ranking)
    assert rbo(ranking, ranking, 0.9, "b").ext == pytest.approx(1)
    assert rbo(ranking, ranking, 0.9, "w").ext == pytest.approx(1)
    assert (rbo(ranking, ranking, 0.9, "a").ext < 1 - 1e-12) == tied


def test_the_first_ten_places_have_the_published_weight_at_p_0_9() -> None:
    # Webber et al., equation 21: the weight of the first d places.
    p, d = 0.9, 10
    head = sum(p**i / i for i in range(1, d))
    weight = 1 - p ** (d - 1) + (1 - p) / p * d * (math.log(1 / (1 - p)) - head)
    assert round(weight, 2) == 0.86
    same, other = untied("abcdefghij"), untied("klmnopqrst")
    assert rbo(same, same, p).min == pytest.approx(weight)
    assert rbo(same, other, p).min == 0


@pytest.mark.parametrize(
    ("first", "second", "p"),
    [("ab", "ba", 0.0), ("ab", "ba", 1.0), ("", "ab", 0.9), ("aa", "ab", 0.9), ("ab", "cc", 0.9)],
)
def test_rankings_that_are_none_are_refused(first: str, second: str, p: float) -> None:
    with pytest.raises(ValueError, match=r"between 0 and 1|no duplicates"):
        rbo(untied(first), untied(second), p)
