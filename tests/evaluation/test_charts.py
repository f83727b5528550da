from poolbench.charts.axes import fifths_axis
from poolbench.charts.kinds import BARS_HEIGHT, build_line_chart
from poolbench.evaluation.charts.topics import build_difference_chart, build_topic_chart
from poolbench.evaluation.spread import BestMedianWorst
from poolbench.reliability.charts import (
    RankedRun,
    build_judgments_chart,
    build_rank_bands,
    judgments_value,
)
from tests.poolbench.shapes import places, shapes, texts, tooltips

HEAD = ("name", "Title", "")


def test_topic_chart_places_bar_median_and_whisker():
    spreads = [BestMedianWorst(1.0, 0.25, 0.0), BestMedianWorst(0.5, 0.5, 0.5)]
    chart = build_topic_chart("map", "mine", ["1", "2"], [0.5, None], spreads)
    top, half = chart.plot.top, BARS_HEIGHT / 2
    assert places(chart, "rect", "bar-own", "y", "height") == [(top + half, half)]
    whisker, median = (shapes(chart, "path", css)[0] for css in ("whisker", "bar-median"))
    middle = chart.plot.x(0)
    assert whisker.get("d", "").startswith(f"M{middle:g} {top + BARS_HEIGHT:g}L{middle:g} {top:g}")
    assert f" {top + BARS_HEIGHT * 0.75:g}h" in median.get("d", "")
    assert tooltips(chart)[0] == "Topic 1: 0.5; best 1, median 0.25, worst 0"
    assert "–" in texts(chart, "middle")
    assert [label for _, label in chart.up.ticks] == ["0", "0.25", "0.5", "0.75", "1"]
    assert places(chart, "line", "axis", "y1") == [(top + BARS_HEIGHT,)]


def test_topic_chart_of_counts_reaches_the_largest():
    chart = build_topic_chart("num_ret", "a", ["1"], [750.0], [BestMedianWorst(1000.0, 500.0, 0.0)])
    assert [label for _, label in chart.up.ticks] == ["0", "250", "500", "750", "1000"]
    assert places(chart, "rect", "bar-own", "height") == [(BARS_HEIGHT * 0.75,)]


def test_topic_chart_grows_with_topics_and_slants_long_labels():
    spreads = [BestMedianWorst(1.0, 0.5, 0.0)] * 100
    topics = [f"topic-{n}" for n in range(100)]
    many = build_topic_chart("map", "a", topics, [0.5] * 100, spreads).plot
    few = build_topic_chart("map", "a", ["1"], [0.5], spreads[:1]).plot
    assert many.width > 2400 > few.width
    assert many.is_slanted
    assert not few.is_slanted


def test_difference_chart_goes_up_and_down_from_zero():
    chart = build_difference_chart("map", ("a", "b"), ["1", "2"], [0.5, -0.25])
    ((x, y, height),) = places(chart, "rect", "bar-own", "x", "y", "height")
    ((below, less),) = places(chart, "rect", "bar-other", "y", "height")[:1]
    assert y + height == below == chart.plot.top + BARS_HEIGHT / 2
    assert height == 2 * less
    assert x > chart.plot.left
    assert [item.label for item in chart.legend] == ["a is better", "b is better"]


def test_charts_without_topics_or_differences_still_stand():
    assert not shapes(build_topic_chart("map", "a", [], [], []), "g")
    chart = build_difference_chart("map", ("a", "b"), ["1"], [0.0])
    assert places(chart, "rect", "bar-other", "height") == [(0.0,)]


