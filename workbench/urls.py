"""URLs: the apps' pages, accounts, the API and language."""

from django.contrib.auth.decorators import login_not_required
from django.urls import include, path
from django.views.decorators.http import require_POST
from django.views.i18n import set_language

from workbench.metrics import metrics_view

handler400 = "workbench.error_pages.handle_bad_request"
handler403 = "workbench.error_pages.handle_forbidden"
handler404 = "workbench.error_pages.handle_not_found"
handler429 = "workbench.error_pages.handle_too_many_requests"  # asked for by allauth
handler500 = "workbench.error_pages.handle_server_error"
urlpatterns = [
    path("accounts/", include("workbench.account_urls")),
    path("metrics", metrics_view, name="metrics"),
    path("language/", login_not_required(require_POST(set_language)), name="language"),
    path("", include("campaigns.urls")),
    path("", include("pooling.urls")),
    path("", include("judging.urls")),
    path("", include("crowd.urls")),
    path("", include("preferences.urls")),
    path("", include("evaluation.urls")),
    path("", include("reliability.urls")),
    path("", include("replay.urls")),
    path("api/", include("workbench.api")),
]
