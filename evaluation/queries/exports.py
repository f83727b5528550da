"""Score sets and single runs as files, in the formats of ``common.report`` and of trec_eval."""

from __future__ import annotations

from typing import Any

from common.report.report import Column, Report, Section, Table, make_columns
from common.report.writers import ENDINGS, make_formats
from evaluation.core.comparison.formats import format_p_value
from evaluation.core.formats import FORMATS
from evaluation.queries.leaderboard import Leaderboard, LeaderboardEntry

RUN_FORMATS = ENDINGS | {"txt": "trec_eval"}
"""By the extension of the file."""
MIME = {"txt": "text/plain", "csv": "text/csv", "json": "application/json"}


def run_scores_file(leaderboard: Leaderboard, entry: LeaderboardEntry, fmt: str) -> str:
    """The scores of one run by topic; ``fmt`` is a key of ``RUN_FORMATS``."""
    return FORMATS[RUN_FORMATS[fmt]]([leaderboard.as_scored_run(entry)], by_topic=True)


def leaderboard_to_csv(leaderboard: Leaderboard, *, by_topic: bool = False) -> str:
    """One line per run; ``by_topic``: one line per value. Undefined is an empty cell."""
    if by_topic:
        return FORMATS["csv"](
            [leaderboard.as_scored_run(entry) for entry in leaderboard.entries], by_topic=True
        )
    return LEADERBOARD_FORMATS["csv"](leaderboard)


def build_leaderboard_report(leaderboard: Leaderboard) -> Report:
    """One line per run."""
    names = leaderboard.score_set.measures
    columns = (
        *make_columns("run", "team", left=True),
        *make_columns(*names, show=format_p_value),
        Column("withdrawn"),
    )
    rows = [
        (
            *(entry.tag, entry.team, *(entry.means[name] for name in names)),
            entry.withdrawn_at.isoformat() if entry.withdrawn_at else "",
        )
        for entry in leaderboard.entries
    ]
    table = Table("leaderboard", columns, rows)
    campaign, label = leaderboard.score_set.campaign, leaderboard.score_set.label
    return Report(
        title=f"Scores of {campaign.title}, qrels {leaderboard.score_set.qrels.version}",
        sections=[Section("Runs", (table,))],
        notes=(label,) if label else (),
        conditions=leaderboard.score_set.provenance,
        record=table,
        data=lambda: leaderboard_to_dict(leaderboard),
    )


def leaderboard_to_dict(leaderboard: Leaderboard) -> dict[str, Any]:
    """The score set as plain values: provenance, best, median and worst, visible runs."""
    score_set = leaderboard.score_set
    return {
        "score_set": score_set.pk,
        "campaign": score_set.campaign.slug,
        "qrels": score_set.qrels.version,
        "created_at": score_set.created_at.isoformat(),
        "released_at": score_set.released_at.isoformat() if score_set.released_at else None,
        "label": score_set.label,
        "conditions": score_set.provenance,
        "spread": {
            name: leaderboard.best_median_worst(name).as_dict() for name in score_set.measures
        },
        "runs": [
            {
                "run": entry.tag,
                "team": entry.team,
                "own": entry.own,
                "withdrawn_at": entry.withdrawn_at.isoformat() if entry.withdrawn_at else None,
                "run_scores": entry.scores if entry.opens else None,
                "means": dict(entry.means),
            }
            for entry in leaderboard.entries
        ],
    }


LEADERBOARD_FORMATS = make_formats(build_leaderboard_report)
