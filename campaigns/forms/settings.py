"""Forms: they check the shape of the input; services check the rules."""

from __future__ import annotations

from typing import Any

from django import forms
from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext_lazy as _

from campaigns.errors import format_thousands
from campaigns.models import Campaign, Role, User
from poolbench.files.name_lists import split_names
from poolbench.judging.scale import GradeSpec
from poolbench.texts.documents import DOCUMENT_FORMATS
from poolbench.texts.topics import TOPIC_FORMATS

GRADE_PRESETS = {
    "binary": (GradeSpec(0, "not relevant", "0", 0), GradeSpec(1, "relevant", "1", 1)),
    "three": (
        GradeSpec(0, "not relevant", "0", 0, "Contains nothing useful on the topic."),
        GradeSpec(1, "partly relevant", "1", 1, "Answers part of the topic."),
        GradeSpec(2, "relevant", "2", 2, "Answers the topic."),
    ),
    "four": (
        GradeSpec(0, "not relevant", "0", 0, "Not related to the topic."),
        GradeSpec(1, "related", "1", 1, "Related to the topic, but does not answer it."),
        GradeSpec(2, "relevant", "2", 2, "Answers the topic partly, or among other content."),
        GradeSpec(3, "perfect", "3", 3, "Dedicated to the topic; answers it fully."),
    ),
}
PRESET_LEVELS = {"binary": 1, "three": 1, "four": 2}
"""The relevance level of each preset: the lowest grade that answers at least part of the topic."""
FORMAT_NAMES = {
    "trec": "TREC SGML",
    "xml": "TREC XML",
    "tsv": "TSV",
    "jsonl": "JSON Lines",
    "smart": "SMART",
}


class DateTimeLocalInput(forms.DateTimeInput):
    input_type = "datetime-local"

    def __init__(self) -> None:
        super().__init__(format="%Y-%m-%dT%H:%M")


class NameListField(forms.CharField):
    """A space-separated list of names."""

    def prepare_value(self, value: Any) -> Any:
        return " ".join(value) if isinstance(value, list) else value

    def clean(self, value: Any) -> Any:
        # Of a disabled field it is the list of before.
        return value if isinstance(value, list) else split_names(super().clean(value))


