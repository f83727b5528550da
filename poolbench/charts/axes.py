"""Axes: where a value stands between two ends, and what is written beside it.

Shares run from 0 at the first end of an axis to 1 at its last; a plot turns them into lengths.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeGuard

TICKS = 5
FIFTH = 0.2
SLACK = 1e-9
"""Tolerance for floating-point noise in a number of steps."""


@dataclass(frozen=True)
class Axis:
    """A numeric axis: ``(value, label)`` of its ticks, ascending.

    It reaches from its first tick to its last, or to ``last`` where no tick stands at its end.
    """

    name: str
    ticks: Sequence[tuple[float, str]]
    last: float | None = None

    def share(self, value: float) -> float:
        low = self.ticks[0][0]
        high = self.ticks[-1][0] if self.last is None else self.last
        return (value - low) / (high - low) if high > low else 0.0


@dataclass(frozen=True)
class NameAxis:
    """An axis of names, each in the middle of its own ``band`` (its width, in viewBox units).

    ``room`` is the width for names at the left of a vertical axis, or the space between plot and
    names under a horizontal one.
    """

    names: Sequence[str]
    band: float
    name: str = ""
    room: float = 0.0

    @property
    def count(self) -> int:
        """The number of bands; an axis without names keeps the space of one."""
        return max(len(self.names), 1)

    @property
    def length(self) -> float:
        return self.band * self.count

    def share(self, at: float) -> float:
        return (at + 0.5) / self.count


def can_draw(value: float | None) -> TypeGuard[float]:
    """Whether ``value`` can be drawn: None, NaN and infinity are gaps."""
    return value is not None and math.isfinite(value)


def round_axis(name: str, values: Iterable[float]) -> Axis:
    """Equidistant ticks at round numbers that span 0 and all ``values``."""
    ends = [0.0, *filter(math.isfinite, values)]
    low, high = min(ends), max(ends)
    step = round_up_nice((high - low) / TICKS or 1.0 / TICKS)
    first, last = math.floor(low / step + SLACK), math.ceil(high / step - SLACK)
    return _step_axis(name, step, range(first, max(last, first + 1) + 1))


def fifths_axis(name: str, least: float = 0.0) -> Axis:
    """Ticks at fifths up to 1, from the next one below ``least``, or from 0 if that is 1."""
    return _step_axis(name, FIFTH, range(math.floor(least / FIFTH) if least < 1 else 0, 6))


def parts_axis(name: str, low: float, high: float, parts: int, *, signed: bool = False) -> Axis:
    """``parts`` equal steps from ``low`` to ``high``."""
    values = [round(low + (high - low) * at / parts, 9) for at in range(parts + 1)]
    return Axis(name, [(value, format_tick(value, signed=signed)) for value in values])


def _step_axis(name: str, step: float, numbers: Iterable[int]) -> Axis:
    values = [round(step * number, 9) for number in numbers]
    return Axis(name, [(value, format_tick(value)) for value in values])


def round_up_nice(value: float) -> float:
    """``value`` rounded up to 1, 2, 4, 6, 8 or 10 times a power of ten."""
    power: float = 10.0 ** math.floor(math.log10(value))
    return next(
        round(step * power, 9) for step in (1, 2, 4, 6, 8, 10) if step * power >= value - 1e-12
    )


def round_down_nice(value: float) -> float:
    """The lower end of an axis for values from ``value`` on: 0 unless they go below."""
    return 0.0 if value >= 0 else -round_up_nice(-value)


def format_tick(value: float, *, signed: bool = False) -> str:
    text = f"{value:g}" if abs(value) < 10_000 else f"{value:,.0f}"
    return f"+{text}" if signed and value > 0 else text.replace("-", "−")


def format_value(value: float | None) -> str:
    """At most four decimals, for tooltips and screen readers."""
    return f"{value:.4f}".rstrip("0").rstrip(".") if can_draw(value) else "undefined"
