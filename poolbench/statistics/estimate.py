"""The one result of every estimate: a value, its interval, how many, and why there is none."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from poolbench.statistics.least_topics import FIRM_TOPICS, TOO_FEW_TOPICS


@dataclass(frozen=True)
class Estimate:
    """``value`` from ``n`` units (topics, runs, judgments, draws), with the interval from ``low``
    to ``high`` of the confidence ``level``.

    ``value`` is None where it is undefined, ``low`` and ``high`` are None where there is no
    interval; ``why`` then says why, as the end of the sentence "undefined, …". Where the interval
    is over ``topics`` and the units lie within them, ``reason`` says why the value is undefined,
    or of what part it is, and ``why`` is of the interval alone. ``prevalence``: the share of the
    judgments compared that are relevant.
    """

    value: float | None
    n: int
    low: float | None = None
    high: float | None = None
    level: float | None = None
    why: str | None = None
    topics: int | None = None
    reason: str | None = None
    prevalence: float | None = None

    @property
    def is_hint(self) -> bool:
        """Whether the interval is marked as a hint, if it is over topics."""
        return is_hint(self.n if self.topics is None else self.topics, self.low)

    @property
    def successes(self) -> int:
        """Of a proportion: how many of the ``n``."""
        return round((self.value or 0.0) * self.n)

    @property
    def lacks_topics(self) -> bool:
        return self.why == TOO_FEW_TOPICS


UNDEFINED = Estimate(None, 0)


def is_hint(topics: int, low: float | None) -> bool:
    """Whether the interval from ``low`` over this many topics is marked as a hint."""
    return low is not None and topics < FIRM_TOPICS


def nan_to_none(value: float) -> float | None:
    return None if value != value else float(value)


def mean_or_none(values: Iterable[float | None]) -> float | None:
    """The mean of the values that are not None; None without any."""
    defined = [value for value in values if value is not None]
    return sum(defined) / len(defined) if defined else None


def serialize_coefficient(estimate: Estimate) -> dict[str, Any]:
    """One over topics, with the names that files have for its parts."""
    return {
        "value": estimate.value,
        "n": estimate.n,
        "reason": estimate.reason,
        "prevalence": estimate.prevalence,
        "topics": estimate.topics,
        "low": estimate.low,
        "high": estimate.high,
        "no_interval": estimate.why,
    }


def estimate_to_dict(estimate: Estimate) -> dict[str, Any]:
    """One with its interval over its units, for JSON: without what only agreement has."""
    names = ("value", "n", "low", "high", "level", "why")
    return {name: getattr(estimate, name) for name in names}


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
