"""The five numbers of a box plot, with what lies outside.

Quartiles are linear interpolations between order statistics at (n − 1) p, which is type 7 of
Hyndman and Fan (The American Statistician 50(4), 1996) and the default of numpy and R. Whiskers end
at the most extreme values within 1.5 interquartile ranges of the box; what is beyond is listed one
by one (Tukey, Exploratory Data Analysis, 1977).

Undefined values are left out. One value is its own box; equal values have a box without height.
Example: 1, 2, 3, 4, 10 has quartiles 2, 3 and 4, so whiskers end within −1 to 7: at 1 and 4, and 10
is outside.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from poolbench.statistics.draws import Floats

REACH = 1.5
"""Interquartile ranges between the box and the farthest end of a whisker."""


@dataclass(frozen=True)
class BoxPlot:
    """``low`` and ``high`` are the ends of the whiskers, ``outside`` the values beyond them in
    ascending order; ``n`` values are defined.
    """

    low: float
    first_quartile: float
    median: float
    third_quartile: float
    high: float
    outside: tuple[float, ...]
    n: int


def summarize_as_box(values: Iterable[float] | Floats) -> BoxPlot | None:
    """The box plot of ``values``, NaN left out; None if none is defined."""
    listed = np.asarray(list(values), np.float64)
    defined = np.sort(listed[np.isfinite(listed)])
    if not len(defined):
        return None
    first, median, third = (float(value) for value in np.quantile(defined, (0.25, 0.5, 0.75)))
    reach = REACH * (third - first)
    is_within = (defined >= first - reach) & (defined <= third + reach)
    within, outside = defined[is_within], defined[~is_within]
    return BoxPlot(
        low=float(within[0]),
        first_quartile=first,
        median=median,
        third_quartile=third,
        high=float(within[-1]),
        outside=tuple(outside.tolist()),
        n=len(defined),
    )
