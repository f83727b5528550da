"""URLs of import, export and automatic assessors; part of ``judging.urls``."""

from __future__ import annotations

from django.urls import path

from judging.views import automatic, exports, imports

urlpatterns = [
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
]
