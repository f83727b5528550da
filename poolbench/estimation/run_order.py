"""The order of runs: estimates drawn in towards what the calibration makes of each run.

A machine's error is largely common to all runs, a sample's is each run's own; so the order of runs
is taken from estimates drawn in to their regression on the scores by chances alone (James and
Stein; Fay and Herriot). Scores and intervals are never drawn in.
"""

from __future__ import annotations

import numpy as np

from poolbench.evaluation.judgments import Floats

LEAST_RUNS = 4
"""Fewer runs have no slope: their estimates are drawn in to the mean difference."""


def draw_in(means: Floats, expected: Floats, covariance: Floats) -> Floats:
    """``means`` drawn in: fit + λ · (means − fit), λ = max(0, 1 − tr(P V P) / |P means|²).

    ``expected``: by run, the mean score by chances without a correction. ``covariance``: (runs,
    runs), of the means. P projects on what the regression leaves.
    """
    runs = len(means)
    if runs < 2:
        return means
    ones = np.ones((runs, 1))
    offset = expected if runs < LEAST_RUNS else np.zeros(runs)
    known = ones if runs < LEAST_RUNS else np.column_stack([ones, expected])
    left = np.eye(runs) - known @ np.linalg.pinv(known)
    rest = left @ (means - offset)
    size = float(rest @ rest)
    share = max(0.0, 1 - float(np.trace(left @ covariance @ left)) / size) if size > 0 else 0.0
    drawn: Floats = means - (1 - share) * rest
    return drawn
