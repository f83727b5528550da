from __future__ import annotations

from django.urls import path

from judging.views import agreement, exports, organizer, qrels, work

urlpatterns = [
    path("c/<slug:slug>/judge/", work.work, name="work"),
    path("c/<slug:slug>/my-judgments/", work.my_judgments, name="my-judgments"),
    path("c/<slug:slug>/judge-undo/", work.undo_view, name="judge-undo"),
    path("c/<slug:slug>/judge/<path:number>/skip/", work.skip_view, name="judge-skip"),
    path("c/<slug:slug>/judge/<path:number>/change/", work.change, name="judge-change"),
    path("c/<slug:slug>/judge/<path:number>/", work.judge_view, name="judge"),
    path("c/<slug:slug>/judging/", organizer.judging, name="judging"),
    path("c/<slug:slug>/judging/plan/", organizer.plan_new, name="plan-new"),
    path("c/<slug:slug>/judging/plan/<int:pk>/", organizer.plan_assign, name="plan-assign"),
    path("c/<slug:slug>/judging/plan/<int:pk>/pause/", organizer.plan_pause, name="plan-pause"),
    path("c/<slug:slug>/judging/slot/<int:pk>/", organizer.slot_reopen, name="slot-reopen"),
    path(
        "c/<slug:slug>/judging/judgments.<str:fmt>",
        exports.judgments,
        name="judgments-download",
    ),
    path(
        "c/<slug:slug>/judging/<str:username>.qrels.txt",
        exports.assessor_qrels,
        name="assessor-qrels",
    ),
    path("c/<slug:slug>/agreement/", agreement.agreement, name="agreement"),
    path(
        "c/<slug:slug>/agreement/agreement.<str:fmt>",
        agreement.download,
        name="agreement-download",
    ),
    path("c/<slug:slug>/qrels/", qrels.qrels_list, name="qrels-list"),
    path("c/<slug:slug>/qrels/<int:version>/", qrels.qrels_view, name="qrels"),
    path(
        "c/<slug:slug>/qrels/<int:version>/qrels.txt", qrels.qrels_download, name="qrels-download"
    ),
]
