"""Precision–recall charts of runs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from poolbench.charts.axes import fifths_axis
from poolbench.charts.chart import Chart
from poolbench.charts.kinds import PlotValue, build_line_chart
from poolbench.evaluation.curves import ELEVEN

SQUARE = (420.0, 420.0)


def build_recall_chart(
    runs: Iterable[tuple[str, Sequence[float]]],
    topic: str = "",
    threads: Iterable[Sequence[tuple[float, float]]] = (),
    caption: str = "",
) -> Chart:
    """A line per run tag, its precision at the levels ``ELEVEN``; ``threads`` are behind them."""
    return build_line_chart(
        (
            "precision-recall",
            f"Precision by recall{f', topic {topic}' if topic else ''}",
            "Vertical axis: precision from 0 to 1. Horizontal axis: recall from 0 to 1.",
        ),
        [(tag, curve_values(tag, column)) for tag, column in runs],
        fifths_axis("recall"),
        fifths_axis("precision"),
        size=SQUARE,
        threads=threads,
        caption=caption,
    )


def curve_values(tag: str, column: Sequence[float]) -> list[PlotValue]:
    """The points of a curve with their labels."""
    points = zip(ELEVEN, column, strict=True)
    return [PlotValue(r, p, f"{tag}: precision {p:.4f} at recall {r:.2f}") for r, p in points]
