"""A picture of what a machine gives the documents of each team."""

from collections.abc import Sequence

from poolbench.charts.axes import parts_axis, round_up_nice
from poolbench.charts.chart import Chart, LegendItem
from poolbench.charts.kinds import IntervalRow, build_interval_chart
from poolbench.estimation.diagnostics.circularity import TeamExcess

ROOM, WIDTH = 170.0, 520.0


def build_team_chart(machine: str, teams: Sequence[TeamExcess]) -> Chart:
    """Teams from the top, by excess; alarms have a filled dot."""
    ends = [abs(end) for team in teams for end in (team.excess.low, team.excess.high) if end]
    most = round_up_nice(max(ends, default=0.1))
    rows = [
        IntervalRow(
            team.team,
            f"{team.team}: {team.excess.value:+.2f} grades a document, 95 % interval "
            f"{team.excess.low:+.2f} to {team.excess.high:+.2f}",
            team.excess.value,
            team.excess.low,
            team.excess.high,
            team.is_alarm,
        )
        for team in teams
    ]
    title = f"Grades a document that {machine} gives each team’s first ten beyond others’"
    legend = [
        LegendItem("team", "dot", "dot"),
        LegendItem("alarm", "dot-own", "dot"),
        LegendItem("95 % interval", "whisker", "whisker"),
    ]
    return build_interval_chart(
        ("teams", title, "Most favoured team first."),
        rows,
        parts_axis("grades a document", -most, most, 4),
        room=ROOM,
        width=WIDTH,
        caption=f"{title}, of the same people’s grade and ranks.",
        row_name="team",
        legend=legend,
    )
