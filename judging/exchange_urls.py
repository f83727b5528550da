"""Addresses of import, export and automatic assessors; part of ``judging.urls``."""

from __future__ import annotations

from django.urls import path

from judging.views import automatic, exports, imports

urlpatterns = [
    path("c/<slug:slug>/my-judgments.<str:fmt>", exports.my_judgments, name="my-judgments-file"),
    path("c/<slug:slug>/judging/exchange/", exports.exchange, name="exchange"),
    path("c/<slug:slug>/judging/import/", imports.judgments_import, name="judgments-import"),
    path(
        "c/<slug:slug>/judging/judgments-<str:which>.<str:fmt>",
        exports.judgments,
        name="judgments-which",
    ),
    path(
        "c/<slug:slug>/judging/pairs-<str:which>-for-<str:program>",
        exports.pairs,
        name="pairs-for",
    ),
    path("c/<slug:slug>/judging/automatic/", automatic.automatic_list, name="automatic-list"),
    path("c/<slug:slug>/judging/automatic/<slug:name>/", automatic.automatic, name="automatic"),
    path(
        "c/<slug:slug>/judging/automatic/<slug:name>/beside-people.<str:fmt>",
        automatic.automatic_download,
        name="automatic-download",
    ),
]
