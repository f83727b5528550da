"""Process many files on several cores, with the results in the order of the files."""

import os
import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from select import select
from signal import SIGKILL
from typing import Any, NamedTuple, TypeVar

from poolbench.files.streams import is_file
from poolbench.runs.run_pieces import MIN_PART

Item = TypeVar("Item")
Result = TypeVar("Result")

_shared: Callable[[Any], Any]
_WORD = 4
"""Bytes of a number in a pipe."""
_MOST_SHARES = 2048
"""As many numbers as any pipe has room for."""


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
    work: Callable[[Item], Result], items: Sequence[Item], processes: int
) -> Iterator[Result]:
    """``work`` of every item, in order, by this process and up to ``processes - 1`` forks of it.

    Who is free takes the number of the next share out of one pipe. The forks share the items and
    what ``work`` refers to without pickling; results are pickled. Where processes cannot be
    forked, this one does all the work.
    """
    processes = min(processes, len(items))
    if processes < 2 or not hasattr(os, "fork"):
        yield from map(work, items)
        return
    queue = _ShareQueue(work, items, *os.pipe())
    queue.fill()
    forks = dict(_start_fork(queue) for _ in range(processes - 1))
    try:
        yield from _iter_results(queue, list(forks))
    finally:
        os.close(queue.source)
        for results, process in forks.items():
            os.close(results)
            os.kill(process, SIGKILL)  # it may be at work still, if this one was stopped
            os.waitpid(process, 0)


class _Outcome(NamedTuple):
    """The result of an item, or the error that its work ended with."""

    result: Any
    error: Exception | None = None


class _ShareQueue(NamedTuple):
    """``items`` in shares; the pipe from ``sink`` to ``source`` has the numbers of those left."""

    work: Callable[[Any], Any]
    items: Sequence[Any]
    source: int
    sink: int

    def fill(self) -> None:
        """Write all numbers; then the pipe has an end."""
        starts = range(0, len(self.items), self._size)
        os.write(self.sink, b"".join(start.to_bytes(_WORD, "little") for start in starts))
        os.close(self.sink)

    def do_next(self) -> dict[int, _Outcome]:
        """The outcomes of the next share, by item; none if no share is left."""
        if not (number := os.read(self.source, _WORD)):
            return {}
        start = int.from_bytes(number, "little")
        own = self.items[start : start + self._size]
        return {at: self._do(item) for at, item in enumerate(own, start)}

    def _do(self, item: Any) -> _Outcome:
        try:
            return _Outcome(self.work(item))
        except Exception as error:
            return _Outcome(None, error)  # raised in its turn

    @property
    def _size(self) -> int:
        return 1 + len(self.items) // _MOST_SHARES


def _start_fork(queue: _ShareQueue) -> tuple[int, int]:
    """The pipe of its outcomes, and the process."""
    source, sink = os.pipe()
    if process := os.fork():
        os.close(sink)
        return source, process
    try:
        with os.fdopen(sink, "wb") as file:
            while outcomes := queue.do_next():
                text = pickle.dumps(outcomes)
                file.write(len(text).to_bytes(_WORD, "little") + text)
                file.flush()
    finally:  # whatever happens, a fork does nothing else
        os._exit(0)


def _iter_results(queue: _ShareQueue, pipes: list[int]) -> Iterator[Any]:
    done: dict[int, _Outcome] = {}
    for number in range(len(queue.items)):
        while number not in done:
            own = queue.do_next()
            done |= own
            if not own and not pipes:
                raise RuntimeError("A process ended before its work was done.")
            # Read also while work is left: a fork waits where its pipe is full.
            for pipe in select(pipes, [], [], 0 if own else None)[0]:
                if size := _read_pipe(pipe, _WORD):
                    text = _read_pipe(pipe, int.from_bytes(size, "little"))
                    done |= pickle.loads(text)  # noqa: S301 -- of a fork of this process
                else:
                    pipes.remove(pipe)
        outcome = done.pop(number)
        if outcome.error is not None:
            raise outcome.error
        yield outcome.result


def _read_pipe(pipe: int, size: int) -> bytes:
    """The next ``size`` bytes, fewer at the end."""
    text = b""
    while len(text) < size and (part := os.read(pipe, size - len(text))):
        text += part
    return text


def map_while_made(
    work: Callable[[Item], Result], items: Iterable[Item], processes: int
) -> Iterator[Result]:
    """``work`` of every item, in order, in up to ``processes`` forks of this process, which makes
    the items while they work. Items and results are pickled.
    """
    if processes < 2 or not hasattr(os, "fork"):
        yield from map(work, items)
        return
    # Both take 18 ms to load, which other commands need not spend.
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    context = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(processes, context, _share_work, (work,)) as pool:
        # It forks now: making an item may open what forks cannot share, such as a connection.
        pool.submit(int)
        yield from pool.map(_process_item, items)


def _share_work(work: Callable[[Any], Any]) -> None:
    global _shared  # noqa: PLW0603 -- the only way to hand the work to a fork
    _shared = work


def _process_item(item: Any) -> Any:
    return _shared(item)
