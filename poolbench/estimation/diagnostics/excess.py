"""How much more a machine gives than pairs of the same people's grade get."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from poolbench.estimation.machines import NONE, MachineInput
from poolbench.estimation.sample import JudgedSample
from poolbench.evaluation.comparison.corrections import HOLM
from poolbench.evaluation.judgments import Floats, Ints
from poolbench.statistics.estimate import Estimate

LEVEL, QUANTILE, ALPHA = 0.95, 1.96, 0.05
LEAST_PAIRS = 20
"""With fewer pairs that both have graded, nothing is said of the machine."""
FEW_PAIRS = f"fewer than {LEAST_PAIRS} pairs have both grades"


@dataclass(frozen=True, eq=False)
class SharedPairs:
    """The pairs of ``sample`` that the machine has graded too: ``pairs`` of the frame, ``people``
    and ``machine`` grades, ``weight`` 1/π.
    """

    sample: JudgedSample
    pairs: Ints
    people: Ints
    machine: Ints
    weight: Floats

    @cached_property
    def topics(self) -> Ints:
        """The topic of each pair."""
        return self.sample.frame.topic_index[self.pairs]

    @property
    def top(self) -> int:
        """The highest grade of the scale."""
        return int(self.sample.steps.shape[1])


def share_pairs(sample: JudgedSample, machine: MachineInput) -> SharedPairs:
    grades = machine.grades[sample.judged]
    known = grades != NONE
    people = sample.steps[known].sum(axis=1).astype(np.int64)
    pairs = sample.judged[known]
    return SharedPairs(sample, pairs, people, grades[known], 1 / sample.pi[pairs])


def build_dummies(grades: Ints) -> Floats:
    """A column for each grade that occurs."""
    dummies: Floats = (grades[:, None] == np.unique(grades)[None, :]).astype(float)
    return dummies


@dataclass(frozen=True, eq=False)
class WeightedFit:
    """``slopes`` of the columns, ``left`` by pair, and ``influences`` (pairs, columns): what each
    pair adds to each slope.
    """

    slopes: Floats
    left: Floats
    influences: Floats


def fit_weighted(columns: Floats, y: Floats, weight: Floats, penalties: Floats) -> WeightedFit:
    """Ridge regression by weights, which are taken relative to their mean."""
    relative = weight / weight.mean()
    weighted = columns * relative[:, None]
    inverse = np.linalg.pinv(weighted.T @ columns + np.diag(penalties))
    slopes = inverse @ (weighted.T @ y)
    left = y - columns @ slopes
    return WeightedFit(slopes, left, (weighted * left[:, None]) @ inverse)


def compute_error(parts: Floats) -> Floats:
    """The standard error of the sums of ``parts``, (pairs,) or (pairs, columns), over pairs: n / (n
    − 1) Σ (part − mean)², without the factor 1 − π of the pairs that a finite pool leaves.
    """
    n = len(parts)
    error: Floats = np.sqrt(n / max(n - 1, 1) * ((parts - parts.mean(axis=0)) ** 2).sum(axis=0))
    return error


def estimate_value(value: float, error: float, n: int) -> Estimate:
    """With its 95 % interval by the Normal distribution."""
    return Estimate(value, n, value - QUANTILE * error, value + QUANTILE * error, LEVEL)


def find_p_values(values: Floats, errors: Floats, sides: int) -> Floats:
    """p values that 0 would be exceeded so far, by Holm over all; 1 ``sides``: only above."""
    from scipy.special import ndtr

    z = np.divide(values, errors, out=np.zeros_like(values), where=errors > 0)
    p = ndtr(-z) if sides == 1 else 2 * ndtr(-abs(z))
    adjusted: Floats = HOLM.adjust(p)
    return adjusted
