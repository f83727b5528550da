"""A gauge: one value on its scale, with its interval and the region that counts as good."""

from dataclasses import dataclass

from poolbench.charts.axes import can_draw
from poolbench.charts.svg import add_element, create_svg, format_length, write_xml

LENGTH, HEIGHT, MIDDLE, CAP = 200.0, 12.0, 6.0, 4.0
"""In viewBox units; the ends of an interval reach ``CAP`` up and down."""


@dataclass(frozen=True)
class Gauge:
    """``low`` and ``high`` are the interval, ``good`` the region that counts as good; all are
    clipped to ``scale``.
    """

    value: float | None
    scale: tuple[float, float] = (0.0, 1.0)
    low: float | None = None
    high: float | None = None
    good: tuple[float, float] | None = None

    @property
    def is_good(self) -> bool:
        """Whether the value is in the good region; True where none is known."""
        if self.value is None or self.good is None:
            return True
        return self.good[0] <= self.value <= self.good[1]

    def place(self, value: float) -> float:
        """From the left, in viewBox units."""
        low, high = self.scale
        share = (value - low) / (high - low) if high > low else 0.0
        return LENGTH * max(0.0, min(1.0, share))


def write_gauge(gauge: Gauge) -> str:
    """Hidden from screen readers: the figure beside it has the value and its interval in words."""
    svg = create_svg((LENGTH, HEIGHT), class_="gauge", aria_hidden="true")
    add_element(svg, "path", class_="track", d=f"M0 {MIDDLE:g}H{LENGTH:g}")
    if gauge.good is not None:
        left, right = (format_length(gauge.place(end)) for end in gauge.good)
        add_element(svg, "path", class_="ok", d=f"M{left} {MIDDLE:g}H{right}")
    if can_draw(gauge.low) and can_draw(gauge.high):
        left, right = (format_length(gauge.place(end)) for end in (gauge.low, gauge.high))
        top, height = format_length(MIDDLE - CAP), format_length(2 * CAP)
        path = f"M{left} {MIDDLE:g}H{right}M{left} {top}v{height}M{right} {top}v{height}"
        add_element(svg, "path", class_="span", d=path)
    if can_draw(gauge.value):
        css = "" if gauge.is_good else "low"
        add_element(svg, "circle", class_=css, cx=gauge.place(gauge.value), cy=MIDDLE, r=4.5)
    return write_xml(svg)
