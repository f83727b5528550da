"""What is read once within a view, and each time elsewhere."""

import pytest

from poolbench.shared_reads import find_read, read_once, share_reads


def test_a_view_reads_once_for_each_key_and_the_next_view_again():
    reads = []

    @share_reads
    def view(*keys: str) -> list[int]:
        return [read_once(key, lambda: reads.append(1) or len(reads)) for key in keys]

    assert view("a", "a", "b", "a") == [1, 1, 2, 1]
    assert view("a") == [3]


def test_a_query_shares_the_reads_of_its_view():
    reads = []

    @share_reads
    def query() -> int:
        return read_once("a", lambda: reads.append(1) or len(reads))

    @share_reads
    def view() -> list[int]:
        return [query(), read_once("a", int), query()]

    assert view() == [1, 1, 1]
    assert query() == 2


def test_what_a_view_has_read_is_found_in_it_alone():
    @share_reads
    def view() -> list[object]:
        return [find_read("a"), read_once("a", lambda: 1), find_read("a")]

    assert view() == [None, 1, 1]
    assert find_read("a") is None


def test_outside_a_view_nothing_is_kept():
    @share_reads
    def fail() -> None:
        read_once("a", lambda: 1)
        raise ValueError("no answer")

    with pytest.raises(ValueError, match="no answer"):
        fail()
    values = iter((2, 3))
    assert read_once("a", lambda: next(values)) == 2
    assert read_once("a", lambda: next(values)) == 3
