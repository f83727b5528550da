"""Making rows while the database server works on those before."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import NoReturn, TypeVar

from django.db import connection

Item = TypeVar("Item")


def read_ahead(items: Iterable[Item]) -> Iterator[Item]:
    """``items``, each made in a thread while the caller uses the one before: where this process
    waits for PostgreSQL, at no cost. SQLite works in this process, and nothing is read ahead.

    Making them may not ask the database: another thread has another connection.
    """
    if connection.vendor != "postgresql":
        yield from items
        return
    rest = iter(items)
    with ThreadPoolExecutor(1, initializer=refuse_queries) as thread:
        coming = thread.submit(list_next, rest)
        while found := coming.result():
            coming = thread.submit(list_next, rest)
            yield from found


def list_next(rest: Iterator[Item]) -> list[Item]:
    """The next one; none at the end."""
    for item in rest:
        return [item]
    return []


def refuse_queries() -> None:
    """In this thread, whose connection is its own and never opened."""
    connection.ensure_connection = refuse_connection  # type: ignore[method-assign]


def refuse_connection() -> NoReturn:
    raise RuntimeError("what is read ahead may not ask the database")
