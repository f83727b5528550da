"""Read teams, ``run team`` per line, and contributing runs, one tag per line."""

from __future__ import annotations

from campaigns.core.columns import ColumnFile, ColumnLayout
from campaigns.core.faults import FaultReport, InvalidFile

TEAMS_LAYOUT = ColumnLayout(
    columns=("run", "team"),
    not_text="EG01",
    wrong_columns="EG02",
    empty="EG03",
    bom="WG01",
)
TAGS_LAYOUT = ColumnLayout(
    columns=("run",),
    not_text="EG01",
    wrong_columns="EG02",
    empty="EG03",
    bom="WG01",
)


def read_teams(data: bytes, *, file: str = "", report: FaultReport | None = None) -> dict[str, str]:
    """Teams by run tag; duplicate lines are allowed.

    Warnings go to ``report`` if it is passed. Raises ``InvalidFile`` with every fault
    (EG01 to EG04).
    """
    report = FaultReport(file) if report is None else report
    lines = ColumnFile(data, TEAMS_LAYOUT, report)
    teams: dict[str, str] = {}
    for block in lines.blocks():
        rows = zip(block.lines, block.column(0), block.column(1), strict=True)
        for line, run, team in rows:
            if teams.setdefault(run, team) != team:
                message = f"Run {run} has two teams: {teams[run]} and {team}."
                lines.add_fault("EG04", message, "Keep one team per run.", line=int(line), field=1)
    if report.has_errors:
        raise InvalidFile(report)
    return teams


def read_tags(data: bytes, *, file: str = "", report: FaultReport | None = None) -> frozenset[str]:
    """Run tags; duplicates are allowed. Raises ``InvalidFile`` with every fault (EG01 to EG03)."""
    report = FaultReport(file) if report is None else report
    blocks = ColumnFile(data, TAGS_LAYOUT, report).blocks()
    tags = frozenset(tag for block in blocks for tag in block.column(0))
    if report.has_errors:
        raise InvalidFile(report)
    return tags
