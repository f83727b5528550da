"""Running sums and products within groups of rows, and shifts to adjacent rows.

Each group is processed separately, so that its numbers do not depend on other groups, to the
last digit. ``starts`` has the first row of each group and the end of the last one.
"""

from itertools import pairwise

import numpy as np

from poolbench.evaluation.judgments import Floats, Ints


def running_sums(values: Floats, starts: Ints) -> Floats:
    """The sum of the group down to and including each row; same shape as ``values``."""
    return _running(np.add, values, starts)


def running_products(values: Floats, starts: Ints) -> Floats:
    """The product of the group down to and including each row; same shape as ``values``."""
    return _running(np.multiply, values, starts)


def _running(operation: np.ufunc, values: Floats, starts: Ints) -> Floats:
    running = np.empty(len(values))
    for start, end in pairwise(starts.tolist()):
        operation.accumulate(values[start:end], out=running[start:end])
    return running


def shift_down(values: Floats, starts: Ints, first: float) -> Floats:
    """The value of the previous row in the group; ``first`` for the first row of each group."""
    shifted = np.empty(len(values))
    shifted[1:] = values[:-1]
    shifted[starts[:-1][np.diff(starts) > 0]] = first
    return shifted


def shift_up(values: Floats, starts: Ints, last: float) -> Floats:
    """The value of the next row in the group; ``last`` for the last row of each group."""
    shifted = np.empty(len(values))
    shifted[:-1] = values[1:]
    shifted[starts[1:][np.diff(starts) > 0] - 1] = last
    return shifted
