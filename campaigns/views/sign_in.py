"""Sign-in, and the change of one's password."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.forms import AuthenticationForm, PasswordChangeForm
from django.contrib.auth.views import LoginView, PasswordChangeView
from django.http import HttpResponse

from campaigns.forms.settings import CurrentPasswordForm, SignInForm
from campaigns.services.sign_in import set_device_cookie
from campaigns.views.pages import render_page


class SignInView(LoginView):
    authentication_form = SignInForm

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        answer = super().form_valid(form)
        set_device_cookie(self.request, answer, form.get_user())
        return answer


class ChangePasswordView(PasswordChangeView):
    form_class: type[PasswordChangeForm] = CurrentPasswordForm

    def get_form_kwargs(self) -> dict[str, Any]:
        return super().get_form_kwargs() | {"request": self.request}


@dataclass(frozen=True)
class LockedPage:
    minutes: int


def lockout_response(
    request: Any, _answer: HttpResponse, _credentials: dict[str, Any] | None
) -> HttpResponse:
    """The page that says how long to wait, with status 429 (``AXES_LOCKOUT_CALLABLE``)."""
    seconds = max(1, math.ceil(request.sign_in_wait.total_seconds()))
    page = LockedPage(minutes=math.ceil(seconds / 60))
    answer = render_page(request, "registration/locked.html", page, status=429)
    answer["Retry-After"] = str(seconds)
    return answer
