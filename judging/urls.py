from __future__ import annotations

from django.urls import path

from judging import adjudication_urls, agreement_urls, exchange_urls, judging_urls, plan_urls
from judging.views import exports, qrels

urlpatterns = [
    *exchange_urls.urlpatterns,
    *plan_urls.urlpatterns,
    *adjudication_urls.urlpatterns,
    *agreement_urls.urlpatterns,
    *judging_urls.urlpatterns,
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
    path("c/<slug:slug>/qrels/", qrels.qrels_list_view, name="qrels-list"),
    path("c/<slug:slug>/qrels/freeze/", qrels.qrels_freeze_view, name="qrels-freeze"),
    path("c/<slug:slug>/qrels/compare/", qrels.qrels_compare_view, name="qrels-compare"),
    path("c/<slug:slug>/qrels/changes.csv", qrels.qrels_changes_view, name="qrels-changes"),
    path("c/<slug:slug>/qrels/<int:version>/", qrels.qrels_view, name="qrels"),
    path(
        "c/<slug:slug>/qrels/<int:version>/qrels.txt",
        qrels.qrels_download_view,
        name="qrels-download",
    ),
]
