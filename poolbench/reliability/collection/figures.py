"""The charts of a reusability report."""

from collections.abc import Callable, Iterator

from poolbench.charts.axes import Axis, fifths_axis, format_value, round_up_nice
from poolbench.charts.chart import Chart
from poolbench.charts.kinds import PlotValue, build_bar_chart, build_line_chart
from poolbench.reliability.charts import RankedRun, build_rank_bands
from poolbench.reliability.collection import (
    depths,
    leave_one_group_out,
    reduced_judgments,
    stability,
)
from poolbench.reliability.collection.report import ReusabilityReport
from poolbench.reports.figures import make_figure
from poolbench.reports.report import Figure


def draw_section_figures(report: ReusabilityReport, section: str) -> Iterator[Figure]:
    """The figures of the section of that name, drawn by HTML only."""
    if section in CHARTS:
        yield make_figure(CHARTS[section](report))


def chart_ranks(report: ReusabilityReport) -> Chart:
    """Rank of each contributing run by the first measure, with and without its team."""
    result = report.leave_team_out[0]
    pooled = (row for row in result.runs if row.pooled)
    rows = sorted(pooled, key=lambda row: (row.rank is None, row.rank or 0, row.run))
    runs = [
        RankedRun(row.run, row.rank, None, None, (("without its team", row.rank_without),))
        for row in rows
    ]
    return build_rank_bands(
        f"Rank of each contributing run by {result.measure}, with and without its team",
        runs,
        last=report.facts.runs,
        caption=f"Rank among all runs by {result.measure}, rank 1 at the left. Dot: all judgments; "
        "stroke: team left out of the pool.",
    )


def chart_depths(report: ReusabilityReport) -> Chart:
    """New relevant documents by depth."""
    bars = [
        (
            str(row.depth),
            float(row.relevant),
            f"Depth {row.depth}: {row.relevant} of {row.judged} new judged documents relevant",
            "own",
        )
        for row in report.by_depth
    ]
    top = round_up_nice(max((value for _, value, *_ in bars), default=0.0) or 1.0)
    caption = "New relevant documents by best rank in any contributing run."
    title, axes = "New relevant documents by depth", ("depth", "relevant")
    return build_bar_chart(("depths", title), axes, bars, top, caption)


def chart_densities(report: ReusabilityReport) -> Chart:
    """Share of relevant documents by topic; topics with an alarm are highlighted."""
    bars = [
        (
            t.topic,
            t.density or 0.0,
            (
                f"Topic {t.topic}: {format_value(t.density)}, {t.relevant} of {t.judged} judged "
                "documents relevant"
            ),
            "other" if t.alarm else "own",
        )
        for t in report.stability.topics
    ]
    caption = (
        "Relevant documents as a share of the judged ones, by topic; shares above a third are "
        "highlighted."
    )
    title = "Share of relevant documents by topic"
    return build_bar_chart(("densities", title), ("topic", "share"), bars, 1.0, caption)


def chart_taus(report: ReusabilityReport) -> Chart:
    """tau of each measure with its own ranking by all judgments, by level."""
    levels = report.facts.levels
    series = [(name, list_tau_values(report, name)) for name in report.facts.measures]
    least = min((v.low or 0.0 for _, values in series for v in values), default=0.0)
    # Levels are unequally spaced in percent, equally on the axis.
    across = Axis("percent of the judgments", [(n, str(at)) for n, at in enumerate(levels)])
    caption = (
        "tau of each measure with its own ranking by all judgments: mean over the draws (SE: its "
        "standard error); shaded: minimum to maximum."
    )
    head = "taus", "Kendall's tau with the ranking by all judgments", caption
    return build_line_chart(head, series, across, fifths_axis("tau", least), caption=caption)


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


CHARTS: dict[str, Callable[[ReusabilityReport], Chart]] = {
    leave_one_group_out.CARD.name: chart_ranks,
    depths.CARD.name: chart_depths,
    stability.CARD.name: chart_densities,
    reduced_judgments.CARD.name: chart_taus,
}
