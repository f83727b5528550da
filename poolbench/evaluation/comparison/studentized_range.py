"""The studentized range distribution, fast for thousands of pairs (scipy takes 7 ms per value)."""

import numpy as np

from poolbench.statistics.draws import Floats, iter_slices

STEP = 0.005
"""Grid spacing of the tabulated distribution."""

POINTS = 240
"""Number of points of the trapezoid rule over the scale."""

ROWS = 4096
"""Statistics processed at a time."""


def studentized_range_sf(q: Floats, groups: int, df: float) -> Floats:
    """P(Q > q) for ``groups`` means and ``df`` degrees of freedom; the shape of ``q``.

    Integrates the distribution of the range of normal means over the scale s, on a grid of log
    s, where the trapezoid rule converges geometrically. Within 1e-8 of scipy's values.
    """
    from scipy.interpolate import CubicSpline

    scale, weight = _scales(df)
    top = min(float(np.max(q, initial=0.0)) * float(scale.max()), 40.0) + 2 * STEP
    grid = np.arange(0.0, top + STEP, STEP)
    table = CubicSpline(grid, 1 - _range_cdf(grid, groups))
    flat = q.ravel()
    answer = np.empty(len(flat))
    for rows in iter_slices(len(flat), ROWS):
        widths = np.minimum(flat[rows, None] * scale, grid[-1])
        answer[rows] = table(widths) @ weight
    clipped: Floats = np.clip(answer, 0.0, 1.0).reshape(q.shape)
    return clipped


def studentized_range_isf(alpha: float, groups: int, df: float) -> float:
    """The q exceeded with probability ``alpha``."""
    from scipy.optimize import brentq

    def beyond(q: float) -> float:
        return float(studentized_range_sf(np.array([q]), groups, df)[0]) - alpha

    high = 4.0
    while beyond(high) > 0:
        high *= 2
    return float(brentq(beyond, 0.0, high, xtol=1e-10))


def _scales(df: float) -> tuple[Floats, Floats]:
    """Points s = √(χ²/df) and their weights, which sum to 1."""
    from scipy.special import gammaln

    logs = np.linspace(-6.5 / np.sqrt(df) - 42 / df, 6.5 / np.sqrt(df), POINTS)
    peak = np.log(2) + df / 2 * np.log(df / 2) - gammaln(df / 2)
    density = np.exp(peak + df * logs - df / 2 * np.exp(2 * logs))
    return np.exp(logs), density * (logs[1] - logs[0])


def _range_cdf(widths: Floats, groups: int) -> Floats:
    """P(range of ``groups`` standard normal values ≤ width), for each width."""
    from scipy.special import ndtr

    z = np.linspace(-9.0, 9.0, 181)
    step = (z[1] - z[0]) * groups / np.sqrt(2 * np.pi)
    answer = np.empty(len(widths))
    for piece in iter_slices(len(widths), 512):
        between = ndtr(z) - ndtr(z - widths[piece, None])
        answer[piece] = between ** (groups - 1) @ (np.exp(-z * z / 2) * step)
    return np.minimum(answer, 1.0)
