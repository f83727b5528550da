"""Forecast of an allocation: each assessor's load, and the documents every two share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from judging.core.designs.allocation import UNASSIGNED, Allocation, Workload

Floats = NDArray[np.float64]


def divide_open_judgments(judgments: int, may_judge: Sequence[int]) -> list[float]:
    """The share of each assessor in ``judgments`` that are open to all of them.

    ``may_judge[i]`` are the documents that assessor i may still judge, u_i. The share is
    u_i · min(1, judgments / Σu): in proportion to what each may judge, and never more than that.
    At the start, c judgments per document and q assessors give everybody c / q of each document,
    as ``forecast_load``; if as many assessors are left as judgments, each judges all of theirs.
    E.g. 147 documents twice, by any of 3: 98 each.
    """
    total = sum(may_judge)
    rate = min(1.0, judgments / total) if total else 0.0
    return [count * rate for count in may_judge]


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
