"""Pages: the leaderboard, a run's scores, two runs beside each other, downloads."""

from __future__ import annotations

from evaluation.views.board import evaluate, release, score_set, scores
from evaluation.views.files import run_scores_download, score_set_download
from evaluation.views.runs import compare, run_scores

__all__ = [
    "compare",
    "evaluate",
    "release",
    "run_scores",
    "run_scores_download",
    "score_set",
    "score_set_download",
    "scores",
]
