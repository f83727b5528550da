"""Work in several processes gives what one process gives."""

import os
from collections.abc import Callable

import pytest

from poolbench.commands.processes import map_in_order, map_while_made

ITEMS = range(5000)
OWN = os.getpid()


def square(number: int) -> tuple[int, bool]:
    return number**2, os.getpid() == OWN


@pytest.mark.parametrize("processes", [1, 2, 3])
def test_results_come_in_the_order_of_the_items(processes: int) -> None:
    results = list(map_in_order(square, ITEMS, processes))
    assert [result for result, _ in results] == [number**2 for number in ITEMS]
    assert {is_own for _, is_own in results} <= ({True} if processes == 1 else {True, False})


def test_this_process_and_its_forks_work_at_the_same_time() -> None:
    """Each waits for the other one's work."""
    here, there = os.pipe(), os.pipe()

    def meet(_: int) -> bytes:
        own, other = (here, there) if os.getpid() == OWN else (there, here)
        os.write(other[1], b"x")
        return os.read(own[0], 1)

    assert list(map_in_order(meet, range(2), 2)) == [b"x", b"x"]


def test_results_may_be_larger_than_a_pipe() -> None:
    assert list(map(len, map_in_order(bytes, [1 << 20] * 8, 3))) == [1 << 20] * 8


@pytest.mark.parametrize("processes", [1, 3])
def test_an_error_is_raised_in_its_turn(processes: int) -> None:
    results = map_in_order(lambda number: 1 / (number - 5), range(20), processes)
    assert [next(results) for _ in range(5)] == [1 / (number - 5) for number in range(5)]
    with pytest.raises(ZeroDivisionError):
        next(results)


def test_a_fork_that_ends_early_is_an_error() -> None:
    """The fork has taken one of two items when it ends, and no other process knows which."""
    source, sink = os.pipe()

    def end_fork(_: int) -> None:
        if os.getpid() != OWN:
            os.write(sink, b"x")
            os._exit(1)
        os.read(source, 1)

    with pytest.raises(RuntimeError, match="ended before its work was done"):
        list(map_in_order(end_fork, range(2), 2))


@pytest.mark.parametrize("take", [3, 20])
def test_no_fork_is_left(take: int, monkeypatch: pytest.MonkeyPatch) -> None:
    fork, forks = os.fork, list[int]()

    def record_fork() -> int:
        forks.append(fork())
        return forks[-1]

    monkeypatch.setattr(os, "fork", record_fork)
    results = map_in_order(square, range(20), 4)
    for _ in range(take):
        next(results)
    results.close()  # type: ignore[attr-defined]
    assert len(forks) == 3
    for process in forks:
        with pytest.raises(ProcessLookupError):
            os.kill(process, 0)


@pytest.mark.parametrize("function", [map_in_order, map_while_made])
def test_nothing_to_do(function: Callable[..., object]) -> None:
    assert list(function(square, [], 2)) == []  # type: ignore[call-overload]
