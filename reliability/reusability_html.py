"""The reusability report as one self-contained HTML file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from django.template.loader import render_to_string

from evaluation.views.charts.lines import Axis, LineChart, PlotValue, build_line_chart, fifths_axis
from evaluation.views.charts.rank_bands import RankBandChart, RankedRun, build_rank_bands
from evaluation.views.charts.topics import (
    TopicBar,
    TopicChart,
    TopicPlotArea,
    format_tick_value,
    round_up_nice,
)
from reliability.core.collection import depths, leave_one_group_out, reduced_judgments, stability
from reliability.core.collection.report import ReusabilityReport
from reliability.core.collection.report_tables import build_sections, list_condition_sentences
from reliability.standalone_html import build_standalone_html

TITLE = "Reusability report"


@dataclass(frozen=True)
class ReportChart:
    """``kind`` selects the template; ``id_prefix`` keeps the ids of charts distinct."""

    kind: str
    title: str
    caption: str
    chart: RankBandChart | LineChart | TopicChart
    id_prefix: str = ""


def reusability_to_html(report: ReusabilityReport) -> str:
    """The whole report with charts."""
    body = render_to_string("reliability/collection/report.html", reusability_context(report))
    return build_standalone_html(TITLE, body)


def reusability_context(report: ReusabilityReport) -> dict[str, Any]:
    """Context of the template: provenance, and sections, each with its chart or None."""
    charts = {
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
            "chart": charts.get(section.card.name),
        }
        for section in build_sections(report)
    ]
    return {
        "title": TITLE,
        "conditions": list_condition_sentences(report.facts),
        "sections": sections,
    }


def chart_ranks(report: ReusabilityReport) -> ReportChart:
    """Rank of each contributing run by the first measure, with and without its team."""
    result = report.leave_team_out[0]
    pooled = (row for row in result.runs if row.pooled)
    rows = sorted(pooled, key=lambda row: (row.rank is None, row.rank or 0, row.run))
    last = report.facts.runs
    runs = [
        RankedRun(row.run, row.rank, None, None, (("without its team", row.rank_without),))
        for row in rows
    ]
    return ReportChart(
        "ranks",
        f"Rank of each contributing run by {result.measure}, with and without its team",
        f"Rank among all runs by {result.measure}, rank 1 at the left. Dot: all judgments; "
        "stroke: team left out of the pool.",
        build_rank_bands(runs, last),
    )


def chart_depths(report: ReusabilityReport) -> ReportChart:
    """New relevant documents by depth."""
    values = [row.relevant for row in report.by_depth]
    descriptions = [
        f"Depth {row.depth}: {row.relevant} of {row.judged} new judged documents relevant"
        for row in report.by_depth
    ]
    top = round_up_nice(float(max(values, default=0) or 1))
    names = [str(row.depth) for row in report.by_depth]
    chart = build_bar_chart(
        names, [float(value) for value in values], descriptions, top, ["own"] * len(values)
    )
    caption = "New relevant documents by best rank in any contributing run."
    return ReportChart("bars", "New relevant documents by depth", caption, chart, "depth-")


def chart_densities(report: ReusabilityReport) -> ReportChart:
    """Share of relevant documents by topic; topics with an alarm are highlighted."""
    topics = report.stability.topics
    values = [topic.density or 0.0 for topic in topics]
    descriptions = [
        f"Topic {t.topic}: {format_tick_value(t.density)},"
        f" {t.relevant} of {t.judged} judged documents relevant"
        for t in topics
    ]
    kinds = ["other" if topic.alarm else "own" for topic in topics]
    chart = build_bar_chart([topic.topic for topic in topics], values, descriptions, 1.0, kinds)
    caption = (
        "Relevant documents as a share of the judged ones, by topic; shares above a third are "
        "highlighted."
    )
    return ReportChart("bars", "Share of relevant documents by topic", caption, chart, "density-")


def build_bar_chart(
    names: Sequence[str],
    values: Sequence[float],
    descriptions: Sequence[str],
    top: float,
    kinds: list[str],
) -> TopicChart:
    frame = TopicPlotArea(names, 0.0, top, top / 4)
    marks = [
        TopicBar(
            label=name,
            description=description,
            middle=frame.middle(at),
            x=round(frame.middle(at) - frame.bar / 2, 2),
            width=round(frame.bar, 2),
            y=frame.y(value),
            height=round(frame.y(0.0) - frame.y(value), 2),
            kind=kind,
        )
        for at, (name, value, description, kind) in enumerate(
            zip(names, values, descriptions, kinds, strict=True)
        )
    ]
    return frame.chart(marks)


def chart_taus(report: ReusabilityReport) -> ReportChart:
    """tau of each measure with its own ranking by all judgments, by level."""
    levels = report.facts.levels
    series = [(name, list_tau_values(report, name)) for name in report.facts.measures]
    least = min((v.low or 0.0 for _, values in series for v in values), default=0.0)
    # Levels are unequally spaced in percent, equally on the axis.
    across = Axis("percent of the judgments", [(n, str(at)) for n, at in enumerate(levels)])
    return ReportChart(
        "lines",
        "Kendall's tau with the ranking by all judgments",
        "tau of each measure with its own ranking by all judgments: mean over the draws (SE: its "
        "standard error); shaded: minimum to maximum.",
        build_line_chart(series, across, fifths_axis("", least)),
    )


def list_tau_values(report: ReusabilityReport, measure: str) -> list[PlotValue]:
    """By index of the level, from 0; an undefined tau has no mark."""
    values = []
    for row in report.reduced:
        tau, at = row.tau, report.facts.levels.index(row.level)
        if row.measure == measure and tau.mean is not None:
            error = "" if tau.standard_error is None else f" (SE {tau.standard_error:.4f})"
            between = f"{tau.least:.3f} to {tau.most:.3f}"
            description = f"{measure} at {row.level} %: {tau.mean:.3f}{error}, {between}"
            values.append(PlotValue(at, tau.mean, description, tau.least, tau.most))
    return values
