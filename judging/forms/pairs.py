"""The form by which pairs with a known grade are added as a table."""

from __future__ import annotations

from django import forms

from campaigns.errors import ActionRefused


class PairsForm(forms.Form):
    text = forms.CharField(
        required=False,
        max_length=500_000,
        strip=False,
        label="Pairs",
        widget=forms.Textarea({"rows": 5, "spellcheck": "false"}),
        help_text="One pair per line: topic, docno, grade, explanation; tab- or comma-separated."
        " Put an explanation with commas in quotation marks.",
    )
    upload = forms.FileField(required=False, label="Or a CSV or TSV file")

    def read_table(self) -> tuple[str, str]:
        """After validation: the table and the name of its file, empty without one."""
        text, file = self.cleaned_data["text"], self.cleaned_data["upload"]
        if file is None:
            return text, ""
        try:
            return file.read().decode("utf-8-sig"), file.name
        except UnicodeDecodeError as error:
            fix = "Save it as UTF-8."
            raise ActionRefused("not-utf-8", f"{file.name} is not UTF-8.", fix) from error
