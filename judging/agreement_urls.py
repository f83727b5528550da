from __future__ import annotations

from django.urls import path

from judging.views import agreement, coefficients, quality

urlpatterns = [
    path("agreement/", coefficients.coefficients, name="coefficients"),
    path("c/<slug:slug>/agreement/", agreement.agreement, name="agreement"),
    path("c/<slug:slug>/agreement/pair/", agreement.pair, name="agreement-pair"),
    path("c/<slug:slug>/agreement/topics/", agreement.topics, name="agreement-topics"),
    path("c/<slug:slug>/agreement/assessors/", quality.assessors, name="agreement-assessors"),
    path(
        "c/<slug:slug>/agreement/agreement.<str:fmt>",
        agreement.download,
        name="agreement-download",
    ),
    path(
        "c/<slug:slug>/agreement/topics.csv",
        agreement.topics_download,
        name="agreement-topics-download",
    ),
    path(
        "c/<slug:slug>/agreement/assessors.<str:fmt>",
        quality.download,
        name="agreement-assessors-download",
    ),
]
