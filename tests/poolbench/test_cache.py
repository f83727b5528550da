"""The cache: bounds, taking values out, and threads."""

import gc
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event

import pytest

from poolbench.cache import Cache, clear_caches


def fail() -> int:
    raise AssertionError("computed although stored")


def test_a_value_is_computed_once() -> None:
    cache: Cache[str, int] = Cache(2)
    assert cache.get_or_compute("a", lambda: 1) == 1
    assert cache.get_or_compute("a", fail) == 1
    assert (cache.get("a"), cache.get("b"), cache.get("b", 7)) == (1, None, 7)


def test_none_is_a_value() -> None:
    cache: Cache[str, int | None] = Cache(2)
    assert cache.get_or_compute("a", lambda: None) is None
    assert cache.get_or_compute("a", fail) is None
    assert "a" in cache


def test_the_least_recently_used_value_goes_first() -> None:
    cache: Cache[str, int] = Cache(3)
    for key in "abc":
        cache.put(key, 0)
    cache.get("a")
    cache.get_or_compute("b", fail)
    cache.put("d", 0)
    assert cache.list_keys() == ["a", "b", "d"]
    cache.renew("a", lambda value: value + 1)
    assert (cache.list_keys(), cache.get("a"), len(cache)) == (["b", "d", "a"], 1, 3)


def test_the_bound_is_one_of_costs() -> None:
    cache: Cache[str, str] = Cache(10, len)
    for key, value in (("a", "1234"), ("b", "1234"), ("a", "123456")):
        cache.put(key, value)
    assert cache.list_keys() == ["b", "a"]
    cache.put("c", "1")
    assert cache.list_keys() == ["a", "c"]
    cache.put("large", "x" * 11)
    assert cache.list_keys() == ["large"]
    cache.put("small", "")
    assert cache.list_keys() == ["small"]


def test_a_value_is_taken_by_one_and_counts_as_present() -> None:
    cache: Cache[str, list[int]] = Cache(2)
    cache.put("a", [1])
    assert cache.take("a") == [1]
    assert (len(cache), "a" in cache, cache.take("a"), cache.get("a")) == (0, True, None, None)
    cache.put("a", [2])
    assert (len(cache), "a" in cache, cache.take("a")) == (1, True, [2])
    cache.discard("a")
    assert "a" not in cache


def test_what_fails_is_not_stored() -> None:
    cache: Cache[str, float] = Cache(2)
    with pytest.raises(ZeroDivisionError):
        cache.get_or_compute("a", lambda: 1 / 0)
    assert "a" not in cache
    assert cache.get_or_compute("a", lambda: 1.0) == 1.0


def test_a_value_that_needs_itself_is_an_error() -> None:
    cache: Cache[str, int] = Cache(2)

    def compute() -> int:
        return cache.get_or_compute("a", compute)

    with pytest.raises(RecursionError):
        compute()
    assert cache.get_or_compute("a", lambda: 1) == 1


def test_one_call_clears_all_caches() -> None:
    caches: list[Cache[str, int]] = [Cache(2), Cache(2, float)]
    for cache in caches:
        cache.put("a", 1)
        cache.take("b")
    del cache
    clear_caches()
    assert [("a" in cache, "b" in cache, len(cache)) for cache in caches] == [(False, False, 0)] * 2
    caches.pop()
    gc.collect()
    clear_caches()


def test_what_knows_no_database_outlives_a_clearing():
    cache: Cache[str, int] = Cache(2, lasting=True)
    cache.put("a", 1)
    clear_caches()
    assert cache.get("a") == 1


def test_what_is_computed_during_a_clearing_does_not_outlive_it() -> None:
    cache: Cache[str, int] = Cache(2)

    def compute() -> int:
        clear_caches()
        return 1

    assert cache.get_or_compute("a", compute) == 1
    assert "a" not in cache


def together(threads: int, work: Callable[[int], object]) -> list[object]:
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(work, range(threads)))


def test_threads_that_ask_for_the_same_value_compute_it_once() -> None:
    cache: Cache[str, object] = Cache(2)
    start, computed = Barrier(8), []

    def compute() -> object:
        computed.append(object())
        Event().wait(0.02)
        return computed[-1]

    def ask(_: int) -> object:
        start.wait()
        return cache.get_or_compute("a", compute)

    assert together(8, ask) == computed * 8
    assert len(computed) == 1


def test_other_keys_do_not_wait() -> None:
    cache: Cache[str, str] = Cache(2)
    other_is_there = Event()

    def ask(place: int) -> str:
        if place:
            cache.get_or_compute("b", lambda: "b")
            other_is_there.set()
            return "b"
        return cache.get_or_compute("a", lambda: str(other_is_there.wait(10)))

    assert together(2, ask) == ["True", "b"]


def test_the_next_in_turn_computes_after_a_failure() -> None:
    cache: Cache[str, int] = Cache(2)
    start, tries = Barrier(4), []

    def compute() -> int:
        tries.append(1)
        if len(tries) == 1:
            raise ValueError
        return 5

    def ask(_: int) -> int | None:
        start.wait()
        try:
            return cache.get_or_compute("a", compute)
        except ValueError:
            return None

    assert sorted(together(4, ask), key=str) == [5, 5, 5, None]
    assert len(tries) == 2


def test_renewals_of_one_key_follow_each_other() -> None:
    cache: Cache[str, list[int]] = Cache(2)

    def grow(_: int) -> None:
        for _ in range(50):
            cache.renew("a", lambda value: [*value, len(value)], [])

    together(6, grow)
    assert cache.get("a") == list(range(300))


def test_threads_leave_the_bound_whole() -> None:
    cache: Cache[int, int] = Cache(100, float)

    def work(place: int) -> None:
        for step in range(300):
            key = (place * 7 + step) % 23
            cache.put(key, key)
            cache.get_or_compute(step % 11, lambda cost=step % 11: cost)
            cache.take(step % 5)
            cache.discard(step % 13)

    together(6, work)
    assert sum(cache.get(key) for key in cache.list_keys()) <= 100
    cache.put(50, 100)
    assert sum(cache.get(key) for key in cache.list_keys()) <= 100
