"""Do the same work for many files on several cores, with the results in the order of the files."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

WORTH = 1 << 25
"""Bytes below which a second process would take longer to start than it saves (32 MiB)."""

_held: tuple[Callable[[Any], Any], Sequence[Any]]


def count_cores() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def total_size(paths: Sequence[str]) -> int:
    """The size of all files together; those that cannot be looked at count nothing."""
    files = map(Path, paths)
    return sum(file.stat().st_size for file in files if file.is_file())


def choose_process_count(paths: Sequence[str]) -> int:
    """As many processes to read files as there are cores, but for a few bytes one."""
    return count_cores() if total_size(paths) >= WORTH else 1


def map_in_order(
    work: Callable[[Item], Result], items: Sequence[Item], processes: int
) -> Iterator[Result]:
    """``work`` of every item, in their order, in up to ``processes`` copies of this process.

    Whatever ``work`` holds is there in the copies without being sent; what it returns is
    pickled. Where processes cannot be copied all is done in this one.
    """
    processes = min(processes, len(items))
    if processes < 2 or "fork" not in multiprocessing.get_all_start_methods():
        yield from map(work, items)
        return
    from concurrent.futures import ProcessPoolExecutor

    context = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(processes, context, _hold, (work, items)) as pool:
        yield from pool.map(_done, range(len(items)))


def _hold(work: Callable[[Any], Any], items: Sequence[Any]) -> None:
    global _held  # noqa: PLW0603 -- a copied process knows its work by this alone
    _held = work, items


def _done(at: int) -> Any:
    work, items = _held
    return work(items[at])
