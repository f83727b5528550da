"""Score sets and single runs as files: trec_eval text, CSV and JSON."""

from __future__ import annotations

import json
from typing import Any

from common.report.csv import format_csv
from evaluation.core.formats import FORMATS
from evaluation.queries.leaderboard import Leaderboard, LeaderboardEntry

RUN_FORMATS = {"txt": "trec_eval", "csv": "csv", "json": "json"}
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
    names = leaderboard.score_set.measures
    rows = (
        (
            entry.tag,
            entry.team,
            *(entry.means[name] for name in names),
            entry.withdrawn_at.isoformat() if entry.withdrawn_at else "",
        )
        for entry in leaderboard.entries
    )
    columns = ("run", "team", *names, "withdrawn")
    return format_csv("leaderboard", columns, rows, leaderboard.score_set.provenance)


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


def leaderboard_to_json(leaderboard: Leaderboard) -> str:
    return (
        json.dumps(leaderboard_to_dict(leaderboard), ensure_ascii=False, indent=2, allow_nan=False)
        + "\n"
    )
