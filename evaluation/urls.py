from __future__ import annotations

from django.urls import path

from evaluation.views import (
    downloads,
    interim_scores,
    leaderboard,
    measures,
    paper,
    result_downloads,
    run_pairs,
    runs,
)

urlpatterns = [
    path("measures/", measures.measures_view, name="measures"),
    path("measures/<str:name>/", measures.measure_view, name="measure"),
    path("c/<slug:slug>/results/scores/", leaderboard.scores_view, name="scores"),
    path(
        "c/<slug:slug>/results/scores/evaluate/",
        leaderboard.score_evaluate_view,
        name="score-evaluate",
    ),
    path(
        "c/<slug:slug>/results/scores/now/",
        interim_scores.interim_scores_view,
        name="interim-scores",
    ),
    path("c/<slug:slug>/results/scores/<int:pk>/", leaderboard.score_set_view, name="score-set"),
    path(
        "c/<slug:slug>/results/scores/<int:pk>/release/",
        leaderboard.score_release_view,
        name="score-release",
    ),
    path("c/<slug:slug>/results/scores/<int:pk>/compare/", runs.compare_view, name="compare"),
    path("c/<slug:slug>/results/scores/<int:pk>/pairs/", run_pairs.pairs_view, name="pairs"),
    path(
        "c/<slug:slug>/results/scores/<int:pk>/pairs.<slug:fmt>",
        run_pairs.pairs_download_view,
        name="pairs-download",
    ),
    path(
        "c/<slug:slug>/results/scores/<int:pk>/measures/",
        run_pairs.measures_compared_view,
        name="measures-compared",
    ),
    path(
        "c/<slug:slug>/results/scores/<int:pk>/scores.<slug:fmt>",
        downloads.score_set_download_view,
        name="score-set-download",
    ),
    path(
        "c/<slug:slug>/results/scores/<int:pk>/run/<int:run>/",
        runs.run_scores_view,
        name="run-scores",
    ),
    path(
        "c/<slug:slug>/results/scores/<int:pk>/run/<int:run>/scores.<slug:fmt>",
        downloads.run_scores_download_view,
        name="run-scores-download",
    ),
    path(
        "c/<slug:slug>/results/scores/now/interim.<slug:fmt>",
        result_downloads.interim_scores_download_view,
        name="interim-scores-download",
    ),
    path(
        "c/<slug:slug>/results/scores/<int:pk>/compare.<slug:fmt>",
        result_downloads.compare_download_view,
        name="compare-download",
    ),
    path(
        "c/<slug:slug>/results/scores/<int:pk>/measures.<slug:fmt>",
        result_downloads.measures_compared_download_view,
        name="measures-compared-download",
    ),
    path("c/<slug:slug>/results/paper/", paper.paper_view, name="paper"),
    path(
        "c/<slug:slug>/results/paper/<slug:table>.<slug:fmt>",
        paper.paper_download_view,
        name="paper-download",
    ),
]
