"""Whether people's grades move against the calibrated machine while they judge."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from poolbench.estimation.diagnostics.excess import (
    ALPHA,
    LEAST_PAIRS,
    compute_error,
    estimate_value,
    find_p_values,
    fit_weighted,
)
from poolbench.estimation.sample import JudgedSample
from poolbench.evaluation.judgments import Floats, Ints
from poolbench.statistics.estimate import Estimate

STEP = 100


@dataclass(frozen=True)
class Drift:
    """``slope``: how many grades the assessor gives more, beyond what was expected of each pair,
    after another hundred judgments.
    """

    assessor: str
    slope: Estimate
    p: float
    is_alarm: bool


def measure_drift(
    sample: JudgedSample, chances: Floats, order: Ints, assessors: Sequence[str]
) -> tuple[Drift, ...]:
    """By assessor with enough judgments. ``chances``: cross-fitted; ``order`` and ``assessors`` by
    judged pair: its place in the order of judging, and who judged it ("": several).
    """
    left = (sample.steps - chances[sample.judged]).sum(axis=1)
    who = np.array(assessors, object)
    names, slopes = list[str](), list[tuple[float, float, int]]()
    for name in sorted(set(assessors) - {""}):
        own = np.flatnonzero(who == name)
        if len(own) < LEAST_PAIRS:
            continue
        place = np.argsort(np.argsort(order[own], kind="stable"), kind="stable") / STEP
        columns = np.column_stack([place, np.ones(len(own))])
        fit = fit_weighted(columns, left[own], np.ones(len(own)), np.zeros(2))
        names.append(name)
        slopes.append((float(fit.slopes[0]), float(compute_error(fit.influences[:, 0])), len(own)))
    if not slopes:
        return ()
    p = find_p_values(np.array([row[0] for row in slopes]), np.array([row[1] for row in slopes]), 2)
    return tuple(
        Drift(name, estimate_value(*row), float(own), bool(own < ALPHA))
        for name, row, own in zip(names, slopes, p.tolist(), strict=True)
    )
