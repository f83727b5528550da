"""Krippendorff's ordinal alpha in plain Python, from its definition."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence


def slow_ordinal_alpha(units: Sequence[Sequence[int]]) -> float:
    pairs = [(a, b, len(unit) - 1) for unit in units if len(unit) > 1 for a, b in ordered(unit)]
    n = Counter(grade for unit in units if len(unit) > 1 for grade in unit)
    total = sum(n.values())

    def distance(a: int, b: int) -> float:
        low, high = min(a, b), max(a, b)
        return (sum(n[g] for g in n if low <= g <= high) - (n[low] + n[high]) / 2) ** 2

    observed = sum(distance(a, b) / others for a, b, others in pairs if a != b)
    expected = sum(n[a] * n[b] * distance(a, b) for a in n for b in n if a != b)
    return 1 - observed * (total - 1) / expected


def ordered(unit: Sequence[int]) -> list[tuple[int, int]]:
    return [(a, b) for i, a in enumerate(unit) for j, b in enumerate(unit) if i != j]
