"""Means over pairs of assessors that arrive in batches."""

from __future__ import annotations

import numpy as np

from judging.core.agreement.counts import Floats, divide_or_default


class RunningMean:
    """A mean without undefined values, over rows that are added in batches."""

    def __init__(self, size: int) -> None:
        self.total = np.zeros(size)
        self.count = np.zeros(size)

    def add(self, values: Floats) -> None:
        there = ~np.isnan(values)
        self.total += np.where(there, values, 0.0).sum(axis=0)
        self.count += there.sum(axis=0)

    @property
    def mean(self) -> Floats:
        return divide_or_default(self.total, self.count)


class CoefficientSums:
    """Running means of one coefficient over pairs of assessors."""

    def __init__(self, topics: int, resamples: int) -> None:
        self.by_topic, self.prevalence = RunningMean(topics), RunningMean(topics)
        self.drawn = RunningMean(resamples)
