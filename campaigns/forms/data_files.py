"""Forms of data files and of the public page."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile

from campaigns.errors import ActionRefused
from campaigns.forms.settings import check_upload_size
from campaigns.models import PublicPage
from campaigns.services.data_files import check_name
from poolbench.texts.dates import read_dates


class DataVersionForm(forms.Form):
    """The content of a file: an upload, or a text that is written here."""

    file = forms.FileField(required=False, allow_empty_file=True, label="File")
    text = forms.CharField(
        required=False, strip=False, max_length=100_000, label="Or a text",
        help_text="Markdown. Members read it on the page Data.",
        widget=forms.Textarea({"rows": 9}),
    )  # fmt: skip
    holds = forms.CharField(
        required=False, max_length=200, label="What it holds",
        help_text="For example: 50 topics, TREC XML.",
    )  # fmt: skip
    note = forms.CharField(
        required=False, max_length=300, label="What has changed",
        help_text="Of a new version; all who have the file read it.",
    )  # fmt: skip

    needs_content = True

    def clean_file(self) -> UploadedFile[Any] | None:
        upload = self.cleaned_data["file"]
        return check_upload_size(upload) if upload else None

    def clean(self) -> dict[str, Any]:
        fields = super().clean() or {}
        sources = [name for name in ("file", "text") if fields.get(name)]
        if len(sources) > 1:
            raise forms.ValidationError("Choose a file or write a text, not both.")
        if not sources and self.needs_content and not self.errors:
            raise forms.ValidationError("Choose a file, or write a text.")
        return fields

    def read_content(self) -> bytes:
        """The bytes; empty if only other fields were changed."""
        if upload := self.cleaned_data.get("file"):
            return bytes(upload.read())
        text: str = self.cleaned_data.get("text", "")
        return text.replace("\r\n", "\n").encode()


class DataFileForm(DataVersionForm):
    name = forms.CharField(
        required=False, max_length=100, label="File name",
        help_text="Default: that of the upload. It stays the same in later versions.",
    )  # fmt: skip
    title = forms.CharField(max_length=120, label="Title")
    licence = forms.CharField(
        required=False, max_length=2_000, label="Licence",
        help_text="What readers may do with it, for example: CC BY 4.0, https://…",
        widget=forms.Textarea({"rows": 3}),
    )  # fmt: skip

    field_order = ("title", "name", "file", "text", "holds", "licence", "note")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        del self.fields["note"]

    def clean(self) -> dict[str, Any]:
        fields = super().clean()
        upload = fields.get("file")
        name = fields.get("name") or (upload.name if upload else "text.txt")
        try:
            check_name(name)
        except ActionRefused as refused:
            self.add_error("name", str(refused))
        return fields | {"name": name}


class DataFileEditForm(DataVersionForm):
    """The description of a file, and a new version of one that organizers added."""

    title = DataFileForm.base_fields["title"]
    licence = DataFileForm.base_fields["licence"]

    needs_content = False
    field_order = ("title", "licence", "file", "text", "holds", "note")

    def __init__(self, *args: Any, by_hand: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in () if by_hand else ("file", "text", "holds", "note"):
            del self.fields[name]


class PublicPageForm(forms.ModelForm):  # type: ignore[type-arg]
    class Meta:
        model = PublicPage
        fields = ("summary", "call", "dates", "organizers")
        widgets = {
            "summary": forms.Textarea({"rows": 2}),
            "call": forms.Textarea({"rows": 14}),
            "dates": forms.Textarea({"rows": 6}),
            "organizers": forms.Textarea({"rows": 4}),
        }
        labels = {
            "summary": "The task in a sentence",
            "call": "Call for participation",
            "dates": "Further dates",
            "organizers": "Organizers",
        }
        help_texts = {
            "summary": "Shown below the title, by search engines and where the page is shared.",
            "call": "Markdown: the task, how it is judged, how to take part. A heading is # Title.",
            "dates": "One per line: 2027-04-15 Papers due. A day ends at 23:59 anywhere on Earth;"
            " 2027-04-15 12:00 is that moment in UTC. The deadlines of the settings are added.",
            "organizers": "Markdown: names, institutions, how to write to you.",
        }

    def clean_dates(self) -> str:
        text: str = self.cleaned_data["dates"]
        _, faults = read_dates(text)
        if faults:
            raise forms.ValidationError([*faults, "Write 2027-04-15 Papers due."])
        return text