def test_rank_bands_put_rank_one_at_the_left_and_every_other_rank_once():
    runs = [
        RankedRun("good", 1, 1, 2, (("ada", 1), ("bob", 2), ("cyd", 2))),
        RankedRun("poor", 3, None, None, (("ada", None),)),
        RankedRun("lost", None, None, None, ()),
    ]
    chart = build_rank_bands("Ranks", runs)
    plot = chart.plot
    good, poor = places(chart, "circle", "dot-own", "cx", "cy")
    assert (good[0], poor[0]) == (plot.left, plot.right)
    (band,) = shapes(chart, "path", "band")
    assert band.get("d") == f"M{plot.left:g} {good[1]:g}L{plot.x(2):g} {good[1]:g}"
    strokes = [shape.get("d", "").split()[0] for shape in shapes(chart, "path", "whisker")]
    assert strokes == [f"M{plot.left:g}", f"M{plot.x(2):g}"]
    assert tooltips(chart)[0] == "good: rank 1, 95 % band 1 to 2; ada 1, bob 2, cyd 2"
    assert tooltips(chart)[-1] == "lost: no rank"
    assert [rank for rank, _ in chart.across.ticks] == [1, 2, 3]
    assert good[1] < poor[1] < plot.y(2) < plot.height


def test_many_ranks_are_told_in_round_steps():
    runs = [RankedRun(f"r{n}", n, None, None, ()) for n in range(1, 144)]
    chart = build_rank_bands("Ranks", runs)
    assert [rank for rank, _ in chart.across.ticks] == [1, 20, 40, 60, 80, 100, 120, 140]
    assert chart.plot.x(143) == chart.plot.right


def test_rank_bands_reach_the_last_rank_where_not_all_runs_are_drawn():
    runs = [RankedRun("a", 1, None, None, ()), RankedRun("b", 9, None, None, ())]
    chart = build_rank_bands("Ranks", runs, last=9)
    assert [rank for rank, _ in chart.across.ticks] == list(range(1, 10))
    assert places(chart, "circle", "dot-own", "cx")[1] == (chart.plot.right,)


def test_lines_start_at_nothing_and_hold_the_band_of_chance():
    sure = (
        "sure",
        [judgments_value(50, "sure", 0.25, 0.25, 0.25), judgments_value(100, "sure", 0.5)],
    )
    lucky = (
        "lucky",
        [
            judgments_value(50, "lucky", 0.5, 0.25, 1.0),
            judgments_value(100, "lucky", 1.0, 1.0, 1.0),
        ],
    )
    chart = build_judgments_chart("found", "Found", "", [sure, lucky])
    plot = chart.plot
    middle = (plot.left + plot.right) / 2
    assert [(item.label, item.css) for item in chart.legend] == [
        ("sure", "kind-1"), ("lucky", "kind-2"),
    ]  # fmt: skip
    low, half = plot.bottom - 75, plot.bottom - 150  # a quarter and half of the height
    one, _ = shapes(chart, "polyline", "line")
    assert one.get("points") == f"{middle:g},{low:g} {plot.right:g},{half:g}"
    band = [(middle, plot.top), (plot.right, plot.top), (plot.right, plot.top), (middle, low)]
    (area,) = shapes(chart, "polygon", "kind-2")
    assert area.get("points") == " ".join(f"{x:g},{y:g}" for x, y in band)
    assert tooltips(chart)[0] == "sure: 0.25 after 50 judgments"
    assert places(chart, "circle", "dot", "cy")[2] == (half,)
    assert tooltips(chart)[2] == "lucky: 0.5 (0.25 to 1) after 50 judgments"
    assert [label for _, label in chart.across.ticks] == ["0", "20", "40", "60", "80", "100"]
    assert [label for _, label in chart.up.ticks] == ["0", "0.2", "0.4", "0.6", "0.8", "1"]
    assert plot.x(0) == plot.left < plot.right == plot.x(100) < plot.width


def test_threads_stand_behind_in_the_same_frame():
    recall = fifths_axis("recall")
    threads = [[(0.0, 1.0), (1.0, 0.5)]]
    chart = build_line_chart(HEAD, [], recall, recall, size=(100, 100), threads=threads)
    plot = chart.plot
    (thread,) = shapes(chart, "polyline", "thread")
    assert thread.get("points") == f"{plot.left:g},{plot.top:g} {plot.right:g},{plot.top + 50:g}"
    assert (plot.width - plot.right, plot.height - plot.bottom) == (28, 44)
