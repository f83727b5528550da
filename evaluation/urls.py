from __future__ import annotations

from django.urls import path

from evaluation import views

urlpatterns = [
    path("c/<slug:slug>/scores/", views.scores, name="scores"),
    path("c/<slug:slug>/scores/evaluate/", views.evaluate, name="score-evaluate"),
    path("c/<slug:slug>/scores/<int:pk>/", views.score_set, name="score-set"),
    path("c/<slug:slug>/scores/<int:pk>/release/", views.release, name="score-release"),
    path("c/<slug:slug>/scores/<int:pk>/compare/", views.compare, name="compare"),
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
