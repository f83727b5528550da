"""URLs of the assessor's pages and of the judging screen's script."""

from __future__ import annotations

from django.urls import path

from judging.views import judging, judging_sync, training

urlpatterns = [
    path("c/<slug:slug>/judge/", judging.work_view, name="work"),
    path("c/<slug:slug>/my-judgments/", judging.my_judgments_view, name="my-judgments"),
    path("c/<slug:slug>/judge-undo/", judging.judge_undo_view, name="judge-undo"),
    path("c/<slug:slug>/judge-acts/", judging_sync.judge_sync_view, name="judge-sync"),
    path("c/<slug:slug>/judge-ahead/", judging_sync.judge_ahead_view, name="judge-ahead"),
    path("c/<slug:slug>/judge-renew/", judging_sync.judge_renew_view, name="judge-renew"),
    path("c/<slug:slug>/judge-release/", judging_sync.judge_return_view, name="judge-return"),
    path("c/<slug:slug>/judge-training/", training.judge_training_view, name="judge-training"),
    path("c/<slug:slug>/judge/<path:number>/skip/", judging.judge_skip_view, name="judge-skip"),
    path(
        "c/<slug:slug>/judge/<path:number>/change/", judging.judge_change_view, name="judge-change"
    ),
    path("c/<slug:slug>/judge/<path:number>/", judging.judge_view, name="judge"),
]
