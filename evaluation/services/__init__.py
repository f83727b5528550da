"""Writing: evaluate runs under a qrels version, release scores, reports and simulations."""

from __future__ import annotations

from evaluation.services.disagreement import open_round_by_value, study_disagreement
from evaluation.services.interim_scores import compute_interim_scores
from evaluation.services.release import check_not_released, release_scores
from evaluation.services.reusability import build_reusability_job, request_reusability_report
from evaluation.services.scoring import evaluate_campaign, request_evaluation, score_campaign
from evaluation.services.simulation import SimulationRequest, request_simulation, simulate_campaign
from evaluation.services.stopping import stopping_panel

__all__ = [
    "SimulationRequest",
    "build_reusability_job",
    "check_not_released",
    "compute_interim_scores",
    "evaluate_campaign",
    "open_round_by_value",
    "release_scores",
    "request_evaluation",
    "request_reusability_report",
    "request_simulation",
    "score_campaign",
    "simulate_campaign",
    "stopping_panel",
    "study_disagreement",
]
