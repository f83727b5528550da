"""Charts as data, and their SVG: ``Chart(name, title, axes, marks)`` becomes elements here.

An app describes a chart in one small function and knows nothing of margins or elements:

    Chart("found", "Relevant documents found", "By number of judgments.",
          across=round_axis("judgments", judged), up=round_axis("relevant", found),
          marks=[LineMark([*zip(judged, found)])])

``write_chart`` gives the SVG for a page: no style, no script, looks by class from the stylesheet.
``write_chart_file`` of ``poolbench.charts.file`` gives a file that stands alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Literal
from xml.etree.ElementTree import Element

from poolbench.charts.axes import Axis, NameAxis
from poolbench.charts.marks import Drawable
from poolbench.charts.plot import Plot, draw_axes
from poolbench.charts.svg import add_element, create_svg, write_xml

NO_PNG = 'writing PNG needs resvg-py: pip install "poolbench[server]"'
WIDE = (680.0, 300.0)
"""Width and height within the axes."""
PHONE, PAGE = 500.0, 800.0
"""Wider charts are illegible at the width of a phone: those of a fixed size, and those that
shrink with the page."""


@dataclass(frozen=True)
class LegendItem:
    """``shape`` is drawn in class ``css``."""

    label: str
    css: str
    shape: Literal["bar", "line", "whisker", "dots", "dot", "box"] = "bar"

    def draw(self, parent: Element) -> None:
        """Within 28 × 16."""
        if self.shape == "bar":
            add_element(parent, "rect", class_=self.css, x=8, width=12, height=16)
        elif self.shape == "whisker":
            add_element(parent, "path", class_=self.css, d="M14 1V15M10 1h8M10 15h8")
        elif self.shape == "line":
            add_element(parent, "path", class_=self.css, d="M2 8H26")
        elif self.shape == "dot":
            add_element(parent, "circle", class_=self.css, cx=14, cy=8, r=4.2)
        elif self.shape == "box":
            group = add_element(parent, "g", class_=self.css)
            add_element(group, "rect", class_="box", x=7, y=1, width=14, height=14)
        else:
            group = add_element(parent, "g", class_=self.css)
            add_element(group, "path", class_="line", d="M0 8H28")
            add_element(group, "circle", class_="dot", cx=14, cy=8, r=4)


@dataclass(frozen=True)
class Chart:
    """``name`` is unique on its page: the file is called so. ``description`` is for screen
    readers, ``caption`` for all. A ``is_fixed`` chart has its own width, not that of the page.
    """

    name: str
    title: str
    description: str
    across: Axis | NameAxis
    up: Axis | NameAxis
    marks: Sequence[Drawable]
    legend: Sequence[LegendItem] = ()
    caption: str = ""
    size: tuple[float, float] = WIDE
    is_fixed: bool = False

    @cached_property
    def plot(self) -> Plot:
        return Plot(self.across, self.up, self.size)

    @property
    def is_wide(self) -> bool:
        """Whether a phone scrolls it."""
        return self.plot.width > (PHONE if self.is_fixed else PAGE)

    def _repr_svg_(self) -> str:
        """What a notebook shows: the chart as a file, with title, legend and caption."""
        from poolbench.charts.file import write_chart_file

        return write_chart_file(self)

    def save(self, path: str | PathLike[str]) -> None:
        """A file: SVG, or PNG at 300 dpi where resvg-py is installed, by the end of its name."""
        if Path(path).suffix not in (".svg", ".png"):
            raise ValueError(f"a chart is saved as .svg or .png, not {Path(path).name}")
        if Path(path).suffix == ".svg":
            Path(path).write_text(self._repr_svg_(), encoding="utf-8")
            return
        from poolbench.charts.png import write_chart_png

        try:
            Path(path).write_bytes(write_chart_png(self))
        except ImportError as error:
            raise ImportError(NO_PNG) from error

    def draw(self, parent: Element) -> None:
        draw_axes(self.plot, parent)
        for mark in self.marks:
            mark.draw(self.plot, parent)
        if isinstance(self.across, Axis) and isinstance(self.up, Axis):
            plot = self.plot
            corners = f"M{plot.left:g} {plot.top:g}V{plot.bottom:g}H{plot.right:g}"
            add_element(parent, "path", class_="axis", d=corners)


def write_chart(chart: Chart) -> str:
    """The SVG of a chart for a page whose stylesheet has the classes."""
    plot, label = chart.plot, f"chart-{chart.name}"
    classes = ["chart", *["fixed"] * chart.is_fixed, *["wide"] * chart.is_wide]
    svg = create_svg(
        (plot.width, plot.height), class_=" ".join(classes), role="img",
        width=plot.width if chart.is_fixed else "",
        aria_labelledby=f"{label}-title {label}-desc",
    )  # fmt: skip
    add_element(svg, "title", chart.title, id=f"{label}-title")
    description = f"{chart.description} All values are in the tables."
    add_element(svg, "desc", description.strip(), id=f"{label}-desc")
    chart.draw(svg)
    return write_xml(svg)


def write_swatch(item: LegendItem) -> str:
    svg = create_svg((28, 16), class_="chart", aria_hidden="true")
    item.draw(svg)
    return write_xml(svg)
