from __future__ import annotations

from evaluation.queries.leaderboard import BestMedianWorst
from evaluation.views.charts.caterpillar import LABEL, RIGHT, WIDTH
from evaluation.views.charts.lines import (
    KINDS,
    Axis,
    PlotValue,
    build_judgments_chart,
    build_line_chart,
    fifths_axis,
    judgments_value,
    round_axis,
)
from evaluation.views.charts.rank_bands import RankedRun, build_rank_bands
from evaluation.views.charts.topics import (
    HEIGHT,
    LEFT,
    TOP,
    build_difference_chart,
    build_topic_chart,
    round_up_nice,
)


def test_topic_chart_places_bar_median_and_whisker():
    chart = build_topic_chart(
        ["1", "2"], [0.5, None], [BestMedianWorst(1.0, 0.25, 0.0), BestMedianWorst(0.5, 0.5, 0.5)]
    )
    first, second = chart.marks
    assert (first.y, first.height) == (TOP + HEIGHT / 2, HEIGHT / 2)
    assert (first.best, first.median, first.worst) == (TOP, TOP + HEIGHT * 0.75, TOP + HEIGHT)
    assert first.description == "Topic 1: 0.5; best 1, median 0.25, worst 0"
    assert second.missing
    assert [tick.label for tick in chart.ticks] == ["0", "0.25", "0.5", "0.75", "1"]
    assert chart.zero == TOP + HEIGHT


def test_topic_chart_of_counts_reaches_the_largest():
    chart = build_topic_chart(["1"], [750.0], [BestMedianWorst(1000.0, 500.0, 0.0)])
    assert [tick.label for tick in chart.ticks] == ["0", "250", "500", "750", "1000"]
    assert chart.marks[0].height == HEIGHT * 0.75


def test_topic_chart_grows_with_topics_and_slants_long_labels():
    spreads = [BestMedianWorst(1.0, 0.5, 0.0)] * 100
    many = build_topic_chart([f"topic-{n}" for n in range(100)], [0.5] * 100, spreads)
    few = build_topic_chart(["1"], [0.5], spreads[:1])
    assert many.width > 2400 > few.width
    assert many.slanted
    assert not few.slanted


def test_difference_chart_goes_up_and_down_from_zero():
    up, down = build_difference_chart(["1", "2"], [0.5, -0.25]).marks
    assert (up.kind, down.kind) == ("own", "other")
    assert up.y + up.height == down.y == TOP + HEIGHT / 2
    assert up.height == 2 * down.height
    assert up.x > LEFT


def test_charts_without_topics_or_differences_still_stand():
    assert build_topic_chart([], [], []).marks == ()
    assert build_difference_chart(["1"], [0.0]).marks[0].height == 0.0


def test_nice_is_the_next_round_number():
    assert [round_up_nice(value) for value in (0.56, 0.6, 0.013, 1.0, 43, 1000)] == [
        0.6, 0.6, 0.02, 1.0, 60, 1000,
    ]  # fmt: skip


def test_rank_bands_put_rank_one_at_the_left_and_every_other_rank_once():
    runs = [
        RankedRun("good", 1, 1, 2, (("ada", 1), ("bob", 2), ("cyd", 2))),
        RankedRun("poor", 3, None, None, (("ada", None),)),
        RankedRun("lost", None, None, None, ()),
    ]
    chart = build_rank_bands(runs)
    good, poor, lost = chart.lines
    assert good.rank == good.low == LABEL
    assert poor.rank == WIDTH - RIGHT
    assert good.others == (LABEL, good.high)
    assert (poor.low, poor.others, lost.rank) == (None, (), None)
    assert good.description == "good: rank 1, 95 % band 1 to 2; ada 1, bob 2, cyd 2"
    assert lost.description == "lost: no rank"
    assert [rank for _, rank in chart.ticks] == [1, 2, 3]
    assert good.y < poor.y < lost.y < chart.height


