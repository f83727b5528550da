"""Sign-in, and the change of one's password."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.forms import AuthenticationForm, PasswordChangeForm
from django.contrib.auth.views import LoginView, PasswordChangeView
from django.http import HttpResponse

from campaigns.forms.settings import CurrentPasswordForm, SignInForm
from campaigns.services.sign_in import set_device_cookie


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
