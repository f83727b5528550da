"""Two runs' values on the same topics: what is common, different, or noise."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from poolbench.cards import Parameter
from poolbench.statistics.draws import Floats

Places = NDArray[np.intp]

NOISE = 1e-12
"""Relative tolerance: smaller differences are floating-point noise and set to 0."""

TIE = 1e-9
"""Relative tolerance: differences closer than this share of the largest one are ties."""

TOO_FEW = "fewer than two topics have values for both runs"
SAME = "all topics have the same difference, so its variance is 0"


PARAMETERS = (
    Parameter("resamples", "Number m of resamples.", "10000"),
    Parameter("seed", "Seed of the random number generator.", "0"),
)


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
    if defined.all():
        yield np.arange(len(defined)), np.arange(defined.shape[1])
        return
    # Rows as bytes: numpy compares whole rows slowly.
    groups: dict[bytes, list[int]] = {}
    for at, row in enumerate(np.packbits(defined, axis=1)):
        groups.setdefault(row.tobytes(), []).append(at)
    for _, rows in sorted(groups.items()):
        yield np.array(rows, np.intp), np.flatnonzero(defined[rows[0]])
