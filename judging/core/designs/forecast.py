"""What a layout will ask of each person, and what each two will share, before it is made."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from judging.core.designs.allocation import NOBODY, Allocation, Workload

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class LoadForecast:
    """``loads`` are judgments by person, ``shared`` documents by two people (diagonal 0).

    They are exact where people are named or where all of a topic's people judge all of it,
    else what is to be expected if all of a topic's people work equally: ``exact``.
    ``waiting`` judgments have nobody yet.
    """

    judgments: int
    loads: Floats
    shared: Floats
    waiting: int
    exact: bool

    def shared_range(self, people: list[int]) -> tuple[float, float] | None:
        """The least and the most that two of ``people`` share; None if there are no two."""
        if len(people) < 2:
            return None
        pairs = self.shared[np.ix_(people, people)][np.triu_indices(len(people), 1)]
        return float(pairs.min()), float(pairs.max())


def forecast_load(work: Workload, layout: Allocation) -> LoadForecast:
    """By topic, c judgments of a document by any of q people: c / q for each of them, and
    c(c − 1) / q(q − 1) shared by each two.
    """
    if (layout.person != NOBODY).all() and len(layout):
        return _named(work, layout)
    loads, shared = np.zeros(work.crew), np.zeros((work.crew, work.crew))
    counts = np.bincount(layout.pair, minlength=work.pairs)
    waiting, exact = 0, True
    ends = np.cumsum(work.sizes)
    for size, end, who in zip(work.sizes, ends, work.people, strict=True):
        wanted, q = counts[end - size : end], len(who)
        if q == 0:
            waiting += int(wanted.sum())
            continue
        loads[list(who)] += wanted.sum() / q
        if q > 1:
            shared[np.ix_(who, who)] += (wanted * (wanted - 1)).sum() / (q * (q - 1))
        exact &= bool((wanted == q).all())
    np.fill_diagonal(shared, 0)
    return LoadForecast(len(layout), loads, shared, waiting, exact)


def _named(work: Workload, layout: Allocation) -> LoadForecast:
    loads = np.bincount(layout.person, minlength=work.crew).astype(float)
    shared = np.zeros((work.crew, work.crew))
    # The judgments of one document stand together, k counting up from 0.
    for step in range(1, int(layout.k.max()) + 1):
        later = np.flatnonzero(layout.k >= step)
        np.add.at(shared, (layout.person[later], layout.person[later - step]), 1)
    shared += shared.T
    np.fill_diagonal(shared, 0)
    return LoadForecast(len(layout), loads, shared, 0, exact=True)
