from __future__ import annotations

from django.urls import path

from pooling import views

urlpatterns = [
    path("pooling-methods/", views.methods, name="pooling-methods"),
    path("c/<slug:slug>/pool/", views.pools, name="pools"),
    path("c/<slug:slug>/pool/<int:version>/", views.pool, name="pool"),
    path(
        "c/<slug:slug>/pool/<int:version>/pool.<slug:fmt>",
        views.pool_download,
        name="pool-download",
    ),
]
