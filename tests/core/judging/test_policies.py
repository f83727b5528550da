"""From several judgments to one grade."""

from __future__ import annotations

import pytest

from judging.core.policies import POLICIES, DisagreementError, apply_policy


def graded(*grades: int) -> list[tuple[str, str, dict[str, int]]]:
    return [("1", "d", {f"assessor{i}": grade for i, grade in enumerate(grades)})]


@pytest.mark.parametrize(
    ("policy", "grades", "wanted"),
    [
        ("single", (2, 2), 2),
        ("single", (2, -1), 2),
        ("majority", (0, 2, 2), 2),
        ("majority", (2, 1), 1),
        ("majority", (3, 0, 3, 0, 1), 0),
        ("median-floor", (3, 0, 2), 2),
        ("median-floor", (1, 0), 0),
        ("median-floor", (3, 1), 2),
        ("median-floor", (3, 0, 1, 2), 1),
        ("mean-floor", (3, 0, 2), 1),
        ("mean-floor", (2, 1), 1),
        ("maximum", (0, 3, 2), 3),
        ("maximum", (-1, -2), -1),
    ],
)
def test_policies_decide_by_their_rule(policy: str, grades: tuple[int, ...], wanted: int) -> None:
    assert apply_policy(policy, graded(*grades)) == [("1", "d", wanted)]


@pytest.mark.parametrize("policy", POLICIES)
def test_one_judgment_stands_under_every_policy(policy: str) -> None:
    assert apply_policy(policy, graded(2)) == [("1", "d", 2)]
    assert apply_policy(policy, [("1", "d", {})]) == [("1", "d", -1)]


def test_single_lists_every_pair_with_different_grades() -> None:
    judgments = [("2", "b", {"x": 0, "y": 1}), ("1", "a", {"x": 2, "y": 1}), ("1", "c", {"x": 1})]
    with pytest.raises(DisagreementError, match="2 pair") as refused:
        apply_policy("single", judgments)
    assert refused.value.pairs == (("1", "a"), ("2", "b"))


def test_pairs_come_out_sorted() -> None:
    judgments = [("2", "a", {"x": 0}), ("1", "b", {"x": 1}), ("1", "a", {"x": 2})]
    assert apply_policy("maximum", judgments) == [("1", "a", 2), ("1", "b", 1), ("2", "a", 0)]
