"""What a chart draws: its SVG as a tree."""

from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from poolbench.charts.chart import Chart, write_chart


def draw(chart: Chart) -> Element:
    return ElementTree.fromstring(write_chart(chart))  # noqa: S314


def shapes(chart: Chart, tag: str, css: str = "") -> list[Element]:
    """The elements of that tag, and of class ``css`` if given, in the order of drawing."""
    found = draw(chart).iter(tag)
    return [shape for shape in found if not css or css in shape.get("class", "").split()]


def places(chart: Chart, tag: str, css: str, *names: str) -> list[tuple[float, ...]]:
    """The attributes ``names`` of those shapes as numbers."""
    return [
        tuple(float(shape.get(name, "nan")) for name in names) for shape in shapes(chart, tag, css)
    ]


def texts(chart: Chart, css: str = "") -> list[str]:
    return [shape.text or "" for shape in shapes(chart, "text", css)]


def tooltips(chart: Chart) -> list[str]:
    """The tooltips of its marks; the first title is that of the chart."""
    return [shape.text or "" for shape in shapes(chart, "title")][1:]
