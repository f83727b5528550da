"""The folder of copies: bounded, whole files only, shared by processes."""

import hashlib
import mmap
import os
import threading
import time

import pytest

from campaigns.file_cache import ABANDONED_SECONDS, FileCache


@pytest.fixture
def cache(tmp_path) -> FileCache:
    return FileCache(tmp_path / "cache", limit=1_000)


def add(cache: FileCache, letter: bytes, size: int = 300, seconds_ago: float = 0) -> str:
    """A file, last used so long ago: its name."""
    data = letter * size
    name = f"ab/{hashlib.sha256(data).hexdigest()}.columns"
    path = cache.fetch(name, lambda part: part.write_bytes(data))
    assert path.read_bytes() == data
    use(cache, name, seconds_ago)
    return name


def use(cache: FileCache, name: str, seconds_ago: float) -> None:
    at = time.time() - seconds_ago
    os.utime(cache.folder / name, (at, at))


def test_a_file_is_fetched_once(cache):
    name = add(cache, b"a")

    def fail(_part):
        raise AssertionError("fetched again")

    assert cache.fetch(name, fail) == cache.find(name)


def test_the_least_recently_used_files_go(cache):
    first, second, third = (add(cache, letter, seconds_ago=60) for letter in (b"a", b"b", b"c"))
    use(cache, second, seconds_ago=90)
    cache.find(first)  # used now
    fourth = add(cache, b"d")
    present = [name for name in (first, second, third, fourth) if (cache.folder / name).exists()]
    assert present == [first, third, fourth]


def test_a_file_that_is_about_to_be_opened_stays_although_the_limit_is_exceeded(cache):
    names = [add(cache, letter, size=600) for letter in (b"a", b"b", b"c")]
    assert all((cache.folder / name).exists() for name in names)


def test_a_map_of_a_removed_file_goes_on(cache):
    name = add(cache, b"a", seconds_ago=60)
    with (cache.folder / name).open("rb") as stream:
        mapped = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
    add(cache, b"b", size=900)
    assert cache.find(name) is None
    assert mapped[:] == b"a" * 300


@pytest.mark.parametrize("content", [b"", b"a" * 299, b"b" * 300])
def test_half_a_file_or_another_is_never_seen(cache, content):
    name = f"ab/{hashlib.sha256(b'a' * 300).hexdigest()}.columns"
    with pytest.raises(ValueError, match="has other content"):
        cache.fetch(name, lambda part: part.write_bytes(content))
    assert cache.find(name) is None
    assert list(cache.folder.rglob("*.*")) == []


def test_what_a_dead_process_left_is_removed(cache):
    cache.folder.mkdir()
    dead, alive = cache.folder / "dead.part", cache.folder / "alive.part"
    for path in (dead, alive):
        path.write_bytes(b"half")
    long_ago = time.time() - 2 * ABANDONED_SECONDS
    os.utime(dead, (long_ago, long_ago))
    add(cache, b"a")
    assert (dead.exists(), alive.exists()) == (False, True)


def test_many_that_fetch_and_remove_at_once_always_read_whole_files(cache):
    faults: list[object] = []

    def work(number: int) -> None:
        try:
            for step in range(40):
                add(cache, b"abcdefgh"[(number + step) % 8 :][:1], seconds_ago=60)
        except (AssertionError, ValueError) as error:
            faults.append(error)
        except FileNotFoundError:
            pass  # used 60 seconds ago, says the test, and therefore removed

    threads = [threading.Thread(target=work, args=[number]) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []
