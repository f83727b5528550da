"""Charts: scales and ticks by hand, every mark, hostile and missing values, files."""

import math
import re
from dataclasses import replace
from xml.etree import ElementTree

import pytest

from poolbench.charts.axes import (
    Axis,
    NameAxis,
    fifths_axis,
    format_tick,
    format_value,
    parts_axis,
    round_axis,
    round_down_nice,
    round_up_nice,
)
from poolbench.charts.chart import Chart, LegendItem, write_chart, write_swatch
from poolbench.charts.file import GRADES, STYLE, write_chart_file
from poolbench.charts.kinds import LINE_KINDS, IntervalRow, PlotValue, build_interval_chart
from poolbench.charts.kinds import build_line_chart as build_lines
from poolbench.charts.marks import (
    AreaMark,
    BarMark,
    CellMark,
    DotMark,
    IntervalMark,
    LineMark,
    MarkGroup,
    RuleMark,
    StepMark,
    StrokeMark,
    TextMark,
)
from poolbench.charts.plot import RIGHT, TOP
from tests.house import REPOSITORY
from tests.poolbench.shapes import draw, places, shapes, texts, tooltips

HUNDRED = Axis("x", [(0, "0"), (100, "100")])
ONE = Axis("", [(0, "0"), (1, "1")])
HOSTILE = "</text><script>alert(1)</script> & \"'\x00\x0b\ud800 ]]>"
HEAD = ("name", "Title", "Description.")


def make(*marks, across=HUNDRED, up=ONE, **more):
    return Chart(*HEAD, across, up, marks, size=(200.0, 100.0), **more)


def labels(axis: Axis) -> list[str]:
    return [label for _, label in axis.ticks]


def test_numbers_stand_where_their_share_of_the_axis_is():
    plot = make().plot
    assert (plot.left, plot.top, plot.right, plot.bottom) == (52, TOP, 252, TOP + 100)
    assert [plot.x(value) for value in (0, 25, 100)] == [52, 102, 252]
    assert [plot.y(value) for value in (0, 0.25, 1)] == [TOP + 100, TOP + 75, TOP]
    assert plot.width == 252 + RIGHT


def test_names_stand_in_the_middle_of_their_bands_and_run_downwards():
    down = make(up=NameAxis(["a", "b"], 20, room=60)).plot
    assert (down.left, down.bottom - down.top) == (60, 40)
    assert [down.y(at) - down.top for at in (0, 1)] == [10, 30]
    assert down.place(1, 50) == (down.x(50), down.y(1))
    beside = make(across=NameAxis(["a", "b"], 30)).plot
    assert [beside.x(at) - beside.left for at in (0, 1)] == [15, 45]
    assert beside.place(1, 0.5) == (beside.x(1), beside.y(0.5))


def test_an_axis_of_one_tick_has_one_place():
    assert Axis("", [(3, "3")]).share(3) == 0


def test_long_labels_have_room():
    wide = make(up=Axis("", [(0, "0"), (1e7, "10,000,000")])).plot
    assert wide.left == 16 + 6.4 * 10
    assert make(up=replace(ONE, name="score")).plot.left == 52 + 14


@pytest.mark.parametrize(("values", "ticks"), [
    ([100], ["0", "20", "40", "60", "80", "100"]),
    ([-0.2, 0.9], ["−0.4", "0", "0.4", "0.8", "1.2"]), ([], ["0", "0.2"]), ([0.0], ["0", "0.2"]),
    ([math.nan, math.inf, 5], ["0", "1", "2", "3", "4", "5"]),
    ([120_000], ["0", "40,000", "80,000", "120,000"]),
])  # fmt: skip
def test_round_ticks_span_zero_and_all_values(values, ticks):
    assert labels(round_axis("", values)) == ticks


def test_fifths_and_parts():
    assert labels(fifths_axis("", -0.3))[:3] == ["−0.4", "−0.2", "0"]
    assert labels(fifths_axis("", 0.3)) == ["0.2", "0.4", "0.6", "0.8", "1"]
    assert fifths_axis("", 1.0).ticks[0] == (0, "0")
    assert labels(parts_axis("", -0.5, 0.5, 2, signed=True)) == ["−0.5", "0", "+0.5"]


def test_round_numbers():
    assert [round_up_nice(value) for value in (0.56, 0.6, 0.013, 1.0, 43, 1000)] == [
        0.6, 0.6, 0.02, 1.0, 60, 1000,
    ]  # fmt: skip
    assert [round_down_nice(value) for value in (0.3, 0.0, -0.3)] == [0, 0, -0.4]
    assert [format_tick(value) for value in (0.5, -3, 12_345)] == ["0.5", "−3", "12,345"]
    assert [format_value(value) for value in (0.5, 1, None, math.nan)] == [
        "0.5", "1", "undefined", "undefined",
    ]  # fmt: skip


def test_a_line_is_interrupted_at_gaps():
    points = [(0, 0.0), (25, 1.0), (50, None), (75, math.nan), (75, 0.5), (100, math.inf)]
    chart = make(LineMark(points))
    assert [shape.get("points") for shape in shapes(chart, "polyline")] == [
        f"52,{TOP + 100:g} 102,{TOP:g}", f"202,{TOP + 50:g}",
    ]  # fmt: skip


