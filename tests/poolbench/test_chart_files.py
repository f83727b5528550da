"""The files of a chart: its numbers, and a PNG with ink wherever there is text."""

import io
import json
import struct
import zlib
from functools import cache

import numpy as np
import pytest

from poolbench.charts import png as png_module
from poolbench.charts.axes import Axis, NameAxis
from poolbench.charts.chart import Chart, LegendItem
from poolbench.charts.file import measure_chart_file
from poolbench.charts.kinds import IntervalRow, PlotValue, build_interval_chart, build_line_chart
from poolbench.charts.marks import (
    BarMark,
    CellMark,
    DotMark,
    IntervalMark,
    LineMark,
    MarkGroup,
    RangeMark,
    RuleMark,
    StrokeMark,
    TextMark,
)
from poolbench.charts.numbers import PlottedValue, list_plotted_values
from poolbench.charts.png import (
    DPI,
    MOST_PIXELS,
    ChartTooLargeError,
    fit_dpi,
    has_other_scripts,
    write_chart_png,
)
from poolbench.reports.figures import write_chart_csv
from tests.csv_reading import csv_rows
from tests.examples import ALL
from tests.png_chunks import iter_png_chunks

HUNDRED = Axis("nDCG@10", [(0, "0"), (100, "100")])
HEAD = ("name", "Title", "Description.")


def make(*marks, across=HUNDRED, up=HUNDRED, **more) -> Chart:
    return Chart(*HEAD, across, up, marks, size=(200.0, 100.0), **more)


@cache
def read_pixels(png: bytes) -> np.ndarray:
    """Height × width × channels of a PNG with 8 bits per channel: a decoder of 25 lines, so that
    what is tested is the file and not the library that wrote it.
    """
    chunks = list(iter_png_chunks(png))
    width, height, depth, kind = struct.unpack(">IIBB", dict(chunks)[b"IHDR"][:10])
    assert depth == 8
    channels = {0: 1, 2: 3, 4: 2, 6: 4}[kind]
    data = zlib.decompress(b"".join(content for name, content in chunks if name == b"IDAT"))
    rows = np.frombuffer(data, np.uint8).reshape(height, 1 + width * channels)
    before = np.zeros((width, channels), np.int64)
    pixels = np.empty((height, width, channels), np.uint8)
    for at, row in enumerate(rows):
        line = row[1:].astype(np.int64).reshape(width, channels)
        if row[0] == 1:
            line = np.cumsum(line, axis=0) % 256
        elif row[0] == 2:
            line = (line + before) % 256
        elif row[0] in (3, 4):
            line = unfilter_row(line, before, int(row[0]))
        pixels[at] = before = line
    return pixels


def unfilter_row(line: np.ndarray, above: np.ndarray, kind: int) -> np.ndarray:
    line, up = line.tolist(), above.tolist()
    zero = [0] * len(line[0])
    for at, pixel in enumerate(line):
        left, corner = (line[at - 1], up[at - 1]) if at else (zero, zero)
        for c, value in enumerate(pixel):
            if kind == 3:
                guess = (left[c] + up[at][c]) // 2
            else:
                p = left[c] + up[at][c] - corner[c]
                order = (abs(p - left[c]), 0, left[c]), (abs(p - up[at][c]), 1, up[at][c])
                guess = min(*order, (abs(p - corner[c]), 2, corner[c]))[2]
            pixel[c] = (value + guess) % 256
    return np.array(line)


def count_ink(png: bytes, box: tuple[float, float, float, float]) -> int:
    """Dark pixels within ``(left, top, right, bottom)`` in shares of the picture."""
    pixels = read_pixels(png)
    height, width = pixels.shape[:2]
    left, top, right, bottom = box
    part = pixels[int(top * height) : int(bottom * height), int(left * width) : int(right * width)]
    return int((part[..., :3].min(axis=-1) < 128).sum())


def test_a_png_has_ink_where_the_texts_are():
    chart = make(DotMark(50, 50), caption="A caption.")
    blank = make(DotMark(50, 50), caption=" ")
    width, height = measure_chart_file(chart, ["made"])
    written = write_chart_png(chart, ["made"])
    assert count_ink(written, (0, 0, 0.4, 40 / height)) > 400, "title"
    assert count_ink(written, (0, 1 - 60 / height, 0.5, 1)) > 400, "caption and conditions"
    assert count_ink(write_chart_png(blank), (0.9, 0.9, 1, 1)) == 0
    pixels = read_pixels(written)
    assert pixels[0, 0, :3].tolist() == [255, 255, 255], "on white"
    assert pixels.shape[1] == pytest.approx(width * DPI / 96, abs=1)


def test_a_text_without_letters_of_the_font_uses_those_of_the_machine():
    assert not has_other_scripts("nDCG@10 −0.5 ≥ 1 · Łódź Ω Ж † ▲ → …")
    assert has_other_scripts("検索")
    assert has_other_scripts("ع")
    assert write_chart_png(make(caption="検索 ع"))


