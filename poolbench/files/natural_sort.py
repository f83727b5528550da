"""Natural sort order of IDs: ``2`` before ``10``, ``q9`` before ``q10``."""

import re
from collections.abc import Iterable, Mapping
from typing import TypeVar

Row = TypeVar("Row")

_DIGITS = re.compile("([0-9]+)")


def natural_sort_key(text: str) -> tuple[list[tuple[int, str]], str]:
    """A sort key: digits compare as numbers, ``01`` and ``1`` by code point."""
    # Parts at odd positions are digits: without leading zeros, the longer number is larger.
    parts = enumerate(_DIGITS.split(text))
    return [(len(p.lstrip("0")), p.lstrip("0")) if at % 2 else (0, p) for at, p in parts], text


def sort_naturally(texts: Iterable[str]) -> list[str]:
    return sorted(texts, key=natural_sort_key)


def sort_items_naturally(rows: Mapping[str, Row]) -> list[tuple[str, Row]]:
    """The items of ``rows``, by their keys in natural order."""
    return [(key, rows[key]) for key in sort_naturally(rows)]