def test_steps_are_interrupted_at_gaps():
    chart = make(StepMark([0.5, 1.0, None, 0.0]), across=NameAxis("abcd", 10))
    (path,) = shapes(chart, "path", "line")
    assert path.get("d") == "M52 64H62V14H72M82 114H92"


def test_an_area_runs_along_the_maxima_and_back_along_the_minima():
    chart = make(AreaMark([(0, 0.0, 0.5), (100, 0.5, 1.0)]))
    (area,) = shapes(chart, "polygon")
    assert area.get("points") == "52,64 252,14 252,64 52,114"
    assert not shapes(make(AreaMark([(0, 0.5, 0.5)])), "polygon")


def test_marks_by_name_turn_with_the_axis_of_names():
    marks = IntervalMark(0, 0, 100), StrokeMark(0, 50, 5), RuleMark(0), DotMark(0, 25)
    chart = make(*marks, up=NameAxis(["a"], 20, room=52))
    lines = [shape.get("d") for shape in shapes(chart, "path")]
    assert lines == ["M52 36L252 36M52 32v8M252 32v8", "M152 31v10"]
    assert places(chart, "circle", "dot", "cx", "cy") == [(102, 36)]
    assert places(chart, "line", "axis", "x1", "x2", "y1", "y2") == [(52, 52, 26, 46)]
    upright = make(IntervalMark(0, 0, 1), StrokeMark(0, 0.5), across=NameAxis(["a"], 100))
    assert [shape.get("d") for shape in shapes(upright, "path")] == [
        "M102 114L102 14M98 114h8M98 14h8", "M82 64h40",
    ]  # fmt: skip


def test_bars_stand_on_their_base():
    marks = BarMark(0, 0.5), BarMark(1, 0.25, base=0.75), BarMark(2, 0.0, least=1.0), BarMark(3, 0)
    chart = make(*marks, across=NameAxis("abcd", 100))
    assert places(chart, "rect", "bar-own", "x", "y", "width", "height") == [
        (82, 64, 40, 50), (182, 39, 40, 50), (282, 114, 40, 1), (382, 114, 40, 0),
    ]  # fmt: skip


def test_cells_are_as_deep_as_their_share():
    names = NameAxis(["a", "b"], 64, room=150)
    cells = [CellMark(at, 1 - at, str(at), share, "") for at, share in enumerate((0.4, 7.0))]
    chart = make(*cells, CellMark(0, 0, "–", math.nan, ""), across=names, up=names)
    assert places(chart, "rect", "cell", "x", "y", "fill-opacity") == [
        (214, 26, 0.4), (150, 90, 1), (150, 26, 0),
    ]  # fmt: skip
    assert (texts(chart, "off"), texts(chart, "on")) == (["0", "–"], ["1"])


@pytest.mark.parametrize("gap", [None, math.nan, math.inf, -math.inf])
def test_gaps_draw_nothing(gap):
    marks = BarMark(0, gap), DotMark(0, gap), IntervalMark(0, gap, 1), StrokeMark(0, gap)
    assert len([*draw(make(*marks)).iter()]) == len([*draw(make()).iter()])
    assert "nan" not in write_chart(make(*marks, LineMark([(0, gap)]), StepMark([gap])))


def test_a_line_chart_draws_ranges_below_lines_and_reuses_colors():
    series = [(str(at), [PlotValue(50, 0.5, "half", 0.2, 0.8)]) for at in range(LINE_KINDS + 1)]
    chart = build_lines(HEAD, series, HUNDRED, ONE, threads=[[(0, 0.0), (100, 1.0)]])
    kinds = [*range(1, LINE_KINDS + 1), 1]
    assert [item.css for item in chart.legend] == [f"kind-{kind}" for kind in kinds]
    order = [type(mark) for mark in chart.marks]
    assert order == [LineMark, *[AreaMark] * len(kinds), *[MarkGroup] * len(kinds)]
    assert tooltips(chart) == ["half"] * len(kinds)


def test_one_line_with_the_name_of_its_axis_needs_no_legend():
    up = Axis("found", ONE.ticks)
    assert build_lines(HEAD, [("found", [])], HUNDRED, up).legend == []
    assert build_lines(HEAD, [("found", []), ("b", [])], HUNDRED, up).legend


def test_an_interval_chart_says_what_is_undefined():
    rows = [IntervalRow("a", "a: 50", 50, 25, 75, is_own=True), IntervalRow("b", "b: why", None)]
    chart = build_interval_chart(HEAD, rows, HUNDRED, room=100, width=200)
    assert places(chart, "circle", "dot-own", "cx", "cy") == [(200, 37)]
    assert texts(chart, "start") == ["undefined"]
    assert tooltips(chart) == ["a: 50", "b: why"]


