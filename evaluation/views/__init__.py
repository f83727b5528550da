"""Pages: the leaderboard, a run's scores, two runs beside each other, downloads."""

from __future__ import annotations

from evaluation.views.board import evaluate, release, score_set, scores
from evaluation.views.collection import collection, collection_report
from evaluation.views.disagreement import (
    disagreement,
    disagreement_download,
    disagreement_round,
)
from evaluation.views.files import run_scores_download, score_set_download
from evaluation.views.live import live
from evaluation.views.measures import measure, measures
from evaluation.views.pairs import measures_compared, pairs, pairs_download
from evaluation.views.runs import compare, run_scores
from evaluation.views.simulation import simulation, simulation_report
from evaluation.views.stopping import stopping, stopping_download

__all__ = [
    "collection",
    "collection_report",
    "compare",
    "disagreement",
    "disagreement_download",
    "disagreement_round",
    "evaluate",
    "live",
    "measure",
    "measures",
    "measures_compared",
    "pairs",
    "pairs_download",
    "release",
    "run_scores",
    "run_scores_download",
    "score_set",
    "score_set_download",
    "scores",
    "simulation",
    "simulation_report",
    "stopping",
    "stopping_download",
]
