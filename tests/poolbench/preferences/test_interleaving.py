"""Interleaving by several methods, its outcome over many lists, and preferences from clicks."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from poolbench.preferences.click_log import preferences_from_clicks, share_of_preferences_met
from poolbench.preferences.interleaved_runs import compare_credits
from poolbench.preferences.interleaving import (
    METHODS,
    InterleavedList,
    credit_balanced,
    credit_picks,
    draw_first_side,
    interleave,
    interleave_by_draft,
    interleave_by_method,
    topic_rng,
)
from poolbench.statistics.draws import ResamplingOptions
from poolbench.statistics.proportions import sign_test_probability, wilson_estimate

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


@pytest.mark.parametrize(("shown", "clicked", "pairs", "shares"), [
    ("abcd", "ac", ["cb"], {"cdb": 1.0, "abcd": 0.0}),  # the example of the card
    # Every document above a click that was passed over makes a pair.
    ("abcde", "ce", ["ca", "cb", "ea", "eb", "ed"], {"cadeb": 3 / 5, "ecxda": 1.0}),
    ("abc", "a", [], {"abc": None}),
])  # fmt: skip
def test_preferences_from_clicks_and_the_share_that_is_kept(shown, clicked, pairs, shares) -> None:
    found = preferences_from_clicks(shown, clicked)
    assert found == [tuple(pair) for pair in pairs]
    assert {ranking: share_of_preferences_met(ranking, found) for ranking in shares} == shares


def test_documents_out_of_the_ranking_stand_below_all_of_it() -> None:
    assert share_of_preferences_met("b", [("a", "b"), ("b", "a"), ("a", "c")]) == 1 / 3


def test_lists_and_clicks_that_cannot_be_are_refused() -> None:
    with pytest.raises(ValueError, match="duplicate document in the list"):
        preferences_from_clicks("aa", "a")
    with pytest.raises(ValueError, match="clicked but not shown: x"):
        preferences_from_clicks("ab", "x")


class Lots:
    """A generator that draws what it is told: 1 for A, 0 for B."""

    def __init__(self, sides: str) -> None:
        self.sides = iter(sides)

    def integers(self, _high: int) -> int:
        return int(next(self.sides) == "A")


@given(rankings, rankings, st.sampled_from("AB"))
def test_every_prefix_of_a_balanced_list_is_two_tops(a: list[str], b: list[str], first) -> None:
    """The condition of Joachims 2003: k_B ≤ k_A ≤ k_B + 1 if A starts."""
    merged = interleave(a, b, first).documents
    one, other = (a, b) if first == "A" else (b, a)
    for length in range(1, len(merged) + 1):
        assert any(
            set(merged[:length]) == set(one[:more]) | set(other[:fewer])
            for fewer in range(len(other) + 1)
            for more in (fewer, fewer + 1)
        )


def test_the_example_of_the_balanced_card_holds() -> None:
    merged = interleave("abc", "bde", "B")
    assert "".join(merged.documents) == "bade"
    assert credit_balanced("abc", "bde", merged, "ba") == {"A": 1, "B": 1}
    assert credit_balanced("abc", "bde", merged, "d") == {"A": 0, "B": 1}
    assert credit_balanced("abc", "bde", merged, "") == {"A": 0, "B": 0}


def test_a_document_of_both_tops_is_credited_to_both() -> None:
    merged = interleave("xay", "xbz", "A")
    assert credit_balanced("xay", "xbz", merged, "xa") == {"A": 2, "B": 1}
    assert credit_picks(merged, "xa") == {"A": 2, "B": 0}


def test_a_shifted_ranking_is_favoured_by_random_clicks() -> None:
    """The bias that Radlinski, Kurup and Joachims describe: one click at random on the list of
    a b c d and b c d a; B wins three times of four whoever starts. Team draft is fair."""
    wins: Counter[str] = Counter()
    for first in ("A", "B"):
        merged = interleave("abcd", "bcda", first)
        for click in merged.documents:
            credit = credit_balanced("abcd", "bcda", merged, click)
            wins["B" if credit["B"] > credit["A"] else "A"] += 1
    assert wins == {"A": 2, "B": 6}
    drafted = [
        interleave_by_draft("abcd", "bcda", np.random.default_rng(seed)).by for seed in range(400)
    ]
    share = np.mean([side == "B" for by in drafted for side in by])
    assert share == pytest.approx(0.5, abs=0.01)


def test_the_example_of_the_draft_card_holds() -> None:
    drafted = interleave_by_draft("abc", "bde", Lots("BAA"))  # type: ignore[arg-type]
    assert drafted == InterleavedList(tuple("bac"), ("B", "A", "A"))
    assert credit_picks(drafted, "bc") == {"A": 1, "B": 1}


@given(rankings, rankings, st.integers(0, 99))
def test_teams_are_even_after_every_round(a: list[str], b: list[str], seed: int) -> None:
    drafted = interleave_by_draft(a, b, np.random.default_rng(seed))
    assert len(set(drafted.documents)) == len(drafted.documents)
    assert set(a) <= set(drafted.documents) or set(b) <= set(drafted.documents)
    for end in range(2, len(drafted.by) + 1, 2):
        assert drafted.by[:end].count("A") == end // 2
    for side, ranking in (("A", a), ("B", b)):
        for at, (docno, by) in enumerate(zip(drafted.documents, drafted.by, strict=True)):
            if by == side:
                above = set(drafted.documents[:at])
                assert docno == next(each for each in ranking if each not in above)


def test_lists_of_a_topic_depend_on_seed_and_topic_alone() -> None:
    a, b = "abcdefgh", "hgfedcba"
    for method in METHODS:
        first = interleave_by_method(method, a, b, topic_rng(7, "301"), 5)
        assert first == interleave_by_method(method, a, b, topic_rng(7, "301"), 5)
        assert len(first.documents) == 5
        several = {
            interleave_by_method(method, a, b, topic_rng(7, str(topic))) for topic in range(20)
        }
        assert len(several) > 1
    with pytest.raises(ValueError, match="duplicate document"):
        interleave_by_method("team-draft", "aa", "b", topic_rng(0, "1"))


def test_the_outcome_of_the_card() -> None:
    outcome = compare_credits({"1": [(3, 1), (1, 0)], "2": [(0, 2), (1, 1)]})
    assert (outcome.wins_a, outcome.wins_b, outcome.ties) == (2, 1, 1)
    assert outcome.share.value == 2 / 3
    assert outcome.p_value == 1
    assert outcome.delta.value == 1 / 8
    assert outcome.delta.why == "fewer than 5 topics"


def test_delta_and_its_interval_over_topics() -> None:
    topics = {str(at): [(1, 0)] * 3 + [(0, 1)] * (at % 4) for at in range(12)}
    outcome = compare_credits(topics, ResamplingOptions(seed=1, resamples=2000))
    assert (outcome.wins_a, outcome.wins_b) == (36, 18)
    assert outcome.delta.value == pytest.approx(36 / 54 - 0.5)
    assert outcome.delta.low is not None
    assert outcome.delta.high is not None
    assert 0.05 < outcome.delta.low < 36 / 54 - 0.5 < outcome.delta.high < 0.32
    assert outcome.p_value == pytest.approx(binomtest(36, 54).pvalue)


def test_without_lists_or_wins_nothing_is_defined() -> None:
    empty = compare_credits({})
    assert (empty.p_value, empty.share.value, empty.delta.value) == (None, None, None)
    assert empty.delta.why == "no list was shown"
    tied = compare_credits({"1": [(0, 0)]})
    assert (tied.p_value, tied.share.value, tied.delta.value) == (None, None, 0.0)


@pytest.mark.parametrize(("wins", "of"), [(0, 1), (0, 10), (3, 10), (7, 9), (50, 100), (10, 10)])
def test_sign_test_and_wilson_agree_with_scipy(wins: int, of: int) -> None:
    oracle = binomtest(wins, of)
    p = sign_test_probability(np.array([float(wins)]), np.array([of]))[0]
    assert p == pytest.approx(oracle.pvalue, abs=1e-12)
    interval = oracle.proportion_ci(0.95, "wilson")
    estimate = wilson_estimate(wins, of)
    assert (estimate.low, estimate.high) == pytest.approx((interval.low, interval.high), abs=1e-12)


def test_of_no_trials_there_is_no_share() -> None:
    assert wilson_estimate(0, 0).value is None
    assert sign_test_probability(np.array([0.0]), np.array([0]))[0] == 1
