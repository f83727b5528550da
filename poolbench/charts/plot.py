"""The layout of a chart: margins by their labels, and lengths from values.

All lengths are in viewBox units, from the left and from the top.
"""

from dataclasses import dataclass
from functools import cached_property
from xml.etree.ElementTree import Element

from poolbench.charts.axes import Axis, NameAxis
from poolbench.charts.svg import LETTER, add_element, fit_text, format_length

TOP, HEADED = 14.0, 26.0
"""Above the plot; with the labels of the horizontal axis there."""
LEFT, RIGHT, EDGE = 52.0, 28.0, 8.0
"""Beside the plot; right of the last tick, and right of names."""
GAP = 10.0
"""Between names and the plot."""
LONGEST = 24
"""Letters of a slanted name."""
CORNER, WIDEST_CORNER = 24.0, 170.0
"""Right of the names of both axes, and the room that they may take left of the plot."""


@dataclass(frozen=True)
class Plot:
    """``size`` is width and height within the axes; an axis of names brings its own."""

    across: Axis | NameAxis
    up: Axis | NameAxis
    size: tuple[float, float]

    @cached_property
    def left(self) -> float:
        if isinstance(self.up, NameAxis):
            wanted = LETTER * len(name_axes(self)) + CORNER
            return max(self.up.room, wanted if wanted <= WIDEST_CORNER else 0)
        longest = max((len(label) for _, label in self.up.ticks), default=0)
        return max(LEFT, 16 + LETTER * longest) + (14 if self.up.name else 0)

    @property
    def top(self) -> float:
        return HEADED if self.is_headed else TOP

    @cached_property
    def right(self) -> float:
        axis = self.across
        return self.left + (axis.length if isinstance(axis, NameAxis) else self.size[0])

    @cached_property
    def bottom(self) -> float:
        axis = self.up
        return self.top + (axis.length if isinstance(axis, NameAxis) else self.size[1])

    @property
    def width(self) -> float:
        return self.right + (EDGE if isinstance(self.across, NameAxis) else RIGHT)

    @property
    def height(self) -> float:
        if self.is_headed:
            return self.bottom + 6
        below = self.names_below if isinstance(self.across, NameAxis) else 26.0
        return self.bottom + below + (18 if self.across.name else 0)

    @property
    def names_below(self) -> float:
        """The height of the names under the plot."""
        axis = self.across
        if not isinstance(axis, NameAxis):
            return 0.0
        longest = max(map(len, axis.names), default=0)
        return axis.room + 26 + (min(longest, LONGEST) * 4.4 if self.is_slanted else 0)

    @property
    def is_headed(self) -> bool:
        """Whether the labels of the horizontal axis are at the top: where rows have names."""
        return isinstance(self.up, NameAxis)

    @property
    def is_slanted(self) -> bool:
        axis = self.across
        return (
            isinstance(axis, NameAxis)
            and not self.is_headed
            and max(map(len, axis.names), default=0) * 6.5 > axis.band
        )

    @property
    def band(self) -> float:
        """The width of a name's band; 0 without names."""
        return next((a.band for a in (self.across, self.up) if isinstance(a, NameAxis)), 0.0)

    def x(self, value: float) -> float:
        return round(self.left + (self.right - self.left) * self.across.share(value), 2)

    def y(self, value: float) -> float:
        """Names run from the top down, numbers from the bottom up."""
        share = self.up.share(value)
        share = share if isinstance(self.up, NameAxis) else 1 - share
        return round(self.top + (self.bottom - self.top) * share, 2)

    def place(self, at: float, value: float) -> tuple[float, float]:
        """``at`` is on the axis of names, ``value`` on the other; without names, from the left
        and up."""
        return (self.x(value), self.y(at)) if self.is_headed else (self.x(at), self.y(value))

    def path(self, *points: tuple[float, float]) -> str:
        """A path through ``(at, value)``."""
        corners = (self.place(*point) for point in points)
        return "M" + "L".join(f"{format_length(x)} {format_length(y)}" for x, y in corners)

    def stroke(self, at: float, value: float, reach: float) -> str:
        """A path across a mark at ``value``, ``reach`` to each side."""
        x, y = self.place(at, value)
        move = f"v{2 * reach:g}" if self.is_headed else f"h{2 * reach:g}"
        x, y = (x, y - reach) if self.is_headed else (x - reach, y)
        return f"M{format_length(x)} {format_length(y)}{move}"


def draw_axes(plot: Plot, parent: Element) -> None:
    """Grid, labels and names of both axes."""
    _draw_up(plot, parent)
    _draw_across(plot, parent)
    x, y = (plot.left - CORNER, 16.0) if plot.is_headed else (plot.right, plot.height - 6)
    if name := name_axes(plot):
        fits = fit_text(name, x) == name or not plot.up.name
        label = fit_text(name if fits else f"{plot.up.name} ↓", x)
        text = add_element(parent, "text", label, class_="end", x=x, y=y)
        _draw_title(text, name, label)


def name_axes(plot: Plot) -> str:
    """The name of the horizontal axis; over rows with names, those of both axes. Where both do
    not fit, the chart's title has the name of the values.
    """
    if plot.is_headed and plot.up.name:
        return f"{plot.up.name} ↓ {plot.across.name} →"
    return plot.across.name


def _draw_up(plot: Plot, parent: Element) -> None:
    axis = plot.up
    if isinstance(axis, NameAxis):
        for at, name in enumerate(axis.names):
            label = fit_text(name, plot.left - GAP)
            text = add_element(
                parent, "text", label, class_="end", x=plot.left - GAP, y=plot.y(at), dy=4
            )
            _draw_title(text, name, label)
        return
    for value, label in axis.ticks:
        y = plot.y(value)
        add_element(parent, "line", class_="grid", x1=plot.left, x2=plot.right, y1=y, y2=y)
        add_element(parent, "text", label, class_="end", x=plot.left - 8, y=y, dy=4)
    if axis.name:
        turn = f"rotate(-90 14 {format_length((plot.top + plot.bottom) / 2)})"
        middle = (plot.top + plot.bottom) / 2
        add_element(parent, "text", axis.name, class_="middle", x=14, y=middle, transform=turn)


def _draw_across(plot: Plot, parent: Element) -> None:
    axis, y = plot.across, 16.0 if plot.is_headed else plot.bottom + 18
    if isinstance(axis, Axis):
        for value, label in axis.ticks:
            x = plot.x(value)
            add_element(parent, "line", class_="grid", x1=x, x2=x, y1=plot.top, y2=plot.bottom)
            add_element(parent, "text", label, class_="middle", x=x, y=y)
        return
    for at, name in enumerate(axis.names):
        x, y = plot.x(at), 16.0 if plot.is_headed else plot.bottom + 16 + axis.room
        label = fit_text(name, LONGEST * LETTER if plot.is_slanted else axis.band)
        turn = f"rotate(-45 {format_length(x)} {format_length(y)})" if plot.is_slanted else ""
        side = "end" if turn else "middle"
        _draw_title(
            add_element(parent, "text", label, class_=side, x=x, y=y, transform=turn), name, label
        )


def _draw_title(text: Element, name: str, label: str) -> None:
    """The whole name as a tooltip where only a part of it is written."""
    if name != label:
        add_element(text, "title", name)
