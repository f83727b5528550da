from __future__ import annotations

from django.urls import path

from pooling import views

urlpatterns = [
    path("pooling-methods/", views.pooling_methods_view, name="pooling-methods"),
    path("c/<slug:slug>/pool/", views.pools_view, name="pools"),
    path("c/<slug:slug>/pool/freeze/", views.pool_freeze_view, name="pool-freeze"),
    path("c/<slug:slug>/pool/<int:version>/", views.pool_view, name="pool"),
    path(
        "c/<slug:slug>/pool/<int:version>/pool.<slug:fmt>",
        views.pool_download_view,
        name="pool-download",
    ),
]
