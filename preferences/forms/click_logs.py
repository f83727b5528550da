"""The form of a click log, and the choice of what results are computed from."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile

from campaigns.forms.settings import check_upload_size
from preferences.queries.preference_sets import SOURCES


class ClickLogForm(forms.Form):
    """A file of sessions."""

    file = forms.FileField(
        allow_empty_file=True,
        label="Click log",
        help_text="JSON Lines, plain or gzip: a session with the list shown and the clicks on it "
        "per line.",
    )

    def clean_file(self) -> UploadedFile[Any]:
        return check_upload_size(self.cleaned_data["file"])


class PreferenceResultsForm(forms.Form):
    """The source of the preferences, and the prior of the strengths."""

    source = forms.ChoiceField(choices=tuple(SOURCES.items()), label="Preferences")
    prior = forms.FloatField(
        min_value=0,
        max_value=1000,
        label="Prior",
        help_text="Wins and losses of each document against one of strength 0; 0: none.",
    )