def test_many_ranks_are_told_in_round_steps():
    chart = build_rank_bands([RankedRun(f"r{n}", n, None, None, ()) for n in range(1, 144)])
    assert [rank for _, rank in chart.ticks] == [1, 20, 40, 60, 80, 100, 120, 140]


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
    chart = build_judgments_chart([sure, lucky])
    one, two = chart.lines
    middle = (chart.left + chart.right) / 2
    assert (one.label, one.kind, one.band, two.kind) == ("sure", 1, "", 2)
    low, half = chart.bottom - 75, chart.bottom - 150  # a quarter and half of the height
    assert one.points == f"{middle:g},{low:g} {chart.right:g},{half:g}"
    band = [(middle, chart.top), (chart.right, chart.top), (chart.right, chart.top), (middle, low)]
    assert two.band == " ".join(f"{x:g},{y:g}" for x, y in band)
    assert one.dots[0].description == "sure: 0.25 after 50 judgments"
    assert (two.dots[0].y, two.dots[0].description) == (
        half,
        "lucky: 0.5 (0.25 to 1) after 50 judgments",
    )
    assert [label for _, label in chart.across] == ["0", "20", "40", "60", "80", "100"]
    assert [label for _, label in chart.up] == ["0", "0.2", "0.4", "0.6", "0.8", "1"]
    assert chart.across[0][0] == chart.left < chart.right == chart.across[-1][0] < chart.width


def test_round_axes_go_below_zero_and_may_be_empty():
    up = round_axis("tau", [-0.2, 0.9])
    chart = build_line_chart([("a", [PlotValue(10, -0.2, "")])], round_axis("", [20]), up)
    assert [label for _, label in chart.up] == ["−0.4", "0", "0.4", "0.8", "1.2"]
    assert chart.lines[0].dots[0].y == chart.bottom - 300 * 0.2 / 1.6
    nothing = build_judgments_chart([("nothing", [])])
    assert [(line.points, line.band, line.dots) for line in nothing.lines] == [("", "", ())]


def test_more_lines_than_colours_take_them_again():
    axis = fifths_axis("")
    chart = build_line_chart([(str(at), []) for at in range(KINDS + 1)], axis, axis)
    assert [line.kind for line in chart.lines] == [*range(1, KINDS + 1), 1]


def test_an_axis_ends_at_its_outer_ticks():
    levels = Axis("levels", [(0, "1"), (1, "5"), (2, "100")])
    values = [PlotValue(0, 0.5, "half", 0.3, 0.6), PlotValue(2, 1.0, "all", 1.0, 1.0)]
    chart = build_line_chart([("map", values)], levels, fifths_axis("tau", 0.3))
    low = chart.bottom - 300 * 3 / 8  # 0.5 of 0.2 to 1
    assert chart.lines[0].points == f"{chart.left:g},{low:g} {chart.right:g},{chart.top:g}"
    assert [label for _, label in chart.up] == ["0.2", "0.4", "0.6", "0.8", "1"]
    assert chart.across[1] == ((chart.left + chart.right) / 2, "5")
    assert len(chart.lines[0].band.split()) == 4
    alone = build_line_chart([("map", values[:1])], Axis("", [(0, "1")]), fifths_axis(""))
    assert alone.lines[0].dots[0].x == alone.left


def test_fifths_have_room_below_zero_and_for_all_ones():
    assert [label for _, label in fifths_axis("", -0.3).ticks][:3] == ["−0.4", "−0.2", "0"]
    assert fifths_axis("", 1.0).ticks[0] == (0, "0")


def test_threads_stand_behind_in_the_same_frame():
    recall = fifths_axis("recall")
    chart = build_line_chart(
        [], recall, recall, size=(100, 100), threads=[[(0.0, 1.0), (1.0, 0.5)]]
    )
    left, right, top = chart.left, chart.right, chart.top
    assert chart.threads == (f"{left:g},{top:g} {right:g},{top + 50:g}",)
    assert (chart.width - chart.right, chart.height - chart.bottom) == (28, 44)


def test_rank_bands_reach_the_last_rank_where_not_all_runs_are_drawn():
    chart = build_rank_bands(
        [RankedRun("a", 1, None, None, ()), RankedRun("b", 9, None, None, ())], last=9
    )
    assert [rank for _, rank in chart.ticks] == list(range(1, 10))
    assert chart.lines[1].rank == WIDTH - 70
