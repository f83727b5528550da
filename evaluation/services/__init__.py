"""Writing: evaluate the runs under a qrels release, and release the scores."""

from __future__ import annotations

from evaluation.services.release import release_scores
from evaluation.services.scoring import evaluate_campaign, request_evaluation, score_campaign

__all__ = ["evaluate_campaign", "release_scores", "request_evaluation", "score_campaign"]
