"""Random draws over units (topics, assessors): how often each is drawn, signs, permutations.

A seed and the order of the calls to its generator are part of every published figure, so no
function here may draw in another way or order. That is why units are resampled by two of them:

- ``resample_counts`` draws the units one by one (``integers``), in batches that fit in memory;
- ``multinomial_counts`` draws how often each occurs (``multinomial``), all resamples at once,
  from a stream that depends on the number of units.

Both draw ``n`` of ``n`` units with replacement; a bootstrap takes the counts of either.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from poolbench.cache import Cache

Floats = NDArray[np.float64]

LEAST_RESAMPLES = 100
CELLS = 1 << 20
"""Resamples × units in memory at a time."""
ROWS = 512
"""Rows (pairs or measures) combined with one batch of resamples at a time."""
_counts: Cache[tuple[int, int, int], Floats] = Cache(
    8_000_000, lambda counts: counts.size, lasting=True
)
"""By units, resamples and seed; bounded by the numbers in memory."""


@dataclass(frozen=True)
class ResamplingOptions:
    """Options of resampling methods: the same seed, data and number give the same result."""

    seed: int = 0
    resamples: int = 10_000

    def __post_init__(self) -> None:
        if self.resamples < LEAST_RESAMPLES:
            raise ValueError(f"the number of resamples must be at least {LEAST_RESAMPLES}")
        if self.seed < 0:
            raise ValueError("the seed must be a non-negative integer")

    @property
    def generator(self) -> np.random.Generator:
        """A new generator, always at the start of the stream."""
        return np.random.default_rng(self.seed)


def resample_counts(n: int, sampling: ResamplingOptions) -> Iterator[Floats]:
    """How often each of ``n`` ≥ 1 units is drawn; batches of resamples × units."""
    generator = sampling.generator
    for piece in iter_slices(sampling.resamples, max(1, CELLS // n)):
        size = piece.stop - piece.start
        drawn = generator.integers(0, n, (size, n)) + np.arange(size)[:, None] * n
        counts = np.bincount(drawn.ravel(), minlength=size * n)
        yield counts.reshape(size, n).astype(np.float64)


def multinomial_counts(n: int, sampling: ResamplingOptions) -> Floats:
    """How often each of ``n`` units is drawn; resamples × units, read-only and kept in memory."""
    resamples, seed = sampling.resamples, sampling.seed

    def draw() -> Floats:
        generator = np.random.default_rng([seed, n])
        drawn = generator.multinomial(n, np.full(n, 1 / n), size=resamples)
        counts = drawn.astype(np.float64)
        counts.setflags(write=False)
        return counts

    if not n:
        return np.zeros((resamples, 0))
    return _counts.get_or_compute((n, resamples, seed), draw)


def random_signs(n: int, sampling: ResamplingOptions) -> Iterator[Floats]:
    """+1 or -1 for each of ``n`` ≥ 1 units; batches of resamples × units."""
    generator = sampling.generator
    for piece in iter_slices(sampling.resamples, max(1, CELLS // n)):
        heads = generator.integers(0, 2, (piece.stop - piece.start, n), dtype=np.int8)
        yield np.where(heads == 1, 1.0, -1.0)


def all_signs(n: int) -> Iterator[Floats]:
    """All 2^n assignments of signs, in batches."""
    for piece in iter_slices(1 << n, max(1, CELLS // n)):
        numbers = np.arange(piece.start, piece.stop)
        yield np.where(numbers[:, None] >> np.arange(n) & 1, 1.0, -1.0)


def shuffled_columns(values: Floats, sampling: ResamplingOptions) -> Iterator[Floats]:
    """Each column of ``values`` (rows × units) in a random order, in turn from the one stream;
    batches of resamples × units × rows.
    """
    generator = sampling.generator
    for piece in iter_slices(sampling.resamples, max(1, CELLS // values.size)):
        dealt = np.repeat(values.T[None], piece.stop - piece.start, axis=0)
        yield generator.permuted(dealt, axis=2, out=dealt)


def iter_slices(total: int, size: int) -> Iterator[slice]:
    """Slices of at most ``size`` that cover ``total``."""
    for start in range(0, total, size):
        yield slice(start, min(start + size, total))
