from __future__ import annotations

from django.urls import path

from judging import adjudication_urls, agreement_urls, exchange_urls, plan_urls, work_urls
from judging.views import exports, qrels

urlpatterns = [
    *exchange_urls.urlpatterns,
    *plan_urls.urlpatterns,
    *adjudication_urls.urlpatterns,
    *agreement_urls.urlpatterns,
    *work_urls.urlpatterns,
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
    path("c/<slug:slug>/qrels/", qrels.qrels_list, name="qrels-list"),
    path("c/<slug:slug>/qrels/compare/", qrels.qrels_compare, name="qrels-compare"),
    path("c/<slug:slug>/qrels/changes.csv", qrels.qrels_changes, name="qrels-changes"),
    path("c/<slug:slug>/qrels/<int:version>/", qrels.qrels_view, name="qrels"),
    path(
        "c/<slug:slug>/qrels/<int:version>/qrels.txt", qrels.qrels_download, name="qrels-download"
    ),
]
