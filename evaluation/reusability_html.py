"""A report on a collection as one HTML file that needs nothing beside itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from django.template.loader import render_to_string

from evaluation.charts.lines import Axis, LineChart, PlotValue, build_line_chart, fifths_axis
from evaluation.charts.rank_bands import RankBandChart, RankedRun, build_rank_bands
from evaluation.charts.topics import (
    TopicBar,
    TopicChart,
    TopicPlotArea,
    format_tick_value,
    round_up_nice,
)
from evaluation.core.collection import depths, leave_one_group_out, reduced_judgments, stability
from evaluation.core.collection.report import ReusabilityReport
from evaluation.core.collection.report_tables import build_sections, list_condition_sentences
from evaluation.standalone_html import build_standalone_html

TITLE = "How far this collection can be trusted"


@dataclass(frozen=True)
class ReportChart:
    """``kind`` says which template draws it; ``called`` keeps its ids apart from others'."""

    kind: str
    title: str
    caption: str
    chart: RankBandChart | LineChart | TopicChart
    called: str = ""


def reusability_to_html(report: ReusabilityReport) -> str:
    """The whole report with pictures."""
    body = render_to_string("evaluation/collection/report.html", reusability_context(report))
    return build_standalone_html(TITLE, body)


def reusability_context(report: ReusabilityReport) -> dict[str, Any]:
    """What the template shows: conditions, and sections each with its picture or None."""
    pictures = {
        leave_one_group_out.CARD.name: chart_ranks(report),
        depths.CARD.name: chart_depths(report),
        stability.CARD.name: chart_densities(report),
        reduced_judgments.CARD.name: chart_taus(report),
    }
    sections = [
        {
            "card": asdict(section.card),
            "remarks": section.remarks,
            "tables": section.tables,
            "picture": pictures.get(section.card.name),
        }
        for section in build_sections(report)
    ]
    return {"conditions": list_condition_sentences(report.facts), "sections": sections}


def chart_ranks(report: ReusabilityReport) -> ReportChart:
    """By the first measure: each pooled run's rank, and its rank with its team left out."""
    found = report.leave_team_out[0]
    pooled = (row for row in found.runs if row.pooled)
    rows = sorted(pooled, key=lambda row: (row.rank is None, row.rank or 0, row.run))
    last = report.facts.runs
    runs = [
        RankedRun(row.run, row.rank, None, None, (("without its team", row.rank_without),))
        for row in rows
    ]
    return ReportChart(
        "ranks",
        f"Rank of each pooled run by {found.measure}, and its rank with its team left out",
        f"Ranks of the pooled runs by {found.measure} among all runs, 1 at the left. The dot is by "
        "all judgments, the stroke with the team left out of the pool.",
        build_rank_bands(runs, last),
    )


def chart_depths(report: ReusabilityReport) -> ReportChart:
    """New relevant documents by depth."""
    values = [row.relevant for row in report.by_depth]
    said = [
        f"Depth {row.depth}: {row.relevant} new relevant of {row.judged} judged"
        for row in report.by_depth
    ]
    top = round_up_nice(float(max(values, default=0) or 1))
    names = [str(row.depth) for row in report.by_depth]
    chart = build_bar_chart(
        names, [float(value) for value in values], said, top, ["own"] * len(values)
    )
    caption = "New relevant documents by their best rank in any pooled run."
    return ReportChart("bars", "New relevant documents by depth", caption, chart, "depth-")


def chart_densities(report: ReusabilityReport) -> ReportChart:
    """Relevant among judged, by topic; alarms stand out."""
    topics = report.stability.topics
    values = [topic.density or 0.0 for topic in topics]
    said = [
        f"Topic {t.topic}: {format_tick_value(t.density)},"
        f" {t.relevant} of {t.judged} judged relevant"
        for t in topics
    ]
    kinds = ["other" if topic.alarm else "own" for topic in topics]
    chart = build_bar_chart([topic.topic for topic in topics], values, said, 1.0, kinds)
    caption = "Relevant among the judged documents of each topic; where more than a third, marked."
    return ReportChart("bars", "Share of relevant documents by topic", caption, chart, "density-")


def build_bar_chart(
    names: Sequence[str], values: Sequence[float], said: Sequence[str], top: float, kinds: list[str]
) -> TopicChart:
    frame = TopicPlotArea(names, 0.0, top, top / 4)
    marks = [
        TopicBar(
            label=name,
            said=told,
            middle=frame.middle(at),
            x=round(frame.middle(at) - frame.bar / 2, 2),
            width=round(frame.bar, 2),
            y=frame.y(value),
            height=round(frame.y(0.0) - frame.y(value), 2),
            kind=kind,
        )
        for at, (name, value, told, kind) in enumerate(zip(names, values, said, kinds, strict=True))
    ]
    return frame.chart(marks)


def chart_taus(report: ReusabilityReport) -> ReportChart:
    """tau of each measure with its own ranking by all judgments, level by level."""
    levels = report.facts.levels
    series = [(name, list_tau_values(report, name)) for name in report.facts.measures]
    least = min((v.low or 0.0 for _, values in series for v in values), default=0.0)
    # The levels are not equally far apart, but each step is one.
    across = Axis("per cent of the judgments", [(n, str(at)) for n, at in enumerate(levels)])
    return ReportChart(
        "lines",
        "Kendall's tau with the ranking by all judgments",
        "tau of each measure with its own ranking by all judgments: mean of the draws, and "
        "pale the least to the most.",
        build_line_chart(series, across, fifths_axis("", least)),
    )


def list_tau_values(report: ReusabilityReport, measure: str) -> list[PlotValue]:
    """By the number of the level, from 0; an undefined tau has no mark."""
    found = []
    for row in report.reduced:
        tau, at = row.tau, report.facts.levels.index(row.level)
        if row.measure == measure and tau.mean is not None:
            said = f"{measure} at {row.level} %: {tau.mean:.3f}, {tau.least:.3f} to {tau.most:.3f}"
            found.append(PlotValue(at, tau.mean, said, tau.least, tau.most))
    return found
