from __future__ import annotations

from django.urls import path

from pooling.views import pools

urlpatterns = [
    path("pooling-methods/", pools.pooling_methods_view, name="pooling-methods"),
    path("c/<slug:slug>/pool/", pools.pools_view, name="pools"),
    path("c/<slug:slug>/pool/freeze/", pools.pool_freeze_view, name="pool-freeze"),
    path("c/<slug:slug>/pool/<int:version>/", pools.pool_view, name="pool"),
    path(
        "c/<slug:slug>/pool/<int:version>/pool.<slug:fmt>",
        pools.pool_download_view,
        name="pool-download",
    ),
]
