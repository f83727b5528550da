from django.urls import include, path

from campaigns.views.helpers import page
from pooling.views import pools

CAMPAIGN_PAGES = [
    page("pool/", pools.pools_view),
    page("pool/freeze/", pools.pool_freeze_view),
    page("pool/<int:version>/", pools.pool_view),
    page("pool/<int:version>/pool.<slug:fmt>", pools.pool_download_view),
]
urlpatterns = [
    page("pooling-methods/", pools.pooling_methods_view),
    path("c/<slug:slug>/", include(CAMPAIGN_PAGES)),
]