class CampaignForm(forms.ModelForm):  # type: ignore[type-arg]
    help_words = {
        "relevance_level": "relevance level",
        "correction": "significance correction",
        "alpha": "significance level",
    }

    measures = NameListField(
        required=False,
        help_text="Space-separated measure names, e.g. ndcg_cut_10 map P_5. Computed and shown"
        " by default. Leave empty for the standard set.",
    )

    class Meta:
        model = Campaign
        fields = (
            "title",
            "slug",
            "description",
            "guidelines",
            "website",
            "citation",
            "text_layout",
            "registration",
            "terms",
            "relevance_level",
            "runs_deadline",
            "judging_deadline",
            "max_runs_per_team",
            "max_docs_per_topic",
            "require_all_topics",
            "board",
            "measures",
            "test",
            "correction",
            "alpha",
        )
        widgets = {
            "description": forms.Textarea({"rows": 7}),
            "guidelines": forms.Textarea({"rows": 9}),
            "citation": forms.Textarea({"rows": 4}),
            "text_layout": forms.RadioSelect,
            "registration": forms.RadioSelect,
            "terms": forms.Textarea({"rows": 6}),
            "runs_deadline": DateTimeLocalInput(),
            "judging_deadline": DateTimeLocalInput(),
            "board": forms.RadioSelect,
            "alpha": forms.NumberInput({"step": "any"}),
        }
        help_texts = {
            "runs_deadline": "",
            "judging_deadline": "",
            "relevance_level": "Lowest grade counted as relevant in binary measures: the first "
            "whose label says that the document answers the topic.",
        }
        error_messages = {
            "slug": {"unique": "This short name is already in use. Choose a different one."}
        }
        labels = {
            "slug": "Short name",
            "registration": "Registration of teams",
            "terms": "Terms of participation",
            "website": "Web page",
            "citation": "Preferred citation",
            "relevance_level": "Relevance level",
            "runs_deadline": "Run deadline",
            "judging_deadline": "Judging deadline",
            "max_runs_per_team": "Runs per team",
            "max_docs_per_topic": "Documents per topic",
            "require_all_topics": "Runs must cover every topic",
            "board": "Visible to participants after release",
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["text_layout"].required = self.fields["registration"].required = False
        if self.instance.pk:
            del self.fields["slug"]
            if self.instance.score_sets.filter(released_at__isnull=False).exists():
                # Its own page lists the consequences.
                self.fields["board"].disabled = True
            if self.instance.score_sets.exists():
                # The service rejects a change, so the page does not offer one.
                for name in ("test", "correction", "alpha"):
                    self.fields[name].disabled = True
            return
        # Asked, beside the labels: measures depend on it, and no default fits every scale.
        initial = kwargs.get("initial") or {}
        self.initial["relevance_level"] = initial.get("relevance_level")
        self.fields["slug"].required = False
        self.fields["slug"].help_text = "Used in URLs. Generated from the title if left empty."

    def clean_registration(self) -> str:
        """As it is, where a client does not send one."""
        chosen = self.cleaned_data["registration"] or self.initial.get("registration")
        return str(chosen or Campaign.Registration.CLOSED)

    def clean_text_layout(self) -> str:
        """The layout so far, where a client does not send one."""
        layout = self.cleaned_data["text_layout"] or self.initial.get("text_layout")
        return str(layout or Campaign.TextLayout.AUTOMATIC)


class GradeForm(forms.Form):
    value = forms.IntegerField(min_value=-9, max_value=99, label="Grade")
    label = forms.CharField(max_length=60, label="Label")
    key = forms.CharField(
        max_length=1, label="Key", widget=forms.TextInput({"size": 1, "autocomplete": "off"})
    )
    gain = forms.FloatField(min_value=0, label="Gain", widget=forms.NumberInput({"step": "any"}))
    meaning = forms.CharField(max_length=200, required=False, label="Description for assessors")


class BaseGradeFormSet(forms.BaseFormSet):  # type: ignore[type-arg]
    """Empty rows are ignored at any position: emptying a row removes the grade."""

    def initial_form_count(self) -> int:
        return 0 if self.is_bound else super().initial_form_count()

    def scale(self) -> list[GradeSpec]:
        rows = [form.cleaned_data for form in self.forms if form.has_changed()]
        return sorted((GradeSpec(**row) for row in rows), key=lambda step: step.value)


GradeFormSet = forms.formset_factory(
    GradeForm, formset=BaseGradeFormSet, extra=1, max_num=20, absolute_max=30
)


class InviteForm(forms.Form):
    role = forms.ChoiceField(choices=Role, initial=Role.PARTICIPANT, label=_("Role"))
    team = forms.CharField(max_length=60, required=False, label=_("Team (participants only)"))
    uses = forms.IntegerField(min_value=1, max_value=500, initial=1, label=_("Uses"))
    days = forms.IntegerField(min_value=1, max_value=365, initial=14, label=_("Valid for (days)"))


class MemberForm(forms.Form):
    username = forms.CharField(max_length=150, label=_("Username"))
    role = forms.ChoiceField(choices=Role, initial=Role.ASSESSOR, label=_("Role"))
    team = forms.CharField(max_length=60, required=False, label=_("Team (participants only)"))

    def clean_username(self) -> User:
        user = User.objects.filter(username=self.cleaned_data["username"]).first()
        if user is None:
            raise forms.ValidationError(
                _("No account has this username. Send an invitation link instead.")
            )
        return user


class ImportForm(forms.Form):
    """A file of topics or documents, and its format unless it is to be detected."""

    file = forms.FileField(allow_empty_file=True, label="File", help_text="Plain text or gzip.")
    format = forms.ChoiceField(required=False, label="Format")

    def __init__(self, *args: Any, formats: dict[str, Any], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        named = [(key, FORMAT_NAMES.get(key, key)) for key in formats]
        self.fields["format"].choices = [("", "Detect automatically"), *named]  # type: ignore[attr-defined]

    def clean_file(self) -> UploadedFile[Any]:
        return check_upload_size(self.cleaned_data["file"])


def check_upload_size(upload: UploadedFile[Any]) -> UploadedFile[Any]:
    """Reject a file that is too large before its bytes are read."""
    limit = settings.POOLBENCH_MAX_UPLOAD_BYTES
    if (upload.size or 0) > limit:
        message = _("The file exceeds the limit of %(limit)s bytes.")
        values = {"limit": format_thousands(limit)}
        raise forms.ValidationError(message % values, code="too-large")
    return upload


def topic_import_form(*args: Any, **kwargs: Any) -> ImportForm:
    return ImportForm(*args, formats=TOPIC_FORMATS, **kwargs)


def document_import_form(*args: Any, **kwargs: Any) -> ImportForm:
    """With the layout of plain text for the whole campaign; left as it is if not sent."""
    form = ImportForm(*args, formats=DOCUMENT_FORMATS, **kwargs)
    form.fields["text_layout"] = forms.ChoiceField(
        choices=Campaign.TextLayout,
        required=False,
        label="Layout of plain text",
        help_text="On the judging screen, for all documents; each assessor can change it.",
    )
    field = form.fields["file"]
    field.help_text = (
        "Plain text or gzip, or a zip of text, HTML, PDF and image files named by docno."
    )
    return form


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
