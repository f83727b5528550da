"""What an archive holds."""

from django import forms


class ArchiveForm(forms.Form):
    documents = forms.BooleanField(
        label="Texts and files of documents",
        required=False,
        initial=True,
        help_text="Without them the archive has their IDs only: for collections that may not be"
        " passed on.",
    )
    comments = forms.BooleanField(
        label="Comments of assessors", required=False, help_text="They may name people."
    )
