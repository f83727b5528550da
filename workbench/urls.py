"""URLs: the apps' pages, the API, sign-in and language."""

from __future__ import annotations

from django.contrib.auth import views as auth
from django.contrib.auth.decorators import login_not_required
from django.urls import include, path
from django.views.decorators.http import require_POST
from django.views.i18n import set_language

from campaigns.views import site
from workbench.metrics import metrics_view

handler400 = "workbench.error_pages.handle_bad_request"
handler403 = "workbench.error_pages.handle_forbidden"
handler404 = "workbench.error_pages.handle_not_found"
handler500 = "workbench.error_pages.handle_server_error"
urlpatterns = [
    path("accounts/login/", site.SignInView.as_view(), name="login"),
    path("accounts/logout/", login_not_required(auth.LogoutView.as_view()), name="logout"),
    path("accounts/password/", site.ChangePasswordView.as_view(), name="password_change"),
    path(
        "accounts/password/done/",
        auth.PasswordChangeDoneView.as_view(),
        name="password_change_done",
    ),
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
