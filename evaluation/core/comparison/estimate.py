"""Shared types and helpers of the statistics of comparison."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Places = NDArray[np.intp]

NOISE = 1e-12
"""Relative tolerance: smaller differences are floating-point noise and set to 0."""

TIE = 1e-9
"""Relative tolerance: differences closer than this share of the largest one are ties."""

TOO_FEW = "fewer than two topics have values for both runs"
SAME = "all topics have the same difference, so its variance is 0"


@dataclass(frozen=True)
class ComparisonEstimate:
    """One value from ``n`` topics or runs; None where undefined, and ``reason`` says why."""

    value: float | None
    n: int
    reason: str | None = None


@dataclass(frozen=True)
class ResamplingOptions:
    """Options of resampling methods: the same seed, data and number give the same result."""

    seed: int = 0
    resamples: int = 10_000

    def __post_init__(self) -> None:
        if self.resamples < 100:
            raise ValueError("the number of resamples must be at least 100")
        if self.seed < 0:
            raise ValueError("the seed must be a non-negative integer")

    @property
    def generator(self) -> np.random.Generator:
        """A new generator, always at the start of the stream."""
        return np.random.default_rng(self.seed)


def subtract_without_noise(first: Floats, second: Floats) -> Floats:
    """``first − second`` along the last axis; noise is set to 0, so that tests see ties."""
    differences: Floats = first - second
    largest = np.maximum(np.abs(first), np.abs(second)).max(axis=-1, keepdims=True, initial=0.0)
    differences[np.abs(differences) <= NOISE * largest] = 0.0
    return differences


def is_constant_row(rows: Floats) -> NDArray[np.bool_]:
    """Which rows are constant, except for noise."""
    alike: NDArray[np.bool_] = np.ptp(rows, axis=1) <= TIE * np.abs(rows).max(axis=1)
    return alike


def select_common_topics(first: Floats, second: Floats) -> tuple[Floats, Floats]:
    """Both runs' values on the topics where both are defined; two arrays of equal length."""
    if first.shape != second.shape or first.ndim != 1:
        raise ValueError("two runs must be compared on the same list of topics")
    both = ~(np.isnan(first) | np.isnan(second))
    return first[both], second[both]


def group_rows_by_topics(defined: NDArray[np.bool_]) -> Iterator[tuple[Places, Places]]:
    """Groups of rows that are defined on the same topics: ``(rows, topics)``."""
    kinds, group = np.unique(defined, axis=0, return_inverse=True)
    for kind in range(len(kinds)):
        yield np.flatnonzero(group.ravel() == kind), np.flatnonzero(kinds[kind])


def iter_slices(total: int, size: int) -> Iterator[slice]:
    """Slices of at most ``size`` that cover ``total``."""
    for start in range(0, total, size):
        yield slice(start, min(start + size, total))


def nan_to_none(value: float) -> float | None:
    """``value``, or None for NaN."""
    return None if np.isnan(value) else float(value)
