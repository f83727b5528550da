"""Windows of ranks and their sample sizes, as written in a spec."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from campaigns.core.yaml_files import KeyPath, is_number, is_positive

_WINDOW = re.compile(r"\s*([0-9]{1,9})\s*-\s*([0-9]{1,9})\s*")
WINDOWS = "a list of rank windows, such as [1-10, 11-50]"
SAMPLE = "a list of integers of at least 1, rates between 0 and 1, or all: [all, 20, 0.1]"


def parse_window(value: Any) -> tuple[int, int] | None:
    """The first and last rank of ``value``, ``"11-50"`` or ``[11, 50]``; None if invalid."""
    match = _WINDOW.fullmatch(value) if isinstance(value, str) else None
    pair = [int(rank) for rank in match.groups()] if match else value
    if not isinstance(pair, list | tuple) or len(pair) != 2 or not all(map(is_positive, pair)):
        return None
    return (pair[0], pair[1]) if pair[0] <= pair[1] else None


def parse_windows(values: Mapping[str, Any]) -> list[tuple[int, int]]:
    """The valid windows among the values of a step."""
    entries = values.get("windows")
    read = map(parse_window, entries if isinstance(entries, list) else [])
    return [window for window in read if window is not None]


def is_windows(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(map(parse_window, value))


def is_size(value: Any) -> bool:
    return value == "all" or is_positive(value) or (is_number(value) and 0 < value < 1)


def is_sample(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(map(is_size, value))


def iter_window_faults(
    step: Mapping[str, Any], cutoff: int | None
) -> Iterator[tuple[KeyPath, str]]:
    """Inconsistencies of a step with windows: the path in it, and the message."""
    windows, sample = parse_windows(step), step.get("sample")
    for at, (first, _) in enumerate(windows):
        if at and first <= windows[at - 1][1]:
            yield ("windows", at), "does not begin after the previous window"
        if cutoff is not None and first > cutoff:
            yield ("windows", at), f"begins after the cutoff, {cutoff}"
    if sample is not None and len(sample) != len(windows):
        yield ("sample",), f"has {len(sample)} sizes for {len(windows)} windows"
