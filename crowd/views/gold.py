"""The gold of a campaign: pairs with a known grade by which crowd workers are tested."""

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
from crowd.queries.gold import (
    GoldBalance,
    GoldPairResult,
    build_gold_balance,
    count_gold,
    list_adjudicated_pairs,
    list_gold_pairs,
)
from crowd.queries.studies import list_studies
from judging.core.training_file import TrainingRow
from judging.queries.training_results import AgreedPair
from judging.services.gold import add_gold, import_gold, retire_gold


@require_http_methods(["GET", "POST"])
def study_gold_view(request: SignedInRequest, slug: str) -> HttpResponse:
    """List gold; add pairs from a table or from adjudications; retire pairs."""
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    if request.method == "GET":
        return render_gold_page(request, campaign, PairsForm())
    form = PairsForm(request.POST, request.FILES)
    try:
        if "retire" in request.POST:
            return retire_selected(request, campaign)
        if "pick" in request.POST:
            return add_adjudicated_gold(request, campaign)
        if form.is_valid():
            text, name = form.read_table()
            count = import_gold(actor=request.user, campaign=campaign, text=text, file=name)
            return redirect_to_gold(request, campaign, f"{format_count(count, 'gold pair')} added.")
    except InvalidFile as bad:
        return render_gold_page(request, campaign, form, bad.report)
    except ActionRefused as refused:
        form.add_error(None, str(refused))
    return render_gold_page(request, campaign, form)


def add_adjudicated_gold(request: SignedInRequest, campaign: Campaign) -> HttpResponse:
    """Add the selected pairs with the grade of their adjudication."""
    selected = set(request.POST.getlist("pick"))
    rows = [
        TrainingRow(pair.number, pair.docno, pair.grade, "Adjudicated.")
        for pair in list_adjudicated_pairs(campaign)
        if f"{pair.topic_id} {pair.docno}" in selected
    ]
    if not rows:
        raise ActionRefused("nothing-ticked", "No pairs selected.", "Select at least one pair.")
    count = add_gold(actor=request.user, campaign=campaign, rows=rows)
    return redirect_to_gold(request, campaign, f"{format_count(count, 'gold pair')} added.")


def retire_selected(request: SignedInRequest, campaign: Campaign) -> HttpResponse:
    selected = [pk for pk in request.POST.getlist("retire") if pk.isdecimal()]
    pairs = list(campaign.gold_pairs.filter(pk__in=selected))
    count = retire_gold(actor=request.user, campaign=campaign, pairs=pairs)
    return redirect_to_gold(request, campaign, f"{format_count(count, 'gold pair')} retired.")


def redirect_to_gold(request: SignedInRequest, campaign: Campaign, text: str) -> HttpResponse:
    messages.success(request, text)
    return redirect("study-gold", campaign.slug)


@dataclass(frozen=True)
class StudyGoldPage:
    """``balances``: of the studies that are not stopped. ``in_use``: gold that is not retired."""

    campaign: Campaign
    form: PairsForm
    report: FaultReport | None
    pairs: list[GoldPairResult]
    in_use: int
    balances: list[GoldBalance]
    adjudicated: list[AgreedPair]
    scale: dict[int, Grade]


def render_gold_page(
    request: SignedInRequest,
    campaign: Campaign,
    form: PairsForm,
    report: FaultReport | None = None,
) -> HttpResponse:
    grades, available = list(campaign.grades.all()), count_gold(campaign)
    studies = [each for each in list_studies(campaign) if each.state != Study.State.STOPPED]
    page = StudyGoldPage(
        campaign=campaign,
        form=form,
        report=report,
        pairs=list_gold_pairs(campaign),
        in_use=sum(available.values()),
        balances=[build_gold_balance(study, available, grades) for study in studies],
        adjudicated=list_adjudicated_pairs(campaign),
        scale={grade.value: grade for grade in grades},
    )
    status = 422 if report or form.errors else 200
    return render_page(request, "crowd/study_gold.html", page, status=status)
