"""Forms of the page Today."""

from __future__ import annotations

from django import forms

from judging.services.today import MOST_DOCUMENTS


class AlarmForm(forms.Form):
    """Which alarm, and why it is put aside."""

    name = forms.CharField(max_length=40)
    subject = forms.CharField(max_length=500, required=False)
    reason = forms.CharField(max_length=500, required=False)


class ReviewForm(forms.Form):
    """Documents to look at again, and a message."""

    count = forms.IntegerField(
        label="Documents",
        min_value=0,
        max_value=MOST_DOCUMENTS,
        initial=20,
        help_text="The last ones that the assessor judged; 0 for a message alone.",
    )
    topic = forms.CharField(
        label="Topic", max_length=100, required=False, help_text="Leave empty for all topics."
    )
    message = forms.CharField(
        label="Message",
        max_length=2_000,
        required=False,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text="Say why: what you have seen, and what you would like to know.",
    )
