"""The assessor's pages, and what the judging screen's script talks to."""

from __future__ import annotations

from django.urls import path

from judging.views import acts, training, work

urlpatterns = [
    path("c/<slug:slug>/judge/", work.work, name="work"),
    path("c/<slug:slug>/my-judgments/", work.my_judgments, name="my-judgments"),
    path("c/<slug:slug>/judge-undo/", work.undo_view, name="judge-undo"),
    path("c/<slug:slug>/judge-acts/", acts.acts, name="judge-acts"),
    path("c/<slug:slug>/judge-ahead/", acts.ahead, name="judge-ahead"),
    path("c/<slug:slug>/judge-renew/", acts.renewed, name="judge-renew"),
    path("c/<slug:slug>/judge-release/", acts.released, name="judge-release"),
    path("c/<slug:slug>/judge-training/", training.training, name="judge-training"),
    path("c/<slug:slug>/judge/<path:number>/skip/", work.skip_view, name="judge-skip"),
    path("c/<slug:slug>/judge/<path:number>/change/", work.change, name="judge-change"),
    path("c/<slug:slug>/judge/<path:number>/", work.judge_view, name="judge"),
]
