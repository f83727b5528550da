"""How often Python looks for reference cycles.

A page that reads 100,000 rows makes as many objects without any cycle; by default the collector
goes over all objects of the process a dozen times, which takes as long as the reading.
"""

from __future__ import annotations

import gc

YOUNG, MIDDLE, OLD = 50_000, 20, 20


def set_collector_thresholds() -> None:
    """For a process that serves requests, when its applications are loaded."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(YOUNG, MIDDLE, OLD)
