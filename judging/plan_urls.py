"""The organizer's pages of judging: progress, plans, assessors, training."""

from __future__ import annotations

from django.urls import path

from judging.views import organizer, plans, training_sets

urlpatterns = [
    path("c/<slug:slug>/judging/", organizer.judging, name="judging"),
    path("c/<slug:slug>/judging/flags/", organizer.flags, name="judging-flags"),
    path("c/<slug:slug>/judging/training/", training_sets.training_sets, name="training-sets"),
    path(
        "c/<slug:slug>/judging/assessor/<str:username>/",
        organizer.assessor,
        name="judging-assessor",
    ),
    path(
        "c/<slug:slug>/judging/assessor/<str:username>/return/",
        organizer.slots_return,
        name="slots-return",
    ),
    path("c/<slug:slug>/judging/plan/", plans.plan_new, name="plan-new"),
    path("c/<slug:slug>/judging/plan/<int:pk>/", plans.plan_assign, name="plan-assign"),
    path("c/<slug:slug>/judging/plan/<int:pk>/pause/", plans.plan_pause, name="plan-pause"),
    path("c/<slug:slug>/judging/plan/<int:pk>/close/", plans.plan_close, name="plan-close"),
    path("c/<slug:slug>/judging/plan/<int:pk>/hand-on/", plans.plan_reassign, name="plan-reassign"),
    path("c/<slug:slug>/judging/slot/<int:pk>/", organizer.slot_reopen, name="slot-reopen"),
]
