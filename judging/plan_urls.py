"""URLs of the organizer's judging pages: progress, plans, assessors, training sets."""

from __future__ import annotations

from django.urls import path

from judging.views import plans, progress, training_sets

urlpatterns = [
    path("c/<slug:slug>/judging/", progress.judging_view, name="judging"),
    path("c/<slug:slug>/judging/flags/", progress.flagged_documents_view, name="flagged-documents"),
    path("c/<slug:slug>/judging/training/", training_sets.training_sets_view, name="training-sets"),
    path(
        "c/<slug:slug>/judging/assessor/<str:username>/",
        progress.judging_assessor_view,
        name="judging-assessor",
    ),
    path(
        "c/<slug:slug>/judging/assessor/<str:username>/return/",
        progress.slots_return_view,
        name="slots-return",
    ),
    path("c/<slug:slug>/judging/plan/", plans.plan_new_view, name="plan-new"),
    path("c/<slug:slug>/judging/plan/<int:pk>/", plans.plan_assign_view, name="plan-assign"),
    path("c/<slug:slug>/judging/plan/<int:pk>/pause/", plans.plan_pause_view, name="plan-pause"),
    path("c/<slug:slug>/judging/plan/<int:pk>/close/", plans.plan_close_view, name="plan-close"),
    path(
        "c/<slug:slug>/judging/plan/<int:pk>/hand-on/",
        plans.plan_reassign_view,
        name="plan-reassign",
    ),
    path("c/<slug:slug>/judging/slot/<int:pk>/", progress.slot_reopen_view, name="slot-reopen"),
]
