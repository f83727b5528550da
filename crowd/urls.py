"""Pages of crowd studies."""

from django.urls import include, path

from campaigns.views.helpers import page
from crowd.views import doorway, gold, keys, payments, studies, trying, unit, unit_start, workers

CAMPAIGN_PAGES = [
    page("judging/crowd/", studies.studies_view),
    page("judging/crowd/new/", studies.study_new_view),
    page("judging/crowd/gold/", gold.study_gold_view),
    page("judging/crowd/practice/", gold.study_practice_view),
    page("judging/crowd/<int:pk>/", studies.study_view),
    page("judging/crowd/<int:pk>/edit/", studies.study_edit_view),
    page("judging/crowd/<int:pk>/start/", studies.study_start_view),
    page("judging/crowd/<int:pk>/pause/", studies.study_pause_view),
    page("judging/crowd/<int:pk>/stop/", studies.study_stop_view),
    page("judging/crowd/<int:pk>/extend/", studies.study_extend_view),
    page("judging/crowd/<int:pk>/labels/", workers.study_more_labels_view),
    page("judging/crowd/<int:pk>/payments/", payments.study_payments_view),
    page("judging/crowd/<int:pk>/payments.<str:fmt>", payments.study_payments_download_view),
    page("judging/crowd/<int:pk>/payments/<int:payment>/bonus/", payments.study_bonus_view),
    page("judging/crowd/<int:pk>/payments/<int:payment>/dispute/", payments.study_dispute_view),
    page("judging/crowd/<int:pk>/payments/batch/", payments.study_batch_new_view),
    page("judging/crowd/<int:pk>/payments/<int:number>/paid/", payments.study_batch_paid_view),
    page("judging/crowd/<int:pk>/payments/<int:number>/void/", payments.study_batch_void_view),
    page(
        "judging/crowd/<int:pk>/payments/<int:number>/<str:kind>.csv",
        payments.study_batch_list_view,
    ),
    page("judging/crowd/<int:pk>/payments/reconcile/", payments.study_reconcile_view),
    page("judging/crowd/<int:pk>/workers/", workers.study_workers_view),
    page("judging/crowd/<int:pk>/workers.<str:fmt>", workers.study_workers_download_view),
    page("judging/crowd/<int:pk>/workers/aside/", workers.study_worker_aside_view),
    page("judging/crowd/<int:pk>/workers/undo/<int:exclusion>/", workers.study_worker_undo_view),
    page("judging/crowd/<int:pk>/workers/<int:worker>/", workers.study_worker_view),
    page(
        "judging/crowd/<int:pk>/workers/<int:worker>/withdraw/", workers.study_worker_withdraw_view
    ),
    page("judging/crowd/<int:pk>/keys/", keys.study_keys_view),
    page("judging/crowd/<int:pk>/try/", trying.study_try_view),
    page("judging/crowd/<int:pk>/try/submissions.<str:fmt>", trying.study_try_download_view),
]
urlpatterns = [
    page("w/<slug:slug>/<int:pk>/", doorway.crowd_door_view),
    page("w/<slug:slug>/<int:pk>/return/", trying.crowd_fake_return_view),
    page("w/<slug:slug>/<int:pk>/hook/", doorway.crowd_webhook_view),
    page("w/unit/<str:token>/", unit.crowd_unit_view),
    page("w/unit/<str:token>/answer/", unit.crowd_answer_view),
    page("w/unit/<str:token>/begin/", unit.crowd_begin_view),
    page("w/unit/<str:token>/consent/", unit_start.crowd_consent_view),
    page("w/unit/<str:token>/end/", unit.crowd_end_view),
    page("w/unit/<str:token>/file/<int:position>/", unit.crowd_file_view),
    page("w/unit/<str:token>/finish/", unit.crowd_finish_view),
    page("w/unit/<str:token>/instructions/", unit_start.crowd_instructions_view),
    page("w/unit/<str:token>/leave/", unit.crowd_leave_view),
    page("w/unit/<str:token>/practice/", unit_start.crowd_practice_view),
    path("c/<slug:slug>/", include(CAMPAIGN_PAGES)),
]
