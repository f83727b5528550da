"""Forms of the page on copying: a campaign for next year, and a rehearsal."""

from __future__ import annotations

from django import forms


class CopyForm(forms.Form):
    title = forms.CharField(max_length=200, label="Title of the new campaign")
    slug = forms.SlugField(
        max_length=60, required=False, label="Address",
        help_text="Letters, digits and hyphens. Default: made from the title.",
    )  # fmt: skip
    topics = forms.BooleanField(required=False, label="Copy topics")
    documents = forms.BooleanField(required=False, label="Copy documents")


class RehearsalForm(forms.Form):
    judged = forms.BooleanField(
        required=False, label="Also freeze a pool and generate judgments of two assessors"
    )
