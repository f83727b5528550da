"""Charts of agreement: heat maps, and values with intervals."""

from collections.abc import Iterable, Sequence

from poolbench.charts.axes import can_draw, parts_axis
from poolbench.charts.chart import Chart
from poolbench.charts.kinds import IntervalRow, build_heat_map, build_interval_chart
from poolbench.charts.marks import CellMark
from poolbench.judging.agreement.report import AgreementReport

MAX_ASSESSORS = 30
"""A heat map of more assessors would be illegible."""
LABEL, WIDTH = 250.0, 442.0
MOST_LINES = 120

Line = tuple[str, float | None, float | None, float | None, str]
"""Label, value, bounds, and the reason why there is no value."""


def build_pair_heat_map(
    report: AgreementReport, by: str, title: str = "", caption: str = ""
) -> Chart | None:
    """All pairs of assessors by one coefficient; None if there are too many for a chart."""
    names = [assessor.name for assessor in report.assessors]
    if len(names) > MAX_ASSESSORS:
        return None
    place = {name: at for at, name in enumerate(names)}
    cells = []
    for (a, b), row in report.pairs.items():
        value = row[by]
        text = "–" if value.value is None else f"{value.value:.2f}"
        why = value.reason or f"{value.value:.4f}, n {value.n}"
        for i, j in ((place[a], place[b]), (place[b], place[a])):
            description = f"{names[i]} and {names[j]}: {why}"
            cells.append(CellMark(i, j, text, value.value or 0.0, description, value.value))
    return build_heat_map(
        ("pairs", f"{title} by assessor pair"), (names, "assessor"), cells, caption
    )


def build_confusion_heat_map(
    table: Sequence[Sequence[int]], grades: Sequence[str], caption: str = ""
) -> Chart:
    """Pairs by the grades of two assessors; opacity is the share of the row."""
    cells = []
    for i, row in enumerate(table):
        total = sum(row)
        for j, count in enumerate(row):
            description = f"{grades[i]} and {grades[j]}: {count} of {total}"
            share = count / total if total else 0.0
            cells.append(CellMark(i, j, str(count), share, description, count))
    head = "confusion", "Documents by the grades of the two assessors"
    return build_heat_map(head, (grades, "grade"), cells, caption)


def build_agreement_intervals(
    name: str,
    title: str,
    lines: Iterable[Line],
    *,
    axis: str = "",
    caption: str = "",
    least: float = 0.0,
    most: float = 1.0,
    row_name: str = "",
) -> Chart:
    """A caterpillar plot of rows called ``row_name``; its axis covers at least ``least`` to
    ``most`` and all values.
    """
    rows = [
        IntervalRow(label, _describe_interval(label, value, low, high, why), value, low, high)
        for label, value, low, high, why in lines
    ]
    values = [v for row in rows for v in (row.value, row.low, row.high) if can_draw(v)]
    start, end = _ends(min([least, *values]), max([most, *values]))
    across = parts_axis(axis, start, end, 4)
    head = name, title, ""
    return build_interval_chart(
        head,
        rows,
        across,
        room=LABEL,
        width=WIDTH,
        caption=caption,
        is_fixed=True,
        row_name=row_name,
    )


def _ends(low: float, high: float) -> tuple[float, float]:
    """Ends that are multiples of 0.2, so that quarter ticks have at most two decimals."""
    steps = 5
    start, end = int(low * steps // 1), int(-(-high * steps // 1))
    return start / steps, max(end, start + 1) / steps


def _describe_interval(
    label: str, value: float | None, low: float | None, high: float | None, why: str
) -> str:
    if value is None:
        return f"{label}: {why}"
    if low is None or high is None:
        return f"{label}: {value:.3f}"
    return f"{label}: {value:.3f}, {low:.3f} to {high:.3f}"
