"""The forms of a submission, and of the fields that a campaign asks with each run."""

from collections.abc import Sequence
from typing import Any
from uuid import uuid4

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy

from campaigns.forms.settings import check_upload_size
from campaigns.models import Campaign, Run, Team, User
from campaigns.queries.lists import list_replaceable_runs_for, list_teams_for
from campaigns.queries.tasks import list_open_tasks
from campaigns.rules import is_organizer_anywhere
from campaigns.services.run_form import read_answers
from poolbench.runs.ir_metadata import MAX_HEAD
from poolbench.runs.run_form import FIELD_KINDS, MOST_FIELDS, RunField

MOST_FILES = 20
"""Runs that are submitted with one form."""
ANSWER = "answer-"
"""Before the names of the campaign's fields."""


class FilesInput(forms.FileInput):
    allow_multiple_selected = True


class FilesField(forms.FileField):
    """One file or several."""

    widget = FilesInput
    default_error_messages = {
        "too_many": ngettext_lazy(
            "Choose at most %(limit)s file at once.", "Choose at most %(limit)s files at once.",
            "limit",
        )
    }  # fmt: skip

    def clean(self, data: Any, initial: Any = None) -> Any:
        files = data if isinstance(data, list) else [data] if data else []
        if len(files) > MOST_FILES:
            raise forms.ValidationError(
                self.error_messages["too_many"], code="too_many", params={"limit": MOST_FILES}
            )
        clean = super().clean
        return [check_upload_size(clean(each, initial)) for each in files or [None]]


class RunForm(forms.Form):
    help_words = {"kind": "run type", "priority": "priority"}

    file = FilesField(
        allow_empty_file=True,
        label=_("Run files"),
        help_text=_(
            "TREC run format: topic Q0 docno rank score tag. Plain text or gzip. Of several files"
            " each is a run of its own."
        ),
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

    def __init__(
        self, *args: Any, user: User, campaign: Campaign, trial: bool = False, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.campaign, self.trial = campaign, trial
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
        for field in campaign.run_form:
            self.fields[f"{ANSWER}{field.name}"] = make_answer_field(field)

    @property
    def answers(self) -> dict[str, str]:
        """What was entered, by the names of the campaign's fields."""
        names = [field.name for field in self.campaign.run_form]
        return {name: str(self.cleaned_data.get(f"{ANSWER}{name}") or "") for name in names}

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        files: list[UploadedFile[Any]] = cleaned.get("file") or []
        if len(files) > 1:
            for name in ("tag", "replaces"):
                if cleaned.get(name):
                    self.add_error(name, _("Leave this empty for several files."))
        elif files and not self.trial:
            head = files[0].read(2 * MAX_HEAD)
            files[0].seek(0)
            for name, fault in read_answers(self.campaign, head, self.answers).faults.items():
                self.add_error(f"{ANSWER}{name}", fault)
        return cleaned


def make_answer_field(field: RunField) -> forms.Field:
    """The form field of a question. None is required by itself: the file may have the answer.
    ``is_asked``: it is not shown as optional.
    """
    about = {"label": field.label, "required": False, "help_text": field.help}
    if field.kind == "text":
        made: forms.Field = forms.CharField(**about)  # type: ignore[arg-type]
    else:
        yes_no: list[tuple[str, Any]] = [("yes", _("Yes")), ("no", _("No"))]
        named = yes_no if field.kind == "yes_no" else [(text, text) for text in field.choices]
        made = forms.ChoiceField(choices=[("", _("No answer")), *named], **about)  # type: ignore[arg-type]
    made.is_asked = field.required  # type: ignore[attr-defined]
    return made


class RunFieldForm(forms.Form):
    """One field of the form that a campaign asks."""

    label = forms.CharField(max_length=100, label="Question")
    name = forms.CharField(max_length=60, label="Name in files")
    kind = forms.ChoiceField(choices=FIELD_KINDS, label="Kind", initial="text")
    choices = forms.CharField(max_length=4000, required=False, label="Choices, separated by ;")
    required = forms.BooleanField(required=False, label="Required")
    help = forms.CharField(max_length=300, required=False, label="Help for teams")

    def run_field(self) -> RunField:
        cleaned = self.cleaned_data
        choices = (choice.strip() for choice in cleaned["choices"].split(";"))
        return RunField(**{**cleaned, "choices": tuple(filter(None, choices))})


class BaseRunFieldFormSet(forms.BaseFormSet):  # type: ignore[type-arg]
    """Empty rows are ignored at any position: emptying a row removes the field."""

    def initial_form_count(self) -> int:
        return 0 if self.is_bound else super().initial_form_count()

    def run_fields(self) -> list[RunField]:
        return [form.run_field() for form in self.forms if form.has_changed()]


RunFieldFormSet = forms.formset_factory(
    RunFieldForm,
    formset=BaseRunFieldFormSet,
    extra=2,
    max_num=MOST_FIELDS,
    absolute_max=MOST_FIELDS + 10,
)


def list_initial_rows(fields: Sequence[RunField]) -> list[dict[str, Any]]:
    """The fields as rows of the form."""
    return [field.as_dict() | {"choices": "; ".join(field.choices)} for field in fields]


def add_task_field(form: forms.Form, campaign: Campaign, *, every: bool) -> None:
    """The open tasks, or ``every`` one, before the run tag; nothing in a campaign without tasks.
    The run to be replaced, or the only task, decides what is chosen at first.
    """
    tasks = campaign.tasks.all()
    if not tasks.exists():
        return
    if not every:
        tasks = tasks.filter(pk__in=[task.pk for task in list_open_tasks(campaign)])
    replaced: Any = form.initial.get("replaces") or 0
    former = Run.objects.filter(campaign=campaign, pk=replaced).first()
    only = tasks[0] if len(tasks) == 1 else None
    form.fields["task"] = forms.ModelChoiceField(
        tasks, label=_("Task"), empty_label=_("Choose a task"),
        initial=former.task if former else only,
    )  # fmt: skip
    form.order_fields(["file", "team", "task"])
