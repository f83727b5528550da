"""Process many files on several cores, with the results in the order of the files."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence, Sized
from pathlib import Path
from typing import Any, TypeVar

from poolbench.files.streams import is_file
from poolbench.runs.run_pieces import MIN_PART

Item = TypeVar("Item")
Result = TypeVar("Result")

_shared: Callable[[Any], Any]


def count_cores() -> int:
    """The number of cores that this process can use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def choose_process_count(paths: Sequence[str]) -> int:
    """One process per core, but only one if the files are small; missing ones count as 0."""
    size = sum(file.stat().st_size for file in map(Path, filter(is_file, paths)))
    return count_cores() if size >= MIN_PART else 1


def map_in_order(
    work: Callable[[Item], Result], items: Iterable[Item], processes: int, *, chunk: int = 1
) -> Iterator[Result]:
    """``work`` of every item, in order, in up to ``processes`` forks of this process, which send
    ``chunk`` results at a time.

    The forks share what ``work`` refers to without pickling; items and results are pickled. This
    process makes the items of an iterator while the forks work. Where processes cannot be forked,
    it does all the work.
    """
    if isinstance(items, Sized):
        processes = min(processes, len(items))
    if processes < 2 or not hasattr(os, "fork"):
        yield from map(work, items)
        return
    # Both take 10 ms to load, which one process need not spend.
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    context = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(processes, context, _share_work, (work,)) as pool:
        # It forks now: making an item may open what forks cannot share, such as a connection.
        pool.submit(int)
        yield from pool.map(_process_item, items, chunksize=chunk)


def _share_work(work: Callable[[Any], Any]) -> None:
    global _shared  # noqa: PLW0603 -- the only way to hand the work to a fork
    _shared = work


def _process_item(item: Any) -> Any:
    return _shared(item)
