"""Forecast of an allocation: each assessor's load, and the documents every two share."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from judging.core.designs.allocation import UNASSIGNED, Allocation, Workload

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class LoadForecast:
    """``loads`` are judgments by assessor, ``shared`` documents by two assessors (diagonal 0).

    ``exact`` if the design names the assessors or all assessors of a topic judge all of it;
    otherwise expected values, if the assessors of a topic work equally. ``unassigned`` judgments
    are of topics without assessors.
    """

    judgments: int
    loads: Floats
    shared: Floats
    unassigned: int
    exact: bool

    def shared_range(self, people: list[int]) -> tuple[float, float] | None:
        """The fewest and most documents that two of ``people`` share; None if fewer than two."""
        if len(people) < 2:
            return None
        pairs = self.shared[np.ix_(people, people)][np.triu_indices(len(people), 1)]
        return float(pairs.min()), float(pairs.max())


def forecast_load(work: Workload, allocation: Allocation) -> LoadForecast:
    """Per document with c judgments by any of q assessors: c / q for each of them, and
    c(c − 1) / q(q − 1) shared by every two.
    """
    if (allocation.assessor != UNASSIGNED).all() and len(allocation):
        return _forecast_assigned(work, allocation)
    loads, shared = (
        np.zeros(work.assessor_count),
        np.zeros((work.assessor_count, work.assessor_count)),
    )
    counts = np.bincount(allocation.pair, minlength=work.pairs)
    waiting, exact = 0, True
    ends = np.cumsum(work.sizes)
    for size, end, who in zip(work.sizes, ends, work.assessors, strict=True):
        wanted, q = counts[end - size : end], len(who)
        if q == 0:
            waiting += int(wanted.sum())
            continue
        loads[list(who)] += wanted.sum() / q
        if q > 1:
            shared[np.ix_(who, who)] += (wanted * (wanted - 1)).sum() / (q * (q - 1))
        exact &= bool((wanted == q).all())
    np.fill_diagonal(shared, 0)
    return LoadForecast(len(allocation), loads, shared, waiting, exact)


def _forecast_assigned(work: Workload, allocation: Allocation) -> LoadForecast:
    loads = np.bincount(allocation.assessor, minlength=work.assessor_count).astype(float)
    shared = np.zeros((work.assessor_count, work.assessor_count))
    # The slots of one document are adjacent, with ascending k from 0.
    for step in range(1, int(allocation.k.max()) + 1):
        later = np.flatnonzero(allocation.k >= step)
        np.add.at(shared, (allocation.assessor[later], allocation.assessor[later - step]), 1)
    shared += shared.T
    np.fill_diagonal(shared, 0)
    return LoadForecast(len(allocation), loads, shared, 0, exact=True)