def test_a_png_tells_resolution_title_and_conditions():
    written = write_chart_png(make(caption="What to see."), ["qrels 2, ≥ 1", "2026-01-01"])
    chunks = list(iter_png_chunks(written))
    sizes = dict(chunks)[b"pHYs"]
    assert struct.unpack(">IIB", sizes) == (11811, 11811, 1)
    texts = [content for name, content in chunks if name == b"iTXt"]
    assert texts[0] == b"Title\0\0\0\0\0Title"
    assert texts[1].decode() == "Description\0\0\0\0\0What to see.\nqrels 2, ≥ 1\n2026-01-01"
    assert [name for name, _ in chunks][:2] == [b"IHDR", b"pHYs"]
    assert chunks[-1] == (b"IEND", b"")
    assert written == write_chart_png(make(caption="What to see."), ["qrels 2, ≥ 1", "2026-01-01"])


def test_checksums_of_all_chunks_hold():
    written = io.BytesIO(write_chart_png(make()))
    written.seek(8)
    while header := written.read(8):
        length, name = struct.unpack(">I4s", header)
        content = written.read(length)
        assert struct.unpack(">I", written.read(4)) == (zlib.crc32(name + content),)


def test_the_size_is_bounded_by_resolution(monkeypatch):
    most = MOST_PIXELS if ALL else MOST_PIXELS // 8
    assert fit_dpi((1000, 500)) == DPI
    assert fit_dpi((1200, 4000)) < DPI
    dpi = fit_dpi((5000, 20_000))
    assert 5000 * 20_000 * (dpi / 96) ** 2 <= MOST_PIXELS
    monkeypatch.setattr(png_module, "MOST_PIXELS", most)
    names = NameAxis([str(at) for at in range(900)], 22.0, room=60)
    pixels = dict(iter_png_chunks(write_chart_png(make(up=names))))[b"IHDR"]
    width, height = struct.unpack(">II", pixels[:8])
    assert width * height <= most * 1.01


def test_too_many_marks_are_refused(monkeypatch):
    monkeypatch.setattr(png_module, "MOST_LETTERS", 100)
    with pytest.raises(ChartTooLargeError, match="Title has too many marks"):
        write_chart_png(make())


def test_numbers_are_those_of_the_marks():
    names = NameAxis(["a", "b"], 30, "topic")
    chart = make(
        MarkGroup([BarMark(0, 0.5), IntervalMark(0, 0.1, 0.9), StrokeMark(0, 0.4, css="median")]),
        MarkGroup([TextMark(1, 0, "–"), IntervalMark(1, None, None)]),
        RuleMark(0),
        across=names,
        legend=[LegendItem("mine", "bar-own"), LegendItem("all", "whisker")],
    )
    assert list_plotted_values(chart) == [
        PlottedValue("mine", "a", 0.5),
        PlottedValue("all", "a", None, 0.1, 0.9),
        # Without an entry in the legend it belongs to the bar, which has another value there.
        PlottedValue("mine", "a", 0.4),
    ]


def test_an_interval_is_one_row_with_its_value():
    rows = [IntervalRow("a", "", 50, 25, 75), IntervalRow("b", "", None, None, None)]
    chart = build_interval_chart(HEAD, rows, HUNDRED, room=100, width=200, row_name="run")
    assert list_plotted_values(chart) == [PlottedValue("", "a", 50, 25, 75)]


def test_a_line_with_dots_and_range_is_one_row_per_value():
    series = [("x", [PlotValue(0, 0.5, "", 0.2, 0.8), PlotValue(50, None, "")]), ("y", [])]
    chart = build_line_chart(HEAD, series, HUNDRED, HUNDRED, threads=[[(0, 1.0)]])
    assert list_plotted_values(chart) == [
        PlottedValue("", 0, 1.0),
        PlottedValue("x", 0, 0.5, 0.2, 0.8),
    ]


def test_cells_are_named_by_row_and_column():
    names = NameAxis(["a", "b"], 64, "assessor", room=150)
    chart = make(CellMark(0, 1, "0.4", 0.0, "", -0.4), CellMark(1, 0, "7", 0.7, ""), across=names,
                 up=names)  # fmt: skip
    assert list_plotted_values(chart) == [PlottedValue("a", "b", -0.4), PlottedValue("b", "a", 0.7)]


def test_boxes_and_lines_of_equal_places_stay_apart():
    chart = make(RangeMark(1, 0.1, 0.2), LineMark([(0, 1.0), (1, None), (1, 2.0)]))
    assert list_plotted_values(chart) == [
        PlottedValue("", 1, 2.0, 0.1, 0.2),
        PlottedValue("", 0, 1.0),
    ]


def test_csv_names_axes_and_conditions():
    rows = [IntervalRow("a", "", 50.123456789, 25, 75)]
    chart = build_interval_chart(HEAD, rows, HUNDRED, room=100, width=200, row_name="run")
    text = write_chart_csv(chart, ["campaign, 2026-01-01"])
    lines = text.splitlines()
    assert json.loads(lines[1].removeprefix("# conditions: ")) == {
        "table": "chart name", "title": "Title", "at": "run", "value": "nDCG@10",
        "made": ["campaign, 2026-01-01"],
    }  # fmt: skip
    assert lines[2:] == ["series,at,value,low,high", ",a,50.123456789,25,75"]
    assert len(csv_rows(text)) == 1
