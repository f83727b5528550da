"""Corrections against statsmodels and the promises they make."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from poolbench.evaluation.comparison.registry import CORRECTIONS
from tests.examples import examples

EXAMPLES = [(c, *example[:2]) for c in CORRECTIONS.values() for example in c.examples]
THEIRS = {"holm": "holm", "bonferroni": "bonferroni", "bh": "fdr_bh"}
P_VALUES = st.lists(
    st.one_of(st.floats(0, 1), st.sampled_from([0.01, 0.02, 0.05])), min_size=1, max_size=30
)


def adjusted(name: str, p_values: list[float]) -> list[float]:
    found: list[float] = CORRECTIONS[name].adjust(np.array(p_values, float)).tolist()
    return found


@pytest.mark.parametrize(("correction", "p_values", "wanted"), EXAMPLES)
def test_examples_of_the_cards_hold(correction, p_values, wanted):
    assert adjusted(correction.name, list(p_values)) == pytest.approx(list(wanted), abs=1e-8)


def test_benjamini_and_hochberg_find_four_and_bonferroni_three_of_their_fifteen() -> None:
    p_values = list(CORRECTIONS["bh"].examples[0][0])
    found = {name: sum(p <= 0.05 for p in adjusted(name, p_values)) for name in CORRECTIONS}
    assert found == {"holm": 3, "bonferroni": 3, "bh": 4, "none": 9}


@pytest.mark.parametrize("name", THEIRS)
@examples(20)
@given(p_values=P_VALUES)
def test_corrections_are_those_of_statsmodels(name: str, p_values: list[float]) -> None:
    wanted = multipletests(p_values, method=THEIRS[name])[1]
    assert adjusted(name, p_values) == pytest.approx(wanted.tolist(), abs=1e-12)


@pytest.mark.parametrize("name", CORRECTIONS)
@examples(60)
@given(p_values=P_VALUES, data=st.data())
def test_adjusted_values_keep_the_order_and_follow_their_pairs(name, p_values, data):
    found = adjusted(name, p_values)
    ranked = [value for _, value in sorted(zip(p_values, found, strict=True))]
    assert ranked == sorted(ranked)
    assert all(p - 1e-15 <= value <= 1 for p, value in zip(p_values, found, strict=True))
    order = data.draw(st.permutations(range(len(p_values))))
    turned = adjusted(name, [p_values[place] for place in order])
    assert turned == [found[place] for place in order]


@examples(60)
@given(P_VALUES)
def test_none_is_below_bh_below_holm_below_bonferroni(p_values: list[float]) -> None:
    table = [np.array(adjusted(name, p_values)) for name in ("none", "bh", "holm", "bonferroni")]
    for smaller, larger in itertools.pairwise(table):
        assert (smaller <= larger + 1e-12).all()


@pytest.mark.parametrize("name", CORRECTIONS)
def test_undefined_p_values_stay_so_and_do_not_count(name: str) -> None:
    found = adjusted(name, [np.nan, 0.01, 0.04, np.nan, 0.03])
    assert np.isnan([found[0], found[3]]).all()
    assert [found[1], found[2], found[4]] == adjusted(name, [0.01, 0.04, 0.03])
    assert adjusted(name, []) == []
