"""Import of judgments from a file: upload, preview, map labels and assessors, confirm."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import messages
from django.core import signing
from django.core.files.uploadedfile import UploadedFile
from django.http import Http404, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods

from campaigns import store
from campaigns.errors import ActionRefused
from campaigns.forms.settings import check_upload_size
from campaigns.models import Campaign, User
from campaigns.queries.lists import get_campaign_for
from campaigns.views.helpers import SignedInRequest
from campaigns.views.pages import render_page
from judging.queries.slots import list_assessors
from judging.services.bulk import ImportCounts
from judging.services.imports import ImportOptions, ImportPreview, import_file, preview_file
from poolbench.files.faults import InvalidFile, format_count
from poolbench.judging.exchange.duplicates import RULES
from poolbench.judging.exchange.grades import LEAVE_OUT
from poolbench.judging.exchange.reader import FORMATS

SALT, MAX_AGE = "judging.import", 86_400
STAGED = ".import"
"""Suffix in the store of uploads that await confirmation."""
MAX_LISTED = 100
"""Labels and names listed on the page; a file with more is hardly a file of grades."""


class JudgmentsForm(forms.Form):
    """A file of judgments, new or ``staged`` by an earlier upload, and who judged.

    ``who`` is ``file`` (a column or key of the file), ``name`` (the file name), or ``user-`` or
    ``automatic-`` followed by a primary key.
    """

    file = forms.FileField(allow_empty_file=True, required=False, label="File")
    staged = forms.CharField(required=False, widget=forms.HiddenInput)
    format = forms.ChoiceField(required=False, label="Format")
    who = forms.ChoiceField(label="Assessor")
    duplicates = forms.ChoiceField(
        required=False,
        label="Several grades of one assessor for one pair",
        choices=list(RULES.items()),
        widget=forms.RadioSelect,
    )

    def __init__(self, campaign: Campaign, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["file"].required = not self.data.get("staged")
        self.people = list(list_assessors(campaign))
        self.models = list(campaign.automatic_assessors.select_related("user"))
        formats = [(name, form.title) for name, form in FORMATS.items()]
        self.fields["format"].choices = [("", "Detect automatically"), *formats]  # type: ignore[attr-defined]
        self.fields["who"].choices = [  # type: ignore[attr-defined]
            ("file", "From a column or key in the file"),
            ("name", "From the file name"),
            *((f"user-{user.pk}", user.shown_name) for user in self.people),
            *((f"automatic-{model.pk}", f"{model.name} (automatic)") for model in self.models),
        ]

    def clean_file(self) -> UploadedFile[Any] | None:
        upload = self.cleaned_data["file"]
        return check_upload_size(upload) if upload else None

    def build_options(self, labels: dict[str, str], people: dict[str, str]) -> ImportOptions:
        who = self.cleaned_data["who"]
        return ImportOptions(
            file_format=self.cleaned_data["format"],
            assessor=next((u for u in self.people if who == f"user-{u.pk}"), None),
            automatic=next((a for a in self.models if who == f"automatic-{a.pk}"), None),
            by_file=who == "name",
            labels=labels,
            people=people,
            duplicates=self.cleaned_data["duplicates"] or "refuse",
        )


@require_http_methods(["GET", "POST"])
def judgments_import_view(request: SignedInRequest, slug: str) -> HttpResponse:
    """The form; after a post a preview; after the confirmation a summary of the import."""
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    if request.method == "GET":
        initial = {"who": request.GET.get("who", "file"), "duplicates": "refuse"}
        return render_judgments_import(request, campaign, JudgmentsForm(campaign, initial=initial))
    data = request.POST.copy()
    data.setdefault("duplicates", "refuse")
    form = JudgmentsForm(campaign, data, request.FILES)
    if not form.is_valid():
        return render_judgments_import(request, campaign, form, status=422)
    name, file = store_or_reuse_upload(request.user, campaign, form)
    options = form.build_options(
        parse_choices(request.POST, "label"), parse_choices(request.POST, "person")
    )
    arguments: dict[str, Any] = {"actor": request.user, "campaign": campaign}
    arguments |= {"data": store.get_blob(name), "file": file, "options": options}
    try:
        if request.POST.get("confirm"):
            counts = import_file(**arguments)
            messages.success(request, import_result_message(counts, file))
            model = options.automatic
            done = ("automatic", slug, model.name) if model else ("import-export", slug)
            return redirect(*done)
        preview = preview_file(**arguments)
    except ActionRefused as error:
        form.add_error("who", str(error))
        return render_judgments_import(request, campaign, form, status=409)
    except InvalidFile as error:
        faults = {"report": error.report, "verdict": "Not imported"}
        return render_judgments_import(request, campaign, form, faults, status=422)
    status = 422 if preview.report.has_errors else 200
    part = build_import_preview(request.user, campaign, preview, name)
    return render_judgments_import(request, campaign, form, part, status=status)


def store_or_reuse_upload(user: User, campaign: Campaign, form: JudgmentsForm) -> tuple[str, str]:
    """``(name in the store, name of the file)`` of the upload, new or staged."""
    upload = form.cleaned_data["file"]
    if upload:
        return store.put_blob(upload.read(), STAGED), upload.name or ""
    try:
        staged = signing.loads(form.cleaned_data["staged"], salt=SALT, max_age=MAX_AGE)
    except signing.BadSignature as error:
        raise Http404("unknown upload") from error
    if staged["campaign"] != campaign.pk or staged["user"] != user.pk:
        raise Http404("upload of another campaign or user")
    return str(staged["name"]), str(staged["file"])


def parse_choices(data: QueryDict, noun: str) -> dict[str, str]:
    """The choice for each label or person of the file; empty choices are omitted."""
    choices = zip(data.getlist(f"{noun}-name"), data.getlist(f"{noun}-choice"), strict=False)
    return {name: choice for name, choice in choices if choice}


def import_result_message(counts: ImportCounts, file: str) -> str:
    extra = counts.without_slot
    return (
        f"{file}: {format_count(counts.new, 'new judgment')},"
        f" {format_count(counts.revised, 'revision')}, {counts.unchanged:,} unchanged"
        + (f"; {extra:,} beyond the plan." if extra else ".")
    )


def build_import_preview(
    user: User, campaign: Campaign, preview: ImportPreview, name: str
) -> dict[str, object]:
    resolution = preview.resolution
    file, has_errors = preview.report.file, preview.report.has_errors
    staged = {"name": name, "file": file, "campaign": campaign.pk, "user": user.pk}
    counts = [(user, len(rows)) for user, rows in preview.rows.items()]
    return {
        "preview": preview,
        "format": FORMATS.get(preview.reading.format),
        "report": preview.report if preview.report.counts else None,
        "verdict": "The file cannot be imported" if has_errors else "Before you import",
        "staged": signing.dumps(staged, salt=SALT),
        "labels": resolution.labels[:MAX_LISTED],
        "people": [row for row in resolution.people if row[0]][:MAX_LISTED],
        "judges": sorted(counts, key=lambda row: row[0].username),
        "accounts": list_assessors(campaign),
        "grades": campaign.grades.order_by("value"),
        "leave_out": LEAVE_OUT,
        "ready": not has_errors and bool(preview.rows),
    }


def render_judgments_import(
    request: SignedInRequest,
    campaign: Campaign,
    form: JudgmentsForm,
    part: dict[str, object] | None = None,
    status: int = 200,
) -> HttpResponse:
    page = {"campaign": campaign, "form": form}
    return render_page(request, "judging/import.html", page, part, status=status)
