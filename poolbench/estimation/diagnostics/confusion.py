"""A machine's grades by people's grades, and topics whose relevant documents it misses."""

from dataclasses import dataclass

import numpy as np

from poolbench.estimation.diagnostics.excess import (
    ALPHA,
    FEW_PAIRS,
    LEAST_PAIRS,
    SharedPairs,
    compute_error,
    estimate_value,
)
from poolbench.evaluation.comparison.corrections import HOLM
from poolbench.evaluation.judgments import Floats, Mask
from poolbench.statistics.estimate import Estimate
from poolbench.statistics.proportions import wilson_estimate

LEAST_MISSED = 0.2
"""A topic is not flagged unless the machine misses this much more in it than elsewhere."""
LEAST_OF_TOPIC = 5


@dataclass(frozen=True)
class ConfusionCell:
    """``share``: of the pairs that people give ``people``, those that the machine gives
    ``machine``; ``pairs``: how many of the sample.
    """

    people: int
    machine: int
    pairs: int
    share: Estimate


@dataclass(frozen=True)
class MissedTopic:
    """Of ``pairs`` of the topic with people's highest grade the machine gives 0 to ``missed``;
    ``rest``: the share elsewhere; ``p`` that it is not more, by Fisher's exact test and Holm.
    """

    topic: str
    missed: int
    pairs: int
    rest: float
    p: float
    is_flagged: bool


@dataclass(frozen=True)
class Confusion:
    """``correlation`` of the grades; its square is the most that the machine can save of the
    judgments. ``topics``: those with enough pairs of people's highest grade.
    """

    cells: tuple[ConfusionCell, ...]
    correlation: Estimate
    topics: tuple[MissedTopic, ...]

    @property
    def most_saved(self) -> float | None:
        value = self.correlation.value
        return None if value is None else max(value, 0.0) ** 2


def compute_confusion(shared: SharedPairs) -> Confusion:
    cells = tuple(_list_cells(shared))
    return Confusion(cells, correlate_grades(shared), tuple(find_missed_topics(shared)))


def _list_cells(shared: SharedPairs) -> list[ConfusionCell]:
    grades = range(min(shared.machine.min(initial=0), 0), shared.top + 1)
    cells = []
    for people in range(shared.top + 1):
        row = shared.people == people
        for machine in grades:
            is_cell = shared.machine[row] == machine
            share = estimate_share(is_cell, shared.weight[row])
            cells.append(ConfusionCell(people, machine, int(is_cell.sum()), share))
    return cells


def estimate_share(hits: Mask, weight: Floats) -> Estimate:
    """The weighted share of ``hits``, with Wilson's interval for as many pairs as an unweighted
    sample would need for the same error.
    """
    n = len(hits)
    if not n:
        return wilson_estimate(0, 0)
    share = float(weight @ hits / weight.sum())
    error = float(compute_error(weight * (hits - share)) / weight.sum())
    equal = float(weight.sum() ** 2 / (weight**2).sum())
    if error > 0 and 0 < share < 1:
        equal = min(share * (1 - share) / error**2, float(n))
    trials = max(int(equal), 1)
    wide = wilson_estimate(share * trials, trials)
    return Estimate(share, n, wide.low, wide.high, wide.level)


def correlate_grades(shared: SharedPairs) -> Estimate:
    """Pearson's correlation by weights; each pair's part of the error is u v − r (u² + v²) / 2."""
    n, weight = len(shared.pairs), shared.weight
    if n < LEAST_PAIRS:
        return Estimate(None, n, why=FEW_PAIRS)
    share = weight / weight.sum()
    deviations = [grades - share @ grades for grades in (shared.people, shared.machine)]
    spreads = [float(np.sqrt(share @ own**2)) for own in deviations]
    if not all(spreads):
        return Estimate(None, n, why="one of the two gives all pairs the same grade")
    u, v = (own / spread for own, spread in zip(deviations, spreads, strict=True))
    r = float(share @ (u * v))
    return estimate_value(r, float(compute_error(share * (u * v - r * (u * u + v * v) / 2))), n)


def find_missed_topics(shared: SharedPairs) -> list[MissedTopic]:
    """By topic: how many of the pairs of people's highest grade the machine gives 0, against all
    others; the most conspicuous first.
    """
    from scipy.stats import hypergeom

    own = shared.people == shared.top
    topics = shared.sample.frame.topics
    counts = np.bincount(shared.topics[own], minlength=len(topics))
    missed = np.bincount(shared.topics[own & (shared.machine <= 0)], minlength=len(topics))
    at = np.flatnonzero(counts >= LEAST_OF_TOPIC)
    if len(at) < 2:
        return []
    p = HOLM.adjust(hypergeom.sf(missed[at] - 1, counts.sum(), missed.sum(), counts[at]))
    rest = (missed.sum() - missed[at]) / np.maximum(counts.sum() - counts[at], 1)
    far = missed[at] / counts[at] - rest >= LEAST_MISSED
    flagged = (p < ALPHA) & far
    columns = zip(at.tolist(), rest.tolist(), p.tolist(), flagged.tolist(), strict=True)
    rows = [
        MissedTopic(topics[each], int(missed[each]), int(counts[each]), *others)
        for each, *others in columns
    ]
    return sorted(rows, key=lambda row: (row.p, row.topic))
