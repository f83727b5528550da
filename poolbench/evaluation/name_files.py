"""Read teams, ``run team`` per line; contributing runs, one tag per line; and the documents that a
user already knew before searching, ``topic docno``."""

from dataclasses import replace

from poolbench.files.columns import ColumnFile, ColumnLayout
from poolbench.files.faults import FaultReport

TEAMS_LAYOUT = ColumnLayout(
    columns=("run", "team"), not_text="EG01", wrong_columns="EG02", empty="EG03", bom="WG01"
)
TAGS_LAYOUT = replace(TEAMS_LAYOUT, columns=("run",))
KNOWN_LAYOUT = ColumnLayout(
    columns=("topic", "docno"), not_text="EK01", wrong_columns="EK02", empty="EK03", bom="WK01"
)
Pairs = frozenset[tuple[str, str]]


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
    report.raise_errors()
    return teams


def read_tags(data: bytes, *, file: str = "", report: FaultReport | None = None) -> frozenset[str]:
    """Run tags; duplicates are allowed. Raises ``InvalidFile`` with every fault (EG01 to EG03)."""
    return frozenset(tag for (tag,) in _read_rows(data, TAGS_LAYOUT, file, report))


def read_known_documents(
    data: bytes, *, file: str = "", report: FaultReport | None = None
) -> Pairs:
    """The ``(topic, docno)`` pairs in ``data``; duplicates are allowed.

    Warnings go to ``report`` if given. Raises ``InvalidFile`` with all faults (EK01 to EK03).
    """
    return frozenset((t, docno) for t, docno in _read_rows(data, KNOWN_LAYOUT, file, report))


def _read_rows(
    data: bytes, layout: ColumnLayout, file: str, report: FaultReport | None
) -> list[tuple[str, ...]]:
    report = FaultReport(file) if report is None else report
    columns = range(len(layout.columns))
    blocks = ColumnFile(data, layout, report).blocks()
    rows = [row for block in blocks for row in zip(*map(block.column, columns), strict=True)]
    report.raise_errors()
    return rows
