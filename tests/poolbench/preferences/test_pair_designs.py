"""Designs of pairs: how often each document is compared, and that all are connected."""

from collections import Counter
from itertools import chain, combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from poolbench.preferences.pair_designs import count_document_pairs, draw_document_pairs


def draw(count: int, per_document: int | None, seed: int = 7) -> list[tuple[str, str]]:
    docnos = [f"d{n:03}" for n in range(count)]
    return draw_document_pairs(docnos, per_document, np.random.default_rng(seed))


def reach(pairs: list[tuple[str, str]]) -> set[str]:
    """The documents connected with the first one."""
    seen = {pairs[0][0]}
    while more := {d for pair in pairs if seen & set(pair) for d in pair} - seen:
        seen |= more
    return seen


@pytest.mark.parametrize(
    ("count", "per_document", "pairs"),
    [(5, 2, 5), (4, 3, 6), (6, 3, 9), (7, 3, 11), (4, None, 6), (2, 5, 1), (1, 2, 0), (0, None, 0)],
)
def test_the_numbers_of_the_card(count, per_document, pairs):
    assert len(draw(count, per_document)) == pairs == count_document_pairs(count, per_document)


@given(st.integers(3, 40), st.integers(2, 12), st.integers(0, 2**32))
def test_every_document_is_compared_equally_often_and_all_are_connected(count, wanted, seed):
    pairs = draw(count, wanted, seed)
    degrees = Counter(chain.from_iterable(pairs))
    degree = min(wanted, count - 1)
    more = degree % 2 and count % 2
    assert sorted(degrees.values()) == [degree] * (count - 1) + [degree + more]
    assert len(set(pairs)) == len(pairs) == count_document_pairs(count, wanted)
    assert all(one < other for one, other in pairs)
    assert len(reach(pairs)) == count


def test_all_pairs_are_all_combinations_in_an_order_drawn_by_the_seed():
    first, again, other = draw(9, None, 1), draw(9, None, 1), draw(9, None, 2)
    assert first == again != other
    assert set(first) == set(other) == set(combinations([f"d{n:03}" for n in range(9)], 2))


def test_the_order_of_the_documents_does_not_matter():
    one, other = (np.random.default_rng(3) for _ in range(2))
    docnos = list("hgfedcba")
    assert draw_document_pairs(docnos, 3, one) == draw_document_pairs(docnos[::-1], 3, other)


@pytest.mark.parametrize(("docnos", "wanted"), [(["a", "a"], None), (["a", "b", "c"], 1)])
def test_what_no_design_fits_is_refused(docnos, wanted):
    with pytest.raises(ValueError, match=r"duplicate document|at least 2"):
        draw_document_pairs(docnos, wanted, np.random.default_rng(1))
