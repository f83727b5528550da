"""Random resamples of topics, in batches that fit in memory."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from campaigns.core.cards import Parameter
from evaluation.core.comparison.estimate import Floats, ResamplingOptions, iter_slices

PARAMETERS = (
    Parameter("resamples", "Number m of resamples.", "10000"),
    Parameter("seed", "Seed of the random number generator.", "0"),
)

CELLS = 1 << 20
"""Resamples × topics in memory at a time."""

ROWS = 512
"""Rows (pairs or measures) combined with one batch of resamples at a time."""


def resample_counts(n: int, sampling: ResamplingOptions) -> Iterator[Floats]:
    """How often each of ``n`` topics is drawn, with replacement; batches of resamples × topics."""
    generator = sampling.generator
    for piece in iter_slices(sampling.resamples, max(1, CELLS // n)):
        size = piece.stop - piece.start
        drawn = generator.integers(0, n, (size, n)) + np.arange(size)[:, None] * n
        counts = np.bincount(drawn.ravel(), minlength=size * n)
        yield counts.reshape(size, n).astype(np.float64)


def random_signs(n: int, sampling: ResamplingOptions) -> Iterator[Floats]:
    """+1 or -1 for each of ``n`` topics; batches of resamples × topics."""
    generator = sampling.generator
    for piece in iter_slices(sampling.resamples, max(1, CELLS // n)):
        heads = generator.integers(0, 2, (piece.stop - piece.start, n), dtype=np.int8)
        yield np.where(heads == 1, 1.0, -1.0)


def all_signs(n: int) -> Iterator[Floats]:
    """All 2^n assignments of signs, in batches."""
    for piece in iter_slices(1 << n, max(1, CELLS // n)):
        numbers = np.arange(piece.start, piece.stop)
        yield np.where(numbers[:, None] >> np.arange(n) & 1, 1.0, -1.0)
