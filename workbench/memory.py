"""When Python looks for reference cycles.

A page, job or command that reads 100,000 rows makes as many objects without any cycle; by default
the collector goes over all objects of the process a dozen times, for as long as the reading takes.
An error that a job has handled, such as another worker's being first, is a cycle that keeps the
arrays of every function on its way, 30 MB of a run of 600,000 lines, and would stay for hundreds of
jobs.
"""

import gc

YOUNG, MIDDLE, OLD = 50_000, 20, 20


def set_collector_thresholds() -> None:
    """For a command, as it starts."""
    gc.set_threshold(YOUNG, MIDDLE, OLD)


def set_aside_loaded() -> None:
    """For a process that serves requests or does jobs, when its applications are loaded: the
    collector does not look at them again.
    """
    set_collector_thresholds()
    gc.collect()
    gc.freeze()


def collect_garbage() -> None:
    """For a process that does jobs, after each: takes milliseconds after ``set_aside_loaded``."""
    gc.collect()
