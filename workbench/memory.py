"""When Python looks for reference cycles.

A page, job or command that reads 100,000 rows makes as many objects without any cycle; by default
the collector goes over all objects of the process a dozen times, for as long as the reading takes.
An error that a job has handled, such as another worker's being first, is a cycle that keeps the
arrays of every function on its way, 30 MB of a run of 600,000 lines, and would stay for hundreds of
jobs.

glibc keeps what numpy and the database's driver have freed, below and between what is in use: of
500 MB for a report on 25 million pairs 100 during the work, and more after it. In a process that
does jobs, arrays from 1 MB on are apart, and go when they are freed; the rest, after each job.
"""

import ctypes
import gc

YOUNG, MIDDLE, OLD = 50_000, 20, 20
M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3
APART, KEPT = 1 << 20, 62 << 20
"""Bytes from which an array is apart, and of free memory that is kept for the next ones."""


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
    call_allocator("malloc_trim", 0)


def return_freed_memory() -> None:
    """For a process that does jobs. By default glibc learns that arrays of up to 32 MB are usual,
    and puts them among the small ones.
    """
    call_allocator("mallopt", M_MMAP_THRESHOLD, APART)
    call_allocator("mallopt", M_TRIM_THRESHOLD, KEPT)


def call_allocator(function: str, *args: int) -> None:
    """A function of glibc; other C libraries have none of that name."""
    if (call := getattr(ctypes.CDLL(None), function, None)) is not None:
        call(*args)
