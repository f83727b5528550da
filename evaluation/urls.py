from __future__ import annotations

from django.urls import path

from evaluation import views

urlpatterns = [
    path("measures/", views.measures, name="measures"),
    path("measures/<str:name>/", views.measure, name="measure"),
    path("c/<slug:slug>/disagreement/", views.disagreement, name="disagreement"),
    path("c/<slug:slug>/disagreement/round/", views.disagreement_round, name="disagreement-round"),
    path(
        "c/<slug:slug>/disagreement/<slug:what>.<slug:fmt>",
        views.disagreement_download,
        name="disagreement-download",
    ),
    path("c/<slug:slug>/collection/", views.collection, name="collection"),
    path(
        "c/<slug:slug>/collection/<int:pk>/report.<slug:fmt>",
        views.collection_report,
        name="collection-report",
    ),
    path("c/<slug:slug>/simulation/", views.simulation, name="simulation"),
    path(
        "c/<slug:slug>/simulation/<int:pk>/report.<slug:fmt>",
        views.simulation_report,
        name="simulation-report",
    ),
    path("c/<slug:slug>/stopping/", views.stopping, name="stopping"),
    path(
        "c/<slug:slug>/stopping/<slug:what>.<slug:fmt>",
        views.stopping_download,
        name="stopping-download",
    ),
    path("c/<slug:slug>/scores/", views.scores, name="scores"),
    path("c/<slug:slug>/scores/evaluate/", views.evaluate, name="score-evaluate"),
    path("c/<slug:slug>/scores/now/", views.live, name="scores-now"),
    path("c/<slug:slug>/scores/<int:pk>/", views.score_set, name="score-set"),
    path("c/<slug:slug>/scores/<int:pk>/release/", views.release, name="score-release"),
    path("c/<slug:slug>/scores/<int:pk>/compare/", views.compare, name="compare"),
    path("c/<slug:slug>/scores/<int:pk>/pairs/", views.pairs, name="pairs"),
    path(
        "c/<slug:slug>/scores/<int:pk>/pairs.<slug:fmt>",
        views.pairs_download,
        name="pairs-download",
    ),
    path(
        "c/<slug:slug>/scores/<int:pk>/measures/",
        views.measures_compared,
        name="measures-compared",
    ),
    path(
        "c/<slug:slug>/scores/<int:pk>/scores.<slug:fmt>",
        views.score_set_download,
        name="score-set-download",
    ),
    path("c/<slug:slug>/scores/<int:pk>/run/<int:run>/", views.run_scores, name="run-scores"),
    path(
        "c/<slug:slug>/scores/<int:pk>/run/<int:run>/scores.<slug:fmt>",
        views.run_scores_download,
        name="run-scores-download",
    ),
]
