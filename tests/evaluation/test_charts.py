from __future__ import annotations

from evaluation.charts.budget_lines import KINDS, Value, budget_lines
from evaluation.charts.caterpillar import LABEL, RIGHT, WIDTH
from evaluation.charts.levels import Point, level_chart
from evaluation.charts.rank_bands import Ranked, rank_bands
from evaluation.charts.topics import HEIGHT, LEFT, TOP, difference_chart, nice, topic_chart
from evaluation.queries.board import Spread


def test_topic_chart_places_bar_median_and_whisker():
    chart = topic_chart(["1", "2"], [0.5, None], [Spread(1.0, 0.25, 0.0), Spread(0.5, 0.5, 0.5)])
    first, second = chart.marks
    assert (first.y, first.height) == (TOP + HEIGHT / 2, HEIGHT / 2)
    assert (first.best, first.median, first.worst) == (TOP, TOP + HEIGHT * 0.75, TOP + HEIGHT)
    assert first.said == "Topic 1: 0.5; best 1, median 0.25, worst 0"
    assert second.missing
    assert [tick.label for tick in chart.ticks] == ["0", "0.25", "0.5", "0.75", "1"]
    assert chart.zero == TOP + HEIGHT


def test_topic_chart_of_counts_reaches_the_largest():
    chart = topic_chart(["1"], [750.0], [Spread(1000.0, 500.0, 0.0)])
    assert [tick.label for tick in chart.ticks] == ["0", "250", "500", "750", "1000"]
    assert chart.marks[0].height == HEIGHT * 0.75


def test_topic_chart_grows_with_topics_and_slants_long_labels():
    spreads = [Spread(1.0, 0.5, 0.0)] * 100
    many = topic_chart([f"topic-{n}" for n in range(100)], [0.5] * 100, spreads)
    few = topic_chart(["1"], [0.5], spreads[:1])
    assert many.width > 2400 > few.width
    assert many.slanted
    assert not few.slanted


def test_difference_chart_goes_up_and_down_from_zero():
    up, down = difference_chart(["1", "2"], [0.5, -0.25]).marks
    assert (up.kind, down.kind) == ("own", "other")
    assert up.y + up.height == down.y == TOP + HEIGHT / 2
    assert up.height == 2 * down.height
    assert up.x > LEFT


def test_charts_without_topics_or_differences_still_stand():
    assert topic_chart([], [], []).marks == ()
    assert difference_chart(["1"], [0.0]).marks[0].height == 0.0


def test_nice_is_the_next_round_number():
    assert [nice(value) for value in (0.56, 0.6, 0.013, 1.0, 43, 1000)] == [
        0.6, 0.6, 0.02, 1.0, 60, 1000,
    ]  # fmt: skip


def test_rank_bands_put_rank_one_at_the_left_and_every_other_rank_once():
    runs = [
        Ranked("good", 1, 1, 2, (("ada", 1), ("bob", 2), ("cyd", 2))),
        Ranked("poor", 3, None, None, (("ada", None),)),
        Ranked("lost", None, None, None, ()),
    ]
    chart = rank_bands(runs)
    good, poor, lost = chart.lines
    assert good.rank == good.low == LABEL
    assert poor.rank == WIDTH - RIGHT
    assert good.others == (LABEL, good.high)
    assert (poor.low, poor.others, lost.rank) == (None, (), None)
    assert good.said == "good: rank 1, 95 % band 1 to 2; ada 1, bob 2, cyd 2"
    assert lost.said == "lost: no rank"
    assert [rank for _, rank in chart.ticks] == [1, 2, 3]
    assert good.y < poor.y < lost.y < chart.height


def test_many_ranks_are_told_in_round_steps():
    chart = rank_bands([Ranked(f"r{n}", n, None, None, ()) for n in range(1, 144)])
    assert [rank for _, rank in chart.ticks] == [1, 20, 40, 60, 80, 100, 120, 140]


def test_budget_lines_start_at_nothing_and_hold_the_band_of_chance():
    sure = ("sure", [Value(50, 0.25, 0.25, 0.25), Value(100, 0.5, 0.5, 0.5)])
    lucky = ("lucky", [Value(50, 0.5, 0.25, 1.0), Value(100, 1.0, 1.0, 1.0)])
    chart = budget_lines([sure, lucky])
    one, two = chart.lines
    middle = (chart.left + chart.right) / 2
    assert (one.kind, one.band, two.kind) == (1, "", 2)
    low, half = chart.bottom - 75, chart.bottom - 150  # a quarter and half of the height
    assert one.points == f"{middle:g},{low:g} {chart.right:g},{half:g}"
    band = [(middle, chart.top), (chart.right, chart.top), (chart.right, chart.top), (middle, low)]
    assert two.band == " ".join(f"{x:g},{y:g}" for x, y in band)
    assert two.dots[0].said == "lucky: 0.5 (0.25 to 1) after 50 judgments"
    assert [label for _, label in chart.across] == ["0", "20", "40", "60", "80", "100"]
    assert [label for _, label in chart.up] == ["0", "0.2", "0.4", "0.6", "0.8", "1"]


def test_budget_lines_go_below_zero_and_may_be_empty():
    chart = budget_lines([("tau", [Value(10, -0.2, -0.2, -0.2), Value(20, 0.9, 0.9, 0.9)])])
    assert [label for _, label in chart.up] == ["−0.4", "0", "0.4", "0.8", "1.2"]
    assert chart.lines[0].dots[0].y == chart.bottom - 300 * 0.2 / 1.6
    assert budget_lines([("nothing", [])]).lines[0].points == ""


def test_more_lines_than_colours_take_them_again():
    chart = budget_lines([(str(at), [Value(1, 1, 1, 1)]) for at in range(KINDS + 1)])
    assert [line.kind for line in chart.lines] == [*range(1, KINDS + 1), 1]


def test_lines_over_levels_go_from_the_first_to_the_last_level():
    series = {
        "map": [Point(1, 0.5, 0.3, 0.6), Point(100, 1.0, 1.0, 1.0)],
        "P": [Point(1, None, None, None)],
    }
    chart = level_chart(series, (1, 5, 100))
    first, second = chart.lines
    assert first.points == "48,212 808,12"  # 0.5 of 0.2 to 1 is five eighths from the top
    assert [tick.label for tick in chart.ticks] == ["0.2", "0.4", "0.6", "0.8", "1"]
    assert [label for _, label in chart.levels] == ["1", "5", "100"]
    assert first.dots[0].said == "map at 1 %: 0.500, 0.300 to 0.600"
    assert len(first.area.split()) == 4
    assert (second.points, second.area, second.dots) == ("", "", ())


def test_values_below_zero_have_room_and_all_ones_too():
    assert level_chart({"a": [Point(1, -0.3, None, None)]}, (1,)).ticks[0].label == "−0.4"
    assert level_chart({"a": [Point(1, 1.0, 1.0, 1.0)]}, (1,)).ticks[0].label == "0"


def test_rank_bands_reach_the_last_rank_where_not_all_runs_are_drawn():
    chart = rank_bands([Ranked("a", 1, None, None, ()), Ranked("b", 9, None, None, ())], last=9)
    assert [rank for _, rank in chart.ticks] == list(range(1, 10))
    assert chart.lines[1].rank == WIDTH - 70
