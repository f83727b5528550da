"""The form for a new API token."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from campaigns.models import Campaign, Scope, User
from campaigns.services.tokens import list_token_lifetimes


class TokenForm(forms.Form):
    name = forms.CharField(
        max_length=60, label=_("Name"), help_text=_("What it is for, such as the machine.")
    )
    scopes = forms.MultipleChoiceField(
        choices=Scope.choices, initial=[Scope.READ, Scope.SUBMIT], label=_("It may be used to"),
        widget=forms.CheckboxSelectMultiple,
    )  # fmt: skip
    campaign = forms.ModelChoiceField(
        Campaign.objects.none(), required=False, label=_("For"), empty_label=_("All campaigns")
    )
    days = forms.TypedChoiceField(coerce=int, label=_("Valid for"))

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["campaign"].queryset = Campaign.objects.visible_to(user)  # type: ignore[attr-defined]
        lifetimes = list_token_lifetimes()
        days: Any = self.fields["days"]
        days.choices = [(n, ngettext("%(n)s day", "%(n)s days", n) % {"n": n}) for n in lifetimes]
        days.initial = lifetimes[-1]
