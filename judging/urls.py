from __future__ import annotations

from django.urls import include, path

from campaigns.views.helpers import page
from judging.views import (
    adjudication,
    adjudication_screen,
    agreement,
    agreement_parts,
    automatic,
    consensus,
    example_pairs,
    exports,
    imports,
    judging,
    judging_sync,
    models,
    plans,
    progress,
    qrels,
    qrels_release,
    quality,
    today,
    training,
)

CAMPAIGN_PAGES = [
    # Import, export and automatic assessors
    page("my-judgments.<str:fmt>", exports.my_judgments_file_view),
    page("judging/exchange/", exports.import_export_view),
    page("judging/import/", imports.judgments_import_view),
    page("judging/judgments-<str:which>.<str:fmt>", exports.judgments_export_view),
    page("judging/automatic/", automatic.automatic_list_view),
    page("judging/automatic/<slug:name>/", automatic.automatic_view),
    page("judging/automatic/<slug:name>/model/", models.model_view),
    page("judging/automatic-model/", models.model_new_view),
    page(
        "judging/automatic/<slug:name>/beside-people.<str:fmt>", automatic.automatic_download_view
    ),
    # Today
    page("judging/today/", today.judging_today_view),
    page("judging/today/aside/", today.alarm_aside_view),
    page("judging/review/<str:username>/", today.review_new_view),
    page("judge-review/<int:pk>/done/", today.review_done_view),
    # Plans and progress
    page("judging/", progress.judging_view),
    page("judging/flags/", progress.flagged_documents_view),
    page("judging/training/", example_pairs.training_sets_view),
    page("judging/assessor/<str:username>/", progress.judging_assessor_view),
    page("judging/assessor/<str:username>/return/", progress.slots_return_view),
    page("judging/plan/", plans.plan_new_view),
    page("judging/plan/<int:pk>/", plans.plan_assign_view),
    page("judging/plan/<int:pk>/pause/", plans.plan_pause_view),
    page("judging/plan/<int:pk>/close/", plans.plan_close_view),
    page("judging/plan/<int:pk>/hand-on/", plans.plan_reassign_view),
    page("judging/slot/<int:pk>/", progress.slot_reopen_view),
    # Adjudication
    page("judging/adjudication/", adjudication.adjudication_view),
    page("judging/adjudication/round/", adjudication.round_open_view),
    page("judging/adjudication/round/<int:pk>/end/", adjudication.round_end_view),
    page("judging/adjudication/disputes.csv", adjudication.disagreements_download_view),
    page("judging/adjudication/meeting/", consensus.consensus_view),
    page("judging/adjudication/meeting/pair/", consensus.consensus_pair_view),
    page("judging/adjudication/meeting/take-back/", consensus.consensus_undo_view),
    page("adjudicate/", adjudication_screen.adjudicate_view),
    page("adjudicate/skip/", adjudication_screen.adjudication_skip_view),
    page("adjudicate/undo/", adjudication_screen.adjudication_undo_view),
    page("judging/agreement/", agreement.agreement_view),
    page("judging/agreement/pair/", agreement_parts.agreement_pair_view),
    page("judging/agreement/topics/", agreement_parts.agreement_topics_view),
    page("judging/agreement/variation/", agreement_parts.agreement_variation_view),
    page("judging/agreement/variation.csv", agreement_parts.agreement_variation_download_view),
    page("judging/agreement/assessors/", quality.assessor_quality_view),
    page("judging/agreement/agreement.<str:fmt>", agreement.agreement_download_view),
    page("judging/agreement/topics.csv", agreement_parts.agreement_topics_download_view),
    page("judging/agreement/assessors.<str:fmt>", quality.assessor_quality_download_view),
    # The judging screen
    page("judge/", judging.work_view),
    page("my-judgments/", judging.my_judgments_view),
    page("judge-undo/", judging.judge_undo_view),
    page("judge-acts/", judging_sync.judge_sync_view),
    page("judge-ahead/", judging_sync.judge_ahead_view),
    page("judge-renew/", judging_sync.judge_renew_view),
    page("judge-release/", judging_sync.judge_return_view),
    page("judge-training/", training.judge_training_view),
    page("judge/<path:number>/skip/", judging.judge_skip_view),
    page("judge/<path:number>/change/", judging.judge_change_view),
    page("judge/<path:number>/", judging.judge_view),
    # Downloads of judgments, and qrels versions
    page("judging/judgments.<str:fmt>", exports.judgments_download_view),
    page("judging/<str:username>.qrels.txt", exports.assessor_qrels_view),
    page("results/qrels/", qrels.qrels_list_view),
    page("results/qrels/freeze/", qrels.qrels_freeze_view),
    page("results/qrels/compare/", qrels.qrels_compare_view),
    page("results/qrels/changes.csv", qrels.qrels_changes_view),
    page("results/qrels/policies/", qrels.qrels_policies_view),
    page("results/qrels/policies.<str:fmt>", qrels.qrels_policies_download_view),
    page("results/qrels/<int:version>/aggregation-<str:records>.csv", qrels.qrels_aggregation_view),
    page("results/qrels/<int:version>/", qrels.qrels_view),
    page("results/qrels/<int:version>/release/", qrels_release.qrels_release_view),
    page("results/qrels/<int:version>/qrels.txt", qrels_release.qrels_download_view),
]
urlpatterns = [
    # Agreement and quality
    page("agreement/", agreement_parts.coefficients_view),
    path("c/<slug:slug>/", include(CAMPAIGN_PAGES)),
]
