"""The practice set of a campaign: pairs that crowd workers answer before they start."""

from __future__ import annotations

from dataclasses import dataclass

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
from crowd.forms.pairs import PairsForm
from crowd.models import Study
from crowd.queries.studies import list_studies
from crowd.services.practice import add_practice, import_practice
from judging.core.training_file import TrainingRow
from judging.models import Audience
from judging.queries.training import list_training
from judging.queries.training_results import (
    AgreedPair,
    TrainingPairResult,
    is_locked,
    list_agreed_pairs,
    list_training_pairs,
)
from judging.services.training_sets import remove_training


@require_http_methods(["GET", "POST"])
def study_practice_view(request: SignedInRequest, slug: str) -> HttpResponse:
    """List practice pairs; add pairs from a table or from agreed judgments; remove pairs."""
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    if request.method == "GET":
        return render_practice_page(request, campaign, PairsForm())
    form = PairsForm(request.POST, request.FILES)
    try:
        if "remove" in request.POST:
            return remove_selected_practice(request, campaign)
        if "pick" in request.POST:
            return add_agreed_practice(request, campaign)
        if form.is_valid():
            text, name = form.read_table()
            count = import_practice(actor=request.user, campaign=campaign, text=text, file=name)
            return redirect_to_practice(request, campaign, count, "added")
    except InvalidFile as bad:
        return render_practice_page(request, campaign, form, bad.report)
    except ActionRefused as refused:
        form.add_error(None, str(refused))
    return render_practice_page(request, campaign, form)


def add_agreed_practice(request: SignedInRequest, campaign: Campaign) -> HttpResponse:
    """Add the selected pairs with their grade and the explanation that stands beside each."""
    selected = set(request.POST.getlist("pick"))
    rows = [
        TrainingRow(
            pair.number,
            pair.docno,
            pair.grade,
            request.POST.get(f"why {pair.topic_id} {pair.docno}", "").strip(),
        )
        for pair in list_agreed_pairs(campaign, audience=Audience.CROWD)
        if f"{pair.topic_id} {pair.docno}" in selected
    ]
    if not rows:
        raise ActionRefused("nothing-ticked", "No pairs selected.", "Select at least one pair.")
    count = add_practice(actor=request.user, campaign=campaign, rows=rows)
    return redirect_to_practice(request, campaign, count, "added")


def remove_selected_practice(request: SignedInRequest, campaign: Campaign) -> HttpResponse:
    selected = [pk for pk in request.POST.getlist("remove") if pk.isdecimal()]
    pairs = list(list_training(campaign, Audience.CROWD).filter(pk__in=selected))
    count = remove_training(
        actor=request.user, campaign=campaign, pairs=pairs, audience=Audience.CROWD
    )
    return redirect_to_practice(request, campaign, count, "removed")


def redirect_to_practice(
    request: SignedInRequest, campaign: Campaign, count: int, act: str
) -> HttpResponse:
    messages.success(request, f"{format_count(count, 'practice pair')} {act}.")
    return redirect("study-practice", campaign.slug)


@dataclass(frozen=True)
class StudyPracticePage:
    campaign: Campaign
    form: PairsForm
    report: FaultReport | None
    locked: bool
    pairs: list[TrainingPairResult]
    studies: list[Study]
    agreed: list[AgreedPair]
    scale: dict[int, Grade]


def render_practice_page(
    request: SignedInRequest,
    campaign: Campaign,
    form: PairsForm,
    report: FaultReport | None = None,
) -> HttpResponse:
    locked = is_locked(campaign, Audience.CROWD)
    page = StudyPracticePage(
        campaign=campaign,
        form=form,
        report=report,
        locked=locked,
        pairs=list_training_pairs(campaign, Audience.CROWD),
        studies=[each for each in list_studies(campaign) if each.state != Study.State.STOPPED],
        agreed=[] if locked else list_agreed_pairs(campaign, audience=Audience.CROWD),
        scale={grade.value: grade for grade in campaign.grades.all()},
    )
    status = 422 if report or form.errors else 200
    return render_page(request, "crowd/study_practice.html", page, status=status)
