"""When Python looks for reference cycles.

A page, job or command that reads 100,000 rows makes as many objects without any cycle; by default
the collector goes over all objects of the process a dozen times, for as long as the reading takes.
An error that a job has handled, such as another worker's being first, is a cycle that keeps the
arrays of every function on its way, 30 MB of a run of 600,000 lines, and would stay for hundreds of
jobs.

The C library keeps what numpy and the database's driver have freed below what is still in use: of
600 MB that a report on 25 million pairs took, 150 to 250 after its job. It is given back at once.
"""

import ctypes
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
    if _trim is not None:
        _trim(0)


_trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
"""Of glibc; other C libraries have none."""
