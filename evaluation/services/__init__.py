"""Writing: evaluate the runs under a qrels release, and release the scores."""

from __future__ import annotations

from evaluation.services.collection import report_campaign, request_report
from evaluation.services.disagreement import disagreement, open_by_value
from evaluation.services.live import live_scores
from evaluation.services.release import release_scores
from evaluation.services.scoring import evaluate_campaign, request_evaluation, score_campaign
from evaluation.services.simulation import Wanted, request_simulation, simulate_campaign
from evaluation.services.stopping import stopping_panel

__all__ = [
    "Wanted",
    "disagreement",
    "evaluate_campaign",
    "live_scores",
    "open_by_value",
    "release_scores",
    "report_campaign",
    "request_evaluation",
    "request_report",
    "request_simulation",
    "score_campaign",
    "simulate_campaign",
    "stopping_panel",
]
