"""Score sets and single runs as files: trec_eval's text, CSV and JSON."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import asdict
from typing import Any

from evaluation.core.formats import FORMATS, provenance_to_json_line, scores_to_csv
from evaluation.queries.leaderboard import Leaderboard, LeaderboardEntry

RUN_FORMATS = {"txt": "trec_eval", "csv": "csv", "json": "json"}
MIME = {"txt": "text/plain", "csv": "text/csv", "json": "application/json"}


def run_scores_file(board: Leaderboard, entry: LeaderboardEntry, fmt: str) -> str:
    """All topics of one run; ``fmt`` is a key of ``RUN_FORMATS``."""
    return FORMATS[RUN_FORMATS[fmt]]([board.scored(entry)], by_topic=True)


def leaderboard_to_csv(board: Leaderboard, *, by_topic: bool = False) -> str:
    """One line a run; by topic, one line a value. Undefined is an empty cell."""
    if by_topic:
        return scores_to_csv([board.scored(entry) for entry in board.entries], by_topic=True)
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    names = board.score_set.measures
    writer.writerow(["run", "team", *names, "conditions"])
    told = provenance_to_json_line(board.score_set.conditions)
    for entry in board.entries:
        writer.writerow([entry.tag, entry.team, *(entry.means[name] for name in names), told])
    return stream.getvalue()


def leaderboard_to_dict(board: Leaderboard) -> dict[str, Any]:
    """The score set as plain values: conditions, spread of the means, the runs shown."""
    chosen = board.score_set
    return {
        "score_set": chosen.pk,
        "campaign": chosen.campaign.slug,
        "qrels": chosen.qrels.version,
        "created_at": chosen.created_at.isoformat(),
        "released_at": chosen.released_at.isoformat() if chosen.released_at else None,
        "conditions": chosen.conditions,
        "spread": {name: asdict(board.spread(name)) for name in chosen.measures},
        "runs": [
            {
                "run": entry.tag,
                "team": entry.team,
                "own": entry.own,
                "run_scores": entry.scores if entry.opens else None,
                "means": dict(entry.means),
            }
            for entry in board.entries
        ],
    }


def leaderboard_to_json(board: Leaderboard) -> str:
    return (
        json.dumps(leaderboard_to_dict(board), ensure_ascii=False, indent=2, allow_nan=False) + "\n"
    )