@pytest.mark.parametrize("axis", [HUNDRED, NameAxis([], 20), NameAxis(["a"], 20, room=60)])
def test_a_chart_of_nothing_still_stands(axis):
    for chart in (make(across=axis), make(up=axis), build_lines(HEAD, [], HUNDRED, ONE)):
        assert chart.plot.width > 0 < chart.plot.height
        assert ElementTree.fromstring(write_chart_file(chart).encode())  # noqa: S314


def test_names_are_slanted_or_cut_where_they_need_more_than_their_band():
    slanted = make(across=NameAxis(["x" * 30, "b"], 24))
    assert slanted.plot.is_slanted
    turns = [shape.get("transform", "")[:6] for shape in shapes(slanted, "text", "end")]
    assert turns[-2:] == ["rotate", "rotate"]
    assert "x" * 23 + "…" in texts(slanted)
    assert tooltips(slanted) == ["x" * 30]
    assert not make(across=NameAxis(["12"], 24)).plot.is_slanted
    assert texts(make(up=NameAxis(["y" * 40], 20, room=74)), "end")[0] == "y" * 9 + "…"


def hostile() -> Chart:
    names = NameAxis([HOSTILE], 20, HOSTILE, room=60)
    marks = MarkGroup([TextMark(0, 0, HOSTILE)], HOSTILE), DotMark(0, 0, HOSTILE)
    return Chart(
        "name", HOSTILE, HOSTILE, Axis(HOSTILE, [(0, HOSTILE), (1, "1")]), names, marks,
        [LegendItem(HOSTILE, "bar-own")], HOSTILE,
    )  # fmt: skip


@pytest.mark.parametrize("write", [write_chart, lambda chart: write_chart_file(chart, [HOSTILE])])
def test_no_text_becomes_markup(write):
    text = write(hostile())
    root = ElementTree.fromstring(text.encode())  # noqa: S314
    assert {shape.tag.rpartition("}")[2] for shape in root.iter()} <= {
        "svg", "title", "desc", "style", "g", "rect", "line", "path", "circle", "text", "polyline",
    }  # fmt: skip
    assert "<script" not in text
    assert not re.search("[\x00\x0b\ud800]", text)
    assert "</text><script>" in "".join(root.itertext())


def test_pages_hold_no_style_and_name_the_picture():
    root = draw(make(LineMark([(0, 0)])))
    assert root.get("role") == "img"
    title, desc = root.get("aria-labelledby", "").split()
    assert {shape.get("id"): shape.text for shape in root if shape.get("id")} == {
        title: "Title", desc: "Description. All values are in the tables.",
    }  # fmt: skip
    assert not [shape for shape in root.iter() if shape.tag == "style" or shape.get("style")]


def test_a_file_brings_title_axes_legend_caption_conditions_and_looks():
    chart = make(
        BarMark(0, 0.5), across=NameAxis(["a"], 20, "topic"), up=replace(ONE, name="AP"),
        legend=[LegendItem("this run", "bar-own"), LegendItem("x" * 90, "line", "line")],
        caption="Long " * 30,
    )  # fmt: skip
    text = write_chart_file(chart, ["campaign, 2026-01-01"])
    root = ElementTree.fromstring(text.encode())  # noqa: S314
    assert text.startswith("<?xml")
    lines = [shape.text for shape in root.iter("{http://www.w3.org/2000/svg}text")]
    assert {"Title", "topic", "AP", "this run", "campaign, 2026-01-01"} <= set(lines)
    assert root.get("height") == root.get("viewBox", "").split()[-1]
    tops = [float(s.get("y", 0)) for s in root.iter("{http://www.w3.org/2000/svg}text")]
    assert max(tops) < float(root.get("height", 0))
    assert not re.search(r"url\(|@import|https?://(?!www\.w3\.org/2000/svg)|var\(", text)


@pytest.mark.parametrize("shape", ["bar", "line", "whisker", "dots", "box"])
def test_every_swatch_is_drawn(shape):
    assert len(ElementTree.fromstring(write_swatch(LegendItem("a", "b", shape)))) == 1  # noqa: S314


def light(name: str, css: str) -> tuple[int, ...]:
    found = re.search(rf"--{name}: light-dark\((#\w+)", css)
    assert found
    return tuple(bytes.fromhex(found[1][1:]))


def test_files_have_the_colors_of_a_light_page():
    css = (REPOSITORY / "poolbench/reports/style/tokens.css").read_text()
    for rule, name, share in [
        (".axis, .zero { fill: none; stroke:", "ink", 1),
        (".whisker { fill: none; stroke:", "ink-2", 1),
        (".bar-own { fill:", "accent", 0.62), (".bar-other { fill:", "edge", 1),
        (".band { fill: none; stroke:", "accent", 0.26), (".grid, .cell { stroke:", "rule", 1),
    ]:  # fmt: skip
        color = STYLE.split(rule)[1].split(";")[0].strip()
        mixed = tuple(round(part * share + 255 * (1 - share)) for part in light(name, css))
        assert bytes.fromhex(color[1:]) == bytes(mixed), rule
    assert [bytes.fromhex(color[1:]) for color in GRADES] == [
        bytes(light(f"g{grade}", css)) for grade in range(6)
    ]
