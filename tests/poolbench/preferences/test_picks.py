"""What picks from a list say: interleaving and pairwise preferences."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from poolbench.preferences.click_log import (
    preferences_from_clicks,
    share_of_preferences_met,
)
from poolbench.preferences.interleaving import (
    InterleavedList,
    credit_picks,
    draw_first_side,
    interleave,
)

rankings = st.lists(st.sampled_from("abcdefgh"), unique=True)


def test_the_example_of_the_interleaving_card_holds() -> None:
    found = interleave("abc", "bde", "B")
    assert found == InterleavedList(("b", "a", "d", "e"), ("B", "A", "B", "B"))
    assert credit_picks(found, "ab") == {"A": 1, "B": 1}


def test_the_one_that_starts_has_the_document_of_both() -> None:
    assert interleave("abx", "acy", "A") == InterleavedList(
        ("a", "b", "c", "x"), ("A", "A", "B", "A")
    )
    assert interleave("abx", "acy", "B") == InterleavedList(
        ("a", "c", "b", "y"), ("B", "B", "A", "B")
    )


@given(rankings, rankings)
def test_both_get_their_turn_and_keep_their_order(a: list[str], b: list[str]) -> None:
    for first in ("A", "B"):
        found = interleave(a, b, first)
        assert len(set(found.documents)) == len(found.documents)
        for side, ranking in (("A", a), ("B", b)):
            own = [d for d, by in zip(found.documents, found.by, strict=True) if by == side]
            assert own == [docno for docno in ranking if docno in own]
        swapped = interleave(b, a, "B" if first == "A" else "A")
        assert swapped.documents == found.documents
        assert set(a[: min(len(a), len(b)) - 1]) <= set(found.documents) or not a or not b


def test_the_coin_shows_both_sides_and_is_that_of_the_seed() -> None:
    tossed = [draw_first_side(np.random.default_rng(seed)) for seed in range(20)]
    assert set(tossed) == {"A", "B"}
    assert tossed == [draw_first_side(np.random.default_rng(seed)) for seed in range(20)]


def test_rankings_and_picks_that_cannot_be_are_refused() -> None:
    with pytest.raises(ValueError, match="duplicate document in a ranking"):
        interleave("aa", "b", "A")
    with pytest.raises(ValueError, match="picked but not in the list: x, y"):
        credit_picks(interleave("ab", "cd", "A"), "yax")


def test_a_pick_counts_once() -> None:
    assert credit_picks(interleave("ab", "cd", "A"), "aaa") == {"A": 1, "B": 0}


def test_the_example_of_the_preference_card_holds() -> None:
    pairs = preferences_from_clicks("abcd", "ac")
    assert pairs == [("c", "b")]
    assert share_of_preferences_met("cdb", pairs) == 1.0
    assert share_of_preferences_met("abcd", pairs) == 0.0


def test_every_passed_over_document_above_a_click_makes_a_pair() -> None:
    pairs = preferences_from_clicks("abcde", "ce")
    assert pairs == [("c", "a"), ("c", "b"), ("e", "a"), ("e", "b"), ("e", "d")]
    assert share_of_preferences_met("cadeb", pairs) == 3 / 5
    assert share_of_preferences_met("ecxda", pairs) == 1.0


def test_documents_out_of_the_ranking_stand_below_all_of_it() -> None:
    assert share_of_preferences_met("b", [("a", "b"), ("b", "a"), ("a", "c")]) == 1 / 3


def test_without_a_preference_the_share_is_undefined() -> None:
    assert preferences_from_clicks("abc", "a") == []
    assert share_of_preferences_met("abc", []) is None


def test_lists_and_clicks_that_cannot_be_are_refused() -> None:
    with pytest.raises(ValueError, match="duplicate document in the list"):
        preferences_from_clicks("aa", "a")
    with pytest.raises(ValueError, match="clicked but not shown: x"):
        preferences_from_clicks("ab", "x")
