"""How many requests took how long, counted by all web processes together.

gunicorn loads this module before it forks them (``deploy/gunicorn.conf.py``), so they share its
memory. Each adds to a row of its own; one that takes over a row goes on with its counts.
"""

import os
from bisect import bisect_left
from mmap import mmap
from threading import Lock

BOUNDS = (0.01, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
"""Seconds up to which a request belongs to a bin; the last bin has no bound."""
ROWS, COLUMNS = 64, len(BOUNDS) + 3
SECONDS, ERRORS = -2, -1
_sums = memoryview(mmap(-1, 8 * ROWS * COLUMNS)).cast("d", (ROWS, COLUMNS))
_adding = Lock()


def record_request(seconds: float, status: int) -> None:
    """Count a request that was answered with ``status`` after ``seconds``."""
    row = os.getpid() % ROWS
    with _adding:
        _sums[row, bisect_left(BOUNDS, seconds)] += 1
        _sums[row, COLUMNS + SECONDS] += seconds
        _sums[row, COLUMNS + ERRORS] += status >= 500


def sum_requests() -> list[float]:
    """Requests by bin, then all their seconds, and how many were answered with 500 or more."""
    return [sum(_sums[row, column] for row in range(ROWS)) for column in range(COLUMNS)]
