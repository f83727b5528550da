"""Proportions of wins: the exact sign test, and Wilson's interval."""

import math

import numpy as np
from numpy.typing import NDArray

from poolbench.statistics.bootstrap import LEVEL
from poolbench.statistics.draws import Floats
from poolbench.statistics.estimate import Estimate

NO_TRIALS = "there is none to count"


def sign_test_probability(wins: Floats, decided: NDArray[np.integer]) -> Floats:
    """Two-sided p of each number of ``wins`` among the ``decided`` ones, without ties, under the
    binomial distribution with probability ½; exact. 1 where none is decided.
    """
    from scipy.special import bdtr

    fewer = np.minimum(wins, decided - wins).astype(np.float64)
    probability: Floats = np.minimum(1.0, 2 * bdtr(fewer, decided, 0.5))
    return probability


def wilson_estimate(successes: float, trials: int) -> Estimate:
    """``successes`` / ``trials`` with Wilson's score interval (JASA 1927): the proportions that a
    two-sided z test at the 95 % level does not reject. It stays within 0 and 1.
    """
    from scipy.special import ndtri

    if not trials:
        return Estimate(None, 0, why=NO_TRIALS)
    z = float(ndtri((1 + LEVEL) / 2))
    share = successes / trials
    middle = (share + z * z / (2 * trials)) / (1 + z * z / trials)
    half = z * math.sqrt(share * (1 - share) / trials + (z / (2 * trials)) ** 2)
    half /= 1 + z * z / trials
    # Rounding moves an end that is exactly 0 or 1.
    low = max(0.0, middle - half) if successes else 0.0
    high = min(1.0, middle + half) if successes < trials else 1.0
    return Estimate(share, trials, low, high, LEVEL)
