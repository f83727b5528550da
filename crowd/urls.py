"""Pages of crowd studies."""

from __future__ import annotations

from django.urls import URLPattern, path

from crowd.views import (
    doorway,
    gold,
    keys,
    payments,
    practice,
    studies,
    trying,
    unit,
    unit_files,
    unit_start,
    webhooks,
    workers,
)

UNIT = "w/unit/<str:token>"
STUDY = "c/<slug:slug>/judging/crowd/<int:pk>"
urlpatterns: list[URLPattern] = [
    path("c/<slug:slug>/judging/crowd/", studies.studies_view, name="studies"),
    path("c/<slug:slug>/judging/crowd/new/", studies.study_new_view, name="study-new"),
    path("c/<slug:slug>/judging/crowd/gold/", gold.study_gold_view, name="study-gold"),
    path(
        "c/<slug:slug>/judging/crowd/practice/", practice.study_practice_view, name="study-practice"
    ),
    path("c/<slug:slug>/judging/crowd/<int:pk>/", studies.study_view, name="study"),
    path("c/<slug:slug>/judging/crowd/<int:pk>/edit/", studies.study_edit_view, name="study-edit"),
    path(
        "c/<slug:slug>/judging/crowd/<int:pk>/start/", studies.study_start_view, name="study-start"
    ),
    path(
        "c/<slug:slug>/judging/crowd/<int:pk>/pause/", studies.study_pause_view, name="study-pause"
    ),
    path("c/<slug:slug>/judging/crowd/<int:pk>/stop/", studies.study_stop_view, name="study-stop"),
    path(
        "c/<slug:slug>/judging/crowd/<int:pk>/extend/",
        studies.study_extend_view,
        name="study-extend",
    ),
    path(f"{STUDY}/labels/", workers.study_more_labels_view, name="study-more-labels"),
    path(f"{STUDY}/payments/", payments.study_payments_view, name="study-payments"),
    path(
        f"{STUDY}/payments.<str:fmt>",
        payments.study_payments_download_view,
        name="study-payments-download",
    ),
    path(f"{STUDY}/payments/<int:payment>/bonus/", payments.study_bonus_view, name="study-bonus"),
    path(
        f"{STUDY}/payments/lists/<str:kind>.csv",
        payments.study_provider_list_view,
        name="study-provider-list",
    ),
    path(f"{STUDY}/payments/reconcile/", payments.study_reconcile_view, name="study-reconcile"),
    path(f"{STUDY}/workers/", workers.study_workers_view, name="study-workers"),
    path(
        f"{STUDY}/workers.<str:fmt>",
        workers.study_workers_download_view,
        name="study-workers-download",
    ),
    path(f"{STUDY}/workers/aside/", workers.study_worker_aside_view, name="study-worker-aside"),
    path(
        f"{STUDY}/workers/undo/<int:exclusion>/",
        workers.study_worker_undo_view,
        name="study-worker-undo",
    ),
    path(f"{STUDY}/workers/<int:worker>/", workers.study_worker_view, name="study-worker"),
    path("w/<slug:slug>/<int:pk>/", doorway.crowd_door_view, name="crowd-door"),
    path(f"{STUDY}/keys/", keys.study_keys_view, name="study-keys"),
    path(f"{STUDY}/try/", trying.study_try_view, name="study-try"),
    path(
        f"{STUDY}/try/submissions.<str:fmt>",
        trying.study_try_download_view,
        name="study-try-download",
    ),
    path("w/<slug:slug>/<int:pk>/return/", trying.crowd_fake_return_view, name="crowd-fake-return"),
    path("w/<slug:slug>/<int:pk>/hook/", webhooks.crowd_webhook_view, name="crowd-webhook"),
    path(f"{UNIT}/", unit.crowd_unit_view, name="crowd-unit"),
    path(f"{UNIT}/answer/", unit.crowd_answer_view, name="crowd-answer"),
    path(f"{UNIT}/begin/", unit.crowd_begin_view, name="crowd-begin"),
    path(f"{UNIT}/consent/", unit_start.crowd_consent_view, name="crowd-consent"),
    path(f"{UNIT}/end/", unit.crowd_end_view, name="crowd-end"),
    path(f"{UNIT}/file/<int:position>/", unit_files.crowd_file_view, name="crowd-file"),
    path(f"{UNIT}/finish/", unit.crowd_finish_view, name="crowd-finish"),
    path(f"{UNIT}/instructions/", unit_start.crowd_instructions_view, name="crowd-instructions"),
    path(f"{UNIT}/leave/", unit.crowd_leave_view, name="crowd-leave"),
    path(f"{UNIT}/practice/", unit_start.crowd_practice_view, name="crowd-practice"),
]
