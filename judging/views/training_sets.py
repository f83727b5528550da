"""The organizer's page of training sets: training pairs and the assessors' results."""

from __future__ import annotations

from dataclasses import dataclass

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods

from campaigns.core.faults import FaultReport, InvalidFile, format_count
from campaigns.errors import ActionRefused
from campaigns.models import Campaign, Grade
from campaigns.queries.lists import get_campaign_for
from campaigns.views.helpers import SignedInRequest
from campaigns.views.pages import render_page
from judging.core.training_file import TrainingRow
from judging.queries.training import list_training
from judging.queries.training_results import (
    AgreedPair,
    TrainingPairResult,
    TrainingProgress,
    is_locked,
    list_agreed_pairs,
    list_training_pairs,
    list_training_progress,
)
from judging.services.training_sets import add_training, import_training, remove_training


class TrainingForm(forms.Form):
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


@require_http_methods(["GET", "POST"])
def training_sets_view(request: SignedInRequest, slug: str) -> HttpResponse:
    """List training pairs; add pairs from text, a file or agreed judgments; remove pairs."""
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    if request.method == "GET":
        return render_training_page(request, campaign, TrainingForm())
    form = TrainingForm(request.POST, request.FILES)
    try:
        if "remove" in request.POST:
            return remove_selected_pairs(request, campaign)
        if "pick" in request.POST:
            return add_selected_pairs(request, campaign)
        if form.is_valid():
            return add_from_form(request, campaign, form)
    except InvalidFile as bad:
        return render_training_page(request, campaign, form, bad.report)
    except ActionRefused as refused:
        form.add_error(None, str(refused))
    return render_training_page(request, campaign, form)


def add_from_form(request: SignedInRequest, campaign: Campaign, form: TrainingForm) -> HttpResponse:
    text, file = form.cleaned_data["text"], form.cleaned_data["upload"]
    if file is not None:
        try:
            text = file.read().decode("utf-8-sig")
        except UnicodeDecodeError as error:
            fix = "Save it as UTF-8."
            raise ActionRefused("not-utf-8", f"{file.name} is not UTF-8.", fix) from error
    name = file.name if file else ""
    count = import_training(actor=request.user, campaign=campaign, text=text, file=name)
    return redirect_to_training(request, campaign, f"{format_count(count, 'training pair')} added.")


def add_selected_pairs(request: SignedInRequest, campaign: Campaign) -> HttpResponse:
    """Add the selected pairs with the grade that all their assessors agree on."""
    selected = set(request.POST.getlist("pick"))
    rows = [
        TrainingRow(pair.number, pair.docno, pair.grade, f"{pair.count} assessors gave this grade.")
        for pair in list_agreed_pairs(campaign)
        if f"{pair.topic_id} {pair.docno}" in selected
    ]
    if not rows:
        raise ActionRefused("nothing-ticked", "No pairs selected.", "Select at least one pair.")
    count = add_training(actor=request.user, campaign=campaign, rows=rows)
    return redirect_to_training(request, campaign, f"{format_count(count, 'training pair')} added.")


def remove_selected_pairs(request: SignedInRequest, campaign: Campaign) -> HttpResponse:
    selected = [pk for pk in request.POST.getlist("remove") if pk.isdecimal()]
    pairs = list(list_training(campaign).filter(pk__in=selected))
    count = remove_training(actor=request.user, campaign=campaign, pairs=pairs)
    return redirect_to_training(
        request, campaign, f"{format_count(count, 'training pair')} removed."
    )


def redirect_to_training(request: SignedInRequest, campaign: Campaign, text: str) -> HttpResponse:
    messages.success(request, text)
    return redirect("training-sets", campaign.slug)


@dataclass(frozen=True)
class TrainingSetsPage:
    campaign: Campaign
    form: TrainingForm
    report: FaultReport | None
    locked: bool
    pairs: list[TrainingPairResult]
    people: list[TrainingProgress]
    agreed: list[AgreedPair]
    scale: dict[int, Grade]


def render_training_page(
    request: SignedInRequest,
    campaign: Campaign,
    form: TrainingForm,
    report: FaultReport | None = None,
) -> HttpResponse:
    locked = is_locked(campaign)
    page = TrainingSetsPage(
        campaign=campaign,
        form=form,
        report=report,
        locked=locked,
        pairs=list_training_pairs(campaign),
        people=list_training_progress(campaign),
        agreed=[] if locked else list_agreed_pairs(campaign),
        scale={grade.value: grade for grade in campaign.grades.all()},
    )
    return render_page(request, "judging/training_sets.html", page, status=422 if report else 200)
