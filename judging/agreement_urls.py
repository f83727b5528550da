from __future__ import annotations

from django.urls import path

from judging.views import agreement, coefficients, quality

urlpatterns = [
    path("agreement/", coefficients.coefficients_view, name="coefficients"),
    path("c/<slug:slug>/agreement/", agreement.agreement_view, name="agreement"),
    path("c/<slug:slug>/agreement/pair/", agreement.agreement_pair_view, name="agreement-pair"),
    path(
        "c/<slug:slug>/agreement/topics/", agreement.agreement_topics_view, name="agreement-topics"
    ),
    path(
        "c/<slug:slug>/agreement/assessors/",
        quality.assessor_quality_view,
        name="assessor-quality",
    ),
    path(
        "c/<slug:slug>/agreement/agreement.<str:fmt>",
        agreement.agreement_download_view,
        name="agreement-download",
    ),
    path(
        "c/<slug:slug>/agreement/topics.csv",
        agreement.agreement_topics_download_view,
        name="agreement-topics-download",
    ),
    path(
        "c/<slug:slug>/agreement/assessors.<str:fmt>",
        quality.assessor_quality_download_view,
        name="assessor-quality-download",
    ),
]
