"""The organizer's page of the training: which pairs, and who did how well."""

from __future__ import annotations

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from campaigns.core.faults import BadFile, FaultReport, count_of
from campaigns.errors import Refused
from campaigns.models import Campaign
from campaigns.queries import campaign_for
from campaigns.views.signed_in import SignedIn
from judging.core.training_file import TrainingRow
from judging.queries.training_results import agreed_pairs, is_locked, known_pairs, trained
from judging.services.training_sets import add_training, import_training, remove_training


class TrainingForm(forms.Form):
    text = forms.CharField(
        required=False,
        max_length=500_000,
        strip=False,
        label="Pairs",
        widget=forms.Textarea({"rows": 5, "spellcheck": "false"}),
        help_text="One a line: topic, docno, grade, explanation; tabs or commas between them."
        " An explanation with commas goes in quotation marks.",
    )
    upload = forms.FileField(required=False, label="Or a file, CSV or TSV")


@require_http_methods(["GET", "POST"])
def training_sets(request: SignedIn, slug: str) -> HttpResponse:
    """Look at the training; add pairs from text, a file or what people agreed on; remove."""
    campaign = campaign_for(request.user, slug, "campaigns.manage")
    if request.method == "GET":
        return training_page(request, campaign, TrainingForm())
    form = TrainingForm(request.POST, request.FILES)
    try:
        if "remove" in request.POST:
            return removed(request, campaign)
        if "pick" in request.POST:
            return picked(request, campaign)
        if form.is_valid():
            return added(request, campaign, form)
    except BadFile as bad:
        return training_page(request, campaign, form, bad.report)
    except Refused as refused:
        form.add_error(None, str(refused))
    return training_page(request, campaign, form)


def added(request: SignedIn, campaign: Campaign, form: TrainingForm) -> HttpResponse:
    text, file = form.cleaned_data["text"], form.cleaned_data["upload"]
    if file is not None:
        try:
            text = file.read().decode("utf-8-sig")
        except UnicodeDecodeError as error:
            cure = "Save it as UTF-8."
            raise Refused("not-utf-8", f"{file.name} is not UTF-8.", cure) from error
    name = file.name if file else ""
    count = import_training(actor=request.user, campaign=campaign, text=text, file=name)
    return done(request, campaign, f"{count_of(count, 'pair')} added.")


def picked(request: SignedIn, campaign: Campaign) -> HttpResponse:
    """Add ticked pairs with the grade that all who judged them gave."""
    ticked = set(request.POST.getlist("pick"))
    rows = [
        TrainingRow(pair.number, pair.docno, pair.grade, f"{pair.count} assessors gave this grade.")
        for pair in agreed_pairs(campaign)
        if f"{pair.topic_id} {pair.docno}" in ticked
    ]
    if not rows:
        raise Refused("nothing-ticked", "No pair is ticked.", "Tick those to train with.")
    count = add_training(actor=request.user, campaign=campaign, rows=rows)
    return done(request, campaign, f"{count_of(count, 'pair')} added.")


def removed(request: SignedIn, campaign: Campaign) -> HttpResponse:
    ticked = [pk for pk in request.POST.getlist("remove") if pk.isdecimal()]
    pairs = list(campaign.training.filter(pk__in=ticked))
    count = remove_training(actor=request.user, campaign=campaign, pairs=pairs)
    return done(request, campaign, f"{count_of(count, 'pair')} removed.")


def done(request: SignedIn, campaign: Campaign, text: str) -> HttpResponse:
    messages.success(request, text)
    return redirect("training-sets", campaign.slug)


def training_page(
    request: SignedIn, campaign: Campaign, form: TrainingForm, report: FaultReport | None = None
) -> HttpResponse:
    locked = is_locked(campaign)
    context = {
        "campaign": campaign,
        "crumbs": [("Judging", "../"), ("Training", None)],
        "form": form,
        "report": report,
        "locked": locked,
        "pairs": known_pairs(campaign),
        "people": trained(campaign),
        "agreed": [] if locked else agreed_pairs(campaign),
        "scale": {grade.value: grade for grade in campaign.grades.all()},
    }
    return render(request, "judging/training_sets.html", context, status=422 if report else 200)
