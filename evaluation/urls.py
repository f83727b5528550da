from __future__ import annotations

from django.urls import path

from evaluation import views

urlpatterns = [
    path("measures/", views.measures_view, name="measures"),
    path("measures/<str:name>/", views.measure_view, name="measure"),
    path("c/<slug:slug>/disagreement/", views.disagreement_effect_view, name="disagreement-effect"),
    path(
        "c/<slug:slug>/disagreement/round/",
        views.disagreement_round_view,
        name="disagreement-round",
    ),
    path(
        "c/<slug:slug>/disagreement/<slug:table>.<slug:fmt>",
        views.disagreement_download_view,
        name="disagreement-download",
    ),
    path("c/<slug:slug>/collection/", views.reusability_view, name="reusability"),
    path(
        "c/<slug:slug>/collection/<int:pk>/report.<slug:fmt>",
        views.reusability_report_view,
        name="reusability-report",
    ),
    path("c/<slug:slug>/simulation/", views.simulation_view, name="simulation"),
    path(
        "c/<slug:slug>/simulation/<int:pk>/report.<slug:fmt>",
        views.simulation_report_view,
        name="simulation-report",
    ),
    path("c/<slug:slug>/stopping/", views.stopping_view, name="stopping"),
    path(
        "c/<slug:slug>/stopping/<slug:table>.<slug:fmt>",
        views.stopping_download_view,
        name="stopping-download",
    ),
    path("c/<slug:slug>/scores/", views.scores_view, name="scores"),
    path("c/<slug:slug>/scores/evaluate/", views.score_evaluate_view, name="score-evaluate"),
    path("c/<slug:slug>/scores/now/", views.interim_scores_view, name="interim-scores"),
    path("c/<slug:slug>/scores/<int:pk>/", views.score_set_view, name="score-set"),
    path("c/<slug:slug>/scores/<int:pk>/release/", views.score_release_view, name="score-release"),
    path("c/<slug:slug>/scores/<int:pk>/compare/", views.compare_view, name="compare"),
    path("c/<slug:slug>/scores/<int:pk>/pairs/", views.pairs_view, name="pairs"),
    path(
        "c/<slug:slug>/scores/<int:pk>/pairs.<slug:fmt>",
        views.pairs_download_view,
        name="pairs-download",
    ),
    path(
        "c/<slug:slug>/scores/<int:pk>/measures/",
        views.measures_compared_view,
        name="measures-compared",
    ),
    path(
        "c/<slug:slug>/scores/<int:pk>/scores.<slug:fmt>",
        views.score_set_download_view,
        name="score-set-download",
    ),
    path("c/<slug:slug>/scores/<int:pk>/run/<int:run>/", views.run_scores_view, name="run-scores"),
    path(
        "c/<slug:slug>/scores/<int:pk>/run/<int:run>/scores.<slug:fmt>",
        views.run_scores_download_view,
        name="run-scores-download",
    ),
]
