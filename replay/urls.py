from django.urls import include, path

from campaigns.views.helpers import page
from replay import views

CAMPAIGN_PAGES = [
    page("results/archive/", views.archive_view),
    page("results/archive/<int:pk>.zip", views.archive_download_view),
]
urlpatterns = [path("c/<slug:slug>/", include(CAMPAIGN_PAGES))]
