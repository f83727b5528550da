"""Charts of scores for notebooks, by the builders of the pages."""

from collections.abc import Sequence

from poolbench.charts.axes import format_value, round_down_nice, round_up_nice
from poolbench.charts.chart import Chart
from poolbench.charts.kinds import build_bar_chart, build_heat_map
from poolbench.charts.marks import CellMark
from poolbench.evaluation.charts.runs import build_caterpillar
from poolbench.evaluation.charts.topics import build_box_chart
from poolbench.evaluation.comparison.compare import Comparisons
from poolbench.evaluation.comparison.interval import INTERVALS
from poolbench.evaluation.comparison.scores import values_by_measure
from poolbench.evaluation.evaluate import ScoredRun
from poolbench.files.name_lists import choose_named
from poolbench.number_formats import format_decimals
from poolbench.statistics.box_plot import summarize_as_box
from poolbench.statistics.draws import Floats

INTERVAL = "bca"
DEEP, PALE = 0.9, 0.12
"""The depth of a cell of a significant difference, and of another."""


def build_run_bars(scores: ScoredRun, measure: str) -> Chart:
    """A bar per topic with a value."""
    name = measure or scores.columns[0]
    bars = [
        (topic, value, f"Topic {topic}: {format_value(value)}", "own")
        for topic, value in scores.by_topic(name).items()
        if value is not None
    ]
    head, values = ("topics", f"{name} of {scores.tag} by topic"), [0.0, *(bar[1] for bar in bars)]
    top, bottom = round_up_nice(max(values) or 1.0), round_down_nice(min(values))
    axes, caption = ("topic", name), "One bar per topic."
    return build_bar_chart(head, axes, bars, top, caption, bottom=bottom)


def build_run_intervals(runs: Sequence[ScoredRun], measure: str) -> Chart:
    """A caterpillar plot, best run first."""
    name, values = select_values(runs, measure)
    intervals = INTERVALS[INTERVAL].of_columns(values.T)
    sign = 1 if runs[0].find_measure(name).family.better == "lower" else -1
    order = sorted(
        range(len(runs)),
        key=lambda at: (intervals[at].value is None, sign * (intervals[at].value or 0)),
    )
    tags, ordered = [runs[at].tag for at in order], [intervals[at] for at in order]
    return build_caterpillar(name, tags, ordered, [False] * len(runs))


def build_topic_boxes(runs: Sequence[ScoredRun], measure: str, marked: str) -> Chart:
    """A box plot per topic over all runs, with the run ``marked``."""
    name, values = select_values(runs, measure)
    run = choose_named({run.tag: run for run in runs}, marked or runs[0].tag, "run")
    own = run.by_topic(name)
    boxes = [summarize_as_box(column) for column in values.T]
    return build_box_chart(name, run.tag, list(own), boxes, list(own.values()))


def select_values(runs: Sequence[ScoredRun], measure: str) -> tuple[str, Floats]:
    """A measure as requested, and its values: runs × topics."""
    name = measure or runs[0].columns[0]
    printed = runs[0].find_measure(name).name
    values = values_by_measure(runs)
    if printed not in values:
        raise ValueError(f"{name} has no values by topic")
    return name, values[printed]


def build_difference_map(compared: Comparisons) -> Chart:
    """All pairs of runs: the difference, row minus column, dark if it is significant."""
    place = {tag: at for at, tag in enumerate(compared.tags)}
    cells = []
    for row in compared.rows:
        for one in (row, row.swapped(compared.test)):
            difference, p = format_decimals(one.difference, 3, signed=True), one.adjusted
            label = f"{one.first} − {one.second}: {difference}, adjusted p {format_decimals(p, 4)}"
            at = place[one.first], place[one.second]
            cells.append(
                CellMark(*at, difference, DEEP if one.different else PALE, label, one.difference)
            )
    title = f"Differences of all run pairs, by {compared.test}, {compared.correction}"
    caption = f"Row minus column; dark: significant at level {compared.alpha:g}."
    return build_heat_map(("pairs", title), (compared.tags, "run"), cells, caption)
