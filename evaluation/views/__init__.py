"""Pages: leaderboard, run scores, comparisons, measures, reports and downloads."""

from __future__ import annotations

from evaluation.views.disagreement import (
    disagreement_download_view,
    disagreement_effect_view,
    disagreement_round_view,
)
from evaluation.views.downloads import run_scores_download_view, score_set_download_view
from evaluation.views.interim_scores import interim_scores_view
from evaluation.views.leaderboard import (
    score_evaluate_view,
    score_release_view,
    score_set_view,
    scores_view,
)
from evaluation.views.measures import measure_view, measures_view
from evaluation.views.reusability import reusability_report_view, reusability_view
from evaluation.views.run_pairs import measures_compared_view, pairs_download_view, pairs_view
from evaluation.views.runs import compare_view, run_scores_view
from evaluation.views.simulation import simulation_report_view, simulation_view
from evaluation.views.stopping import stopping_download_view, stopping_view

__all__ = [
    "compare_view",
    "disagreement_download_view",
    "disagreement_effect_view",
    "disagreement_round_view",
    "interim_scores_view",
    "measure_view",
    "measures_compared_view",
    "measures_view",
    "pairs_download_view",
    "pairs_view",
    "reusability_report_view",
    "reusability_view",
    "run_scores_download_view",
    "run_scores_view",
    "score_evaluate_view",
    "score_release_view",
    "score_set_download_view",
    "score_set_view",
    "scores_view",
    "simulation_report_view",
    "simulation_view",
    "stopping_download_view",
    "stopping_view",
]
