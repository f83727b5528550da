from __future__ import annotations

from django.urls import path

from judging.views import (
    adjudication,
    adjudication_screen,
    agreement,
    agreement_variation,
    automatic,
    coefficients,
    consensus,
    exports,
    imports,
    judging,
    judging_sync,
    plans,
    progress,
    qrels,
    qrels_policies,
    quality,
    today,
    training,
    training_sets,
)

urlpatterns = [
    # Import, export and automatic assessors
    path(
        "c/<slug:slug>/my-judgments.<str:fmt>",
        exports.my_judgments_file_view,
        name="my-judgments-file",
    ),
    path("c/<slug:slug>/judging/exchange/", exports.import_export_view, name="import-export"),
    path("c/<slug:slug>/judging/import/", imports.judgments_import_view, name="judgments-import"),
    path(
        "c/<slug:slug>/judging/judgments-<str:which>.<str:fmt>",
        exports.judgments_export_view,
        name="judgments-export",
    ),
    path(
        "c/<slug:slug>/judging/pairs-<str:which>-for-<str:program>",
        exports.pairs_export_view,
        name="pairs-export",
    ),
    path("c/<slug:slug>/judging/automatic/", automatic.automatic_list_view, name="automatic-list"),
    path(
        "c/<slug:slug>/judging/automatic/<slug:name>/", automatic.automatic_view, name="automatic"
    ),
    path(
        "c/<slug:slug>/judging/automatic/<slug:name>/beside-people.<str:fmt>",
        automatic.automatic_download_view,
        name="automatic-download",
    ),
    # Today
    path("c/<slug:slug>/judging/today/", today.judging_today_view, name="judging-today"),
    path("c/<slug:slug>/judging/today/aside/", today.alarm_aside_view, name="alarm-aside"),
    path("c/<slug:slug>/judging/review/<str:username>/", today.review_new_view, name="review-new"),
    path("c/<slug:slug>/judge-review/<int:pk>/done/", today.review_done_view, name="review-done"),
    # Plans and progress
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
    # Adjudication
    path(
        "c/<slug:slug>/judging/adjudication/", adjudication.adjudication_view, name="adjudication"
    ),
    path(
        "c/<slug:slug>/judging/adjudication/round/", adjudication.round_open_view, name="round-open"
    ),
    path(
        "c/<slug:slug>/judging/adjudication/round/<int:pk>/end/",
        adjudication.round_end_view,
        name="round-end",
    ),
    path(
        "c/<slug:slug>/judging/adjudication/disputes.csv",
        adjudication.disagreements_download_view,
        name="disagreements-download",
    ),
    path("c/<slug:slug>/judging/adjudication/meeting/", consensus.consensus_view, name="consensus"),
    path(
        "c/<slug:slug>/judging/adjudication/meeting/pair/",
        consensus.consensus_pair_view,
        name="consensus-pair",
    ),
    path(
        "c/<slug:slug>/judging/adjudication/meeting/take-back/",
        consensus.consensus_undo_view,
        name="consensus-undo",
    ),
    path("c/<slug:slug>/adjudicate/", adjudication_screen.adjudicate_view, name="adjudicate"),
    path(
        "c/<slug:slug>/adjudicate/skip/",
        adjudication_screen.adjudication_skip_view,
        name="adjudication-skip",
    ),
    path(
        "c/<slug:slug>/adjudicate/undo/",
        adjudication_screen.adjudication_undo_view,
        name="adjudication-undo",
    ),
    # Agreement and quality
    path("agreement/", coefficients.coefficients_view, name="coefficients"),
    path("c/<slug:slug>/judging/agreement/", agreement.agreement_view, name="agreement"),
    path(
        "c/<slug:slug>/judging/agreement/pair/",
        agreement.agreement_pair_view,
        name="agreement-pair",
    ),
    path(
        "c/<slug:slug>/judging/agreement/topics/",
        agreement.agreement_topics_view,
        name="agreement-topics",
    ),
    path(
        "c/<slug:slug>/judging/agreement/variation/",
        agreement_variation.agreement_variation_view,
        name="agreement-variation",
    ),
    path(
        "c/<slug:slug>/judging/agreement/variation.csv",
        agreement_variation.agreement_variation_download_view,
        name="agreement-variation-download",
    ),
    path(
        "c/<slug:slug>/judging/agreement/assessors/",
        quality.assessor_quality_view,
        name="assessor-quality",
    ),
    path(
        "c/<slug:slug>/judging/agreement/agreement.<str:fmt>",
        agreement.agreement_download_view,
        name="agreement-download",
    ),
    path(
        "c/<slug:slug>/judging/agreement/topics.csv",
        agreement.agreement_topics_download_view,
        name="agreement-topics-download",
    ),
    path(
        "c/<slug:slug>/judging/agreement/assessors.<str:fmt>",
        quality.assessor_quality_download_view,
        name="assessor-quality-download",
    ),
    # The judging screen
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
    # Downloads of judgments, and qrels versions
    path(
        "c/<slug:slug>/judging/judgments.<str:fmt>",
        exports.judgments_download_view,
        name="judgments-download",
    ),
    path(
        "c/<slug:slug>/judging/<str:username>.qrels.txt",
        exports.assessor_qrels_view,
        name="assessor-qrels",
    ),
    path("c/<slug:slug>/results/qrels/", qrels.qrels_list_view, name="qrels-list"),
    path("c/<slug:slug>/results/qrels/freeze/", qrels.qrels_freeze_view, name="qrels-freeze"),
    path("c/<slug:slug>/results/qrels/compare/", qrels.qrels_compare_view, name="qrels-compare"),
    path("c/<slug:slug>/results/qrels/changes.csv", qrels.qrels_changes_view, name="qrels-changes"),
    path(
        "c/<slug:slug>/results/qrels/policies/",
        qrels_policies.qrels_policies_view,
        name="qrels-policies",
    ),
    path(
        "c/<slug:slug>/results/qrels/policies.<str:fmt>",
        qrels_policies.qrels_policies_download_view,
        name="qrels-policies-download",
    ),
    path(
        "c/<slug:slug>/results/qrels/<int:version>/aggregation-<str:records>.csv",
        qrels_policies.qrels_aggregation_view,
        name="qrels-aggregation",
    ),
    path("c/<slug:slug>/results/qrels/<int:version>/", qrels.qrels_view, name="qrels"),
    path(
        "c/<slug:slug>/results/qrels/<int:version>/qrels.txt",
        qrels.qrels_download_view,
        name="qrels-download",
    ),
]
