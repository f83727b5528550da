"""Forms: they check the shape of the input; services check the rules."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from django import forms
from django.conf import settings
from django.contrib.auth import authenticate
from django.contrib.auth.forms import (
    AuthenticationForm,
    BaseUserCreationForm,
    PasswordChangeForm,
    UsernameField,
)
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from campaigns.errors import format_thousands
from campaigns.forms.task_field import add_task_field
from campaigns.models import Campaign, Role, Run, Team, User
from campaigns.queries.lists import list_replaceable_runs_for, list_teams_for
from campaigns.rules import is_organizer_anywhere
from campaigns.services.tokens import list_token_lifetimes
from poolbench.files.name_lists import split_names
from poolbench.judging.scale import GradeSpec
from poolbench.texts.documents import DOCUMENT_FORMATS
from poolbench.texts.topics import TOPIC_FORMATS

GRADE_PRESETS = {
    "binary": (
        GradeSpec(0, "not relevant", "0", 0),
        GradeSpec(1, "relevant", "1", 1),
    ),
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
        self.fields["text_layout"].required = False
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


class SignInForm(AuthenticationForm):
    """Limits the length of the username, as the log of failed sign-ins does; Django does not."""

    username = UsernameField(max_length=150, widget=forms.TextInput({"autofocus": True}))


class CurrentPasswordForm(PasswordChangeForm):
    """Asks for the current password as a sign-in does: guesses are limited and logged."""

    def __init__(self, *args: Any, request: HttpRequest, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.request = request

    def clean_old_password(self) -> str:
        password: str = self.cleaned_data["old_password"]
        username = self.user.get_username()
        if authenticate(self.request, username=username, password=password) is None:
            raise forms.ValidationError(
                self.error_messages["password_incorrect"], code="password_incorrect"
            )
        return password


class TokenForm(forms.Form):
    days = forms.TypedChoiceField(coerce=int, label=_("Valid for"))

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        lifetimes = list_token_lifetimes()
        days: Any = self.fields["days"]
        days.choices = [(n, ngettext("%(n)s day", "%(n)s days", n) % {"n": n}) for n in lifetimes]
        days.initial = lifetimes[-1]


class SignUpForm(BaseUserCreationForm):  # type: ignore[type-arg]
    name = forms.CharField(max_length=150, label=_("Your name"))

    field_order = ("name", "username", "password1", "password2")

    class Meta:
        model = User
        fields = ("username",)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        username = self.fields["username"]
        username.label, username.help_text = _("Username"), _("Letters, digits and @.+-_ only")
        username.widget.attrs.pop("autofocus", None)
        help_text = _("At least 8 characters; not a common password or your name.")
        self.fields["password1"].help_text = help_text
        self.fields["password2"].label = _("Confirm password")
        self.fields["password2"].help_text = ""

    def clean_username(self) -> str:
        username: str = self.cleaned_data["username"]
        if User.objects.filter(username__iexact=username).exists():
            raise forms.ValidationError(_("This username is taken."))
        return username


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


class RunForm(forms.Form):
    help_words = {"kind": "run type", "priority": "priority"}

    file = forms.FileField(
        allow_empty_file=True,
        label=_("Run file"),
        help_text=_("TREC run format: topic Q0 docno rank score tag. Plain text or gzip."),
    )
    team = forms.ModelChoiceField(
        Team.objects.none(), label=_("Team"), empty_label=_("Choose a team")
    )
    tag = forms.CharField(
        label=_("Run tag"),
        max_length=60,
        required=False,
        help_text=_("Read from the file if left empty."),
    )
    description = forms.CharField(
        label=_("Description"),
        required=False,
        max_length=5000,
        widget=forms.Textarea({"rows": 4}),
        help_text=_("Briefly describe the system. Visible to organizers."),
    )
    kind = forms.ChoiceField(
        choices=[
            (Run.Kind.AUTOMATIC, _("Automatic")),
            (Run.Kind.FEEDBACK, _("Feedback: automatic, with judgments of an earlier round")),
            (Run.Kind.MANUAL, _("Manual: human intervention")),
        ],
        label=_("Run type"),
        initial=Run.Kind.AUTOMATIC,
        widget=forms.RadioSelect,
    )
    priority = forms.IntegerField(
        label=_("Priority"),
        min_value=1,
        max_value=99,
        initial=1,
        help_text=_("Judging precedence; 1 is first."),
    )
    replaces = forms.ModelChoiceField(
        Run.objects.none(),
        label=_("Replaces"),
        required=False,
        empty_label=_("None (new run)"),
        help_text=_("The replaced run stays on record; new pools and evaluations exclude it."),
    )
    key = forms.UUIDField(required=False, initial=uuid4, widget=forms.HiddenInput)

    def __init__(self, *args: Any, user: User, campaign: Campaign, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        teams = list_teams_for(user, campaign)
        replaces = list_replaceable_runs_for(user, campaign)
        self.fields["team"].queryset = teams  # type: ignore[attr-defined]
        self.fields["replaces"].queryset = replaces  # type: ignore[attr-defined]
        organizes = is_organizer_anywhere(user, campaign)
        add_task_field(self, campaign, every=organizes)
        if not organizes:
            self.fields["team"].initial = teams.first()
            self.fields["team"].widget = forms.HiddenInput()
        if not replaces.exists():
            self.fields["replaces"].widget = forms.HiddenInput()

    def clean_file(self) -> UploadedFile[Any]:
        return check_upload_size(self.cleaned_data["file"])


class AccountForm(forms.ModelForm):  # type: ignore[type-arg]
    class Meta:
        model = User
        fields = ("first_name", "last_name", "email")
        labels = {"email": _("E-mail")}


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
