"""How often Python looks for reference cycles.

A page that reads 100,000 rows makes as many objects without any cycle; by default the collector
goes over all objects of the process a dozen times meanwhile, which is half of the work.
"""

from __future__ import annotations

import gc

YOUNG, MIDDLE, OLD = 50_000, 20, 20


def relax_collector() -> None:
    """For a process that serves requests, when its applications are loaded."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(YOUNG, MIDDLE, OLD)
