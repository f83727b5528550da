"""Letters of groups: two runs share one if and only if they are not significantly different."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from poolbench.evaluation.comparison import marks as marks_module
from poolbench.evaluation.comparison.compare import compare_all
from poolbench.evaluation.comparison.marks import (
    UNTESTED,
    assign_letters,
    group_by_difference,
    name_letter,
    spell_letters,
)


def matrix(count: int, pairs) -> np.ndarray:
    differs = np.zeros((count, count), bool)
    for one, other in pairs:
        differs[one, other] = differs[other, one] = True
    return differs


def spell(count: int, pairs) -> list[str]:
    groups = group_by_difference(matrix(count, pairs))
    assert groups is not None
    return spell_letters(groups)


def slow_groups(count: int, pairs) -> set[frozenset[int]]:
    """The algorithm as published: pair by pair, two copies of each column with both, absorb."""
    columns = {frozenset(range(count))}
    for one, other in pairs:
        split = {column for column in columns if {one, other} <= column}
        columns -= split
        columns |= {column - {one} for column in split} | {column - {other} for column in split}
        columns = {c for c in columns if not any(c < further for further in columns)}
    return columns


@st.composite
def significant_pairs(draw):
    count = draw(st.integers(1, 8))
    pairs = list(combinations(range(count), 2))
    return count, draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []


@given(significant_pairs())
def test_runs_share_a_letter_iff_they_are_not_significantly_different(drawn):
    count, pairs = drawn
    groups = group_by_difference(matrix(count, pairs))
    assert groups is not None
    shares = (groups[:, :, None] & groups[:, None, :]).any(axis=0)
    assert (shares == ~matrix(count, pairs)).all()
    found = {frozenset(np.flatnonzero(row).tolist()) for row in groups}
    assert found == slow_groups(count, pairs)
    assert len(found) == len(groups)


@pytest.mark.parametrize(("pairs", "letters"), [
    ([], ["a", "a", "a"]), ([(0, 2)], ["a", "ab", "b"]), ([(1, 2)], ["ab", "a", "b"]),
    ([(0, 1), (0, 2), (1, 2)], ["a", "b", "c"]), ([(0, 1), (0, 2)], ["a", "b", "b"]),
])  # fmt: skip
def test_three_runs_by_hand(pairs, letters):
    assert spell(3, pairs) == letters


def test_the_published_letters_of_six_feeds():
    """R's ``chickwts`` by Wilcoxon tests with Holm's correction, as the guide of the R package
    cld prints it: casein a, horsebean b, linseed bc, meatmeal ac, soybean c, sunflower a.
    """
    feeds = ["casein", "horsebean", "linseed", "meatmeal", "soybean", "sunflower"]
    published = {"casein": "a", "horsebean": "b", "linseed": "bc", "meatmeal": "ac",
                 "soybean": "c", "sunflower": "a"}  # fmt: skip
    pairs = [
        (one, other)
        for one, other in combinations(range(6), 2)
        if not set(published[feeds[one]]) & set(published[feeds[other]])
    ]
    assert dict(zip(feeds, spell(6, pairs), strict=True)) == {
        # The same groups; here the second letter is that of the next run that lacks the first.
        "casein": "a", "horsebean": "b", "linseed": "bc", "meatmeal": "ac", "soybean": "c",
        "sunflower": "a",
    }  # fmt: skip


def test_letters_follow_the_ranking_and_count_what_was_not_tested():
    generator = np.random.default_rng(0)
    values = generator.normal(0, 0.02, (4, 30)) + np.array([[0.2], [0.6], [0.4], [0.59]])
    compared = compare_all(values, ["d", "a", "c", "b"])
    groups = assign_letters(compared, ["a", "b", "c", "d"])
    assert list(groups.letters) == ["a", "b", "c", "d"]
    pairs = {frozenset((row.first, row.second)): row.different for row in compared.rows}
    for one, other in combinations("abcd", 2):
        shared = set(groups.letters[one]) & set(groups.letters[other])
        assert bool(shared) is not pairs[frozenset((one, other))]
    assert groups.letters["a"] == "a"
    assert groups.untested == 0
    missing = compared.rows[0]._replace(adjusted=None, different=False)
    some = assign_letters(replace(compared, rows=(missing, *compared.rows[1:])), list("abcd"))
    assert some.untested == 1
    with pytest.raises(ValueError, match="not compared: x"):
        assign_letters(compared, ["a", "x"])


def test_no_runs_and_one_run():
    assert spell(0, []) == []
    assert spell(1, []) == ["a"]


def test_too_many_groups_have_no_letters(monkeypatch):
    monkeypatch.setattr(marks_module, "MOST_GROUPS", 1)
    compared = compare_all(np.array([[0.1, 0.2, 0.1, 0.15], [0.8, 0.9, 0.85, 0.9]]), ["a", "b"])
    groups = assign_letters(compared, ["b", "a"])
    assert groups.letters == {"b": UNTESTED, "a": UNTESTED}
    assert not groups.is_complete


def test_letters_after_z():
    assert [name_letter(at) for at in (0, 25, 26, 27, 51, 52, 701, 702)] == [
        "a", "z", "aa", "ab", "az", "ba", "zz", "aaa",
    ]  # fmt: skip
    pairs = list(combinations(range(30), 2))
    assert spell(30, pairs)[25:28] == ["z", "aa", "ab"]
    assert " " in spell(40, [(at, at + 1) for at in range(0, 12, 2)])[-1]
