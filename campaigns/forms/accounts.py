"""Forms of accounts, on those of django-allauth."""

from __future__ import annotations

from typing import Any

from allauth.account.forms import ResetPasswordForm, ResetPasswordKeyForm, SignupForm
from django import forms
from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from campaigns.models import User


def describe_passwords(form: forms.Form) -> None:
    """The two fields of a new password, in the words of our other forms."""
    for name in ("password1", "password2"):
        form.fields[name].widget.attrs.pop("placeholder", None)
        form.fields[name].help_text = ""
    form.fields["password1"].help_text = _(
        "At least 8 characters; not a common password or your name."
    )
    form.fields["password2"].label = _("Confirm password")


class NewAccountForm(SignupForm):  # type: ignore[misc]
    """Asks for the address where mail can confirm it, otherwise for a username."""

    first_name = forms.CharField(max_length=150, label=gettext_lazy("Your name"))
    field_order = ("first_name", "email", "username", "password1", "password2")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        describe_passwords(self)
        if "email" in self.fields:
            self.fields["email"].label = _("E-mail")
            self.fields["email"].help_text = _("You confirm it by a link that is sent to it.")
            self.fields["email"].widget.attrs.pop("placeholder", None)
        if "username" in self.fields:
            self.fields["username"].help_text = _("Letters, digits and @.+-_ only")
            self.fields["username"].widget.attrs = {"autocomplete": "username"}

    def clean_first_name(self) -> str:
        """On one line: names stand in mails."""
        return " ".join(self.cleaned_data["first_name"].split())

    def signup(self, request: HttpRequest, user: User) -> None:
        """allauth calls it; nothing is left to do."""


class ResetRequestForm(ResetPasswordForm):  # type: ignore[misc]
    """Sends links to confirmed addresses, and to one that alone can get at its account: it has
    never been signed in to. The answer is the same for all others.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["email"].label = _("E-mail")
        self.fields["email"].widget.attrs.pop("placeholder", None)

    def clean_email(self) -> str:
        address: str = super().clean_email()
        self.users = [
            user for user in self.users if user.email == address or user.last_login is None
        ]
        return address


class NewPasswordForm(ResetPasswordKeyForm):  # type: ignore[misc]
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        describe_passwords(self)
        self.fields["password1"].label = _("New password")
