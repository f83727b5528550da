"""The one result of every estimate: a value, its interval, how many, and why there is none."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Estimate:
    """``value`` from ``n`` units (topics, runs, assessors, draws), with the interval from ``low``
    to ``high`` of the confidence ``level``.

    ``value`` is None where it is undefined, ``low`` and ``high`` are None where there is no
    interval; ``why`` then says why, as the end of the sentence "undefined, …".
    """

    value: float | None
    n: int
    low: float | None = None
    high: float | None = None
    level: float | None = None
    why: str | None = None
