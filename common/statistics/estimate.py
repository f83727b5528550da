"""The one result of every estimate: a value, its interval, how many, and why there is none."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from common.statistics.least_topics import FIRM_TOPICS


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

    @property
    def is_hint(self) -> bool:
        """Whether the interval is marked as a hint, if the units are topics."""
        return is_hint(self.n, self.low)


def is_hint(topics: int, low: float | None) -> bool:
    """Whether the interval from ``low`` over this many topics is marked as a hint."""
    return low is not None and topics < FIRM_TOPICS


def nan_to_none(value: float) -> float | None:
    """``value``, or None for NaN."""
    return None if value != value else float(value)


def mean_or_none(values: Iterable[float | None]) -> float | None:
    """The mean of the values that are not None; None without any."""
    defined = [value for value in values if value is not None]
    return sum(defined) / len(defined) if defined else None


def estimates_to_dict(result: Any) -> dict[str, Any]:
    """``dataclasses.asdict`` of ``result``, with each estimate in it as value, n and reason: the
    names that files have for them.
    """
    return asdict(result, dict_factory=_rename_estimate)


def _rename_estimate(fields: list[tuple[str, Any]]) -> dict[str, Any]:
    named = dict(fields)
    if tuple(named) != tuple(Estimate.__dataclass_fields__):
        return named
    return {"value": named["value"], "n": named["n"], "reason": named["why"]}
