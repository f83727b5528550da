"""Overview of adjudication: disagreements, rounds and the adjudicators' progress."""

from functools import partial

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from campaigns.api.attachments import attachment_response
from campaigns.confirmation import Decision
from campaigns.errors import ActionRefused
from campaigns.models import Campaign
from campaigns.queries.lists import get_campaign_for
from campaigns.rules import is_organizer_anywhere
from campaigns.views.confirmation import confirm_act
from campaigns.views.helpers import SignedInRequest
from campaigns.views.pages import render_page
from judging.forms.adjudication import RoundForm
from judging.models import Plan
from judging.queries.adjudication import (
    STATES,
    Disagreement,
    count_by_state,
    list_adjudicators,
    list_disagreements,
    list_rounds,
    own_adjudication_progress,
)
from judging.queries.confirmations import describe_round_closing
from judging.services.adjudication import (
    end_round,
    list_pairs_to_adjudicate,
    open_round,
    remove_agreed_pairs,
)
from poolbench.files.faults import format_count
from poolbench.reports.csv import format_csv
from poolbench.shared_reads import share_reads


@require_safe
@share_reads
def adjudication_view(request: SignedInRequest, slug: str) -> HttpResponse:
    """For adjudicators their own work; for organizers the disagreements and rounds."""
    campaign = get_campaign_for(request.user, slug, "campaigns.settle")
    return render_adjudication_overview(request, campaign, RoundForm(campaign))


@require_POST
def round_open_view(request: SignedInRequest, slug: str) -> HttpResponse:
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    form = RoundForm(campaign, request.POST)
    if not form.is_valid():
        return render_adjudication_overview(request, campaign, form)
    options = form.cleaned_data
    pairs = list_pairs_to_adjudicate(
        campaign, min_difference=options["apart"], crossing=options["crossing"]
    )
    try:
        plan = open_round(
            actor=request.user, campaign=campaign, pairs=pairs,
            adjudicators=options["adjudicators"], blind=options["blind"],
        )  # fmt: skip
    except ActionRefused as refused:
        form.add_error(None, str(refused))
        return render_adjudication_overview(request, campaign, form)
    pairs_opened = format_count(plan.slots.count(), "pair")
    messages.success(request, f"Round opened: {pairs_opened} to adjudicate.")
    return redirect("adjudication", campaign.slug)


@require_http_methods(["GET", "POST"])
def round_end_view(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """The page before a round is closed; its form closes it. With ``only=agreed`` the pairs now
    in agreement leave it at once: a new round can contain them.
    """
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    plan = get_object_or_404(campaign.plans, pk=pk, kind=Plan.Kind.ADJUDICATE)
    if request.POST.get("only") == "agreed":
        count = remove_agreed_pairs(actor=request.user, plan=plan)
        messages.success(request, f"{format_count(count, 'pair')} removed from the round.")
        return redirect("adjudication", campaign.slug)

    def act(decision: Decision) -> HttpResponse:
        count = end_round(actor=request.user, plan=plan, decision=decision)
        message = f"Round closed; {format_count(count, 'pair')} left without adjudication."
        messages.success(request, message)
        return redirect("adjudication", campaign.slug)

    describe = partial(describe_round_closing, plan)
    return confirm_act(request, campaign, describe=describe, act=act)


@require_safe
def disagreements_download_view(request: SignedInRequest, slug: str) -> HttpResponse:
    """All disagreements as CSV, with each assessor's grade."""
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    disagreements = list_disagreements(campaign)
    names = sorted({name for each in disagreements for name in each.grades})
    head = ("topic", "docno", "apart", "crosses_relevance", "state", "adjudicated", *names)
    rows = (
        (
            *(*each.pair, each.size, int(each.crosses), each.state, each.adjudicated),
            *(each.grades.get(name) for name in names),
        )
        for each in disagreements
    )
    conditions = {"campaign": slug, "level": campaign.relevance_level}
    return attachment_response(
        format_csv("disagreements", head, rows, conditions), f"{slug}-disagreements.csv"
    )


def render_adjudication_overview(
    request: SignedInRequest, campaign: Campaign, form: RoundForm
) -> HttpResponse:
    manages = is_organizer_anywhere(request.user, campaign)
    disagreements = list_disagreements(campaign) if manages else []
    sizes = disagreements_by_distance(disagreements)
    page = {
        "campaign": campaign,
        "form": form,
        "manages": manages,
        "adjudicates": request.user.has_perm("campaigns.adjudicate", campaign),
        "mine": own_adjudication_progress(campaign, request.user),
        "disagreements": disagreements,
        "states": [
            (STATES[state], count) for state, count in count_by_state(disagreements).items()
        ],
        "sizes": sizes,
        "size_totals": [sum(column) for column in zip(*sizes, strict=True)][1:],
        "rounds": list_rounds(campaign, {each.pair for each in disagreements}) if manages else [],
        "people": list_adjudicators(campaign),
        "judged": campaign.judgments.exists(),
    }
    return render_page(request, "judging/adjudication.html", page)


def disagreements_by_distance(
    disagreements: list[Disagreement],
) -> list[tuple[int, int, int, int, int]]:
    """By grade difference: pairs, crossing the relevance level, resolved, unassigned."""
    rows = []
    for size in sorted({each.size for each in disagreements}, reverse=True):
        group = [each for each in disagreements if each.size == size]
        crossing = sum(each.crosses for each in group)
        resolved = sum(each.state == "settled" for each in group)
        unassigned = sum(each.state in ("new", "skipped") for each in group)
        rows.append((size, len(group), crossing, resolved, unassigned))
    return rows
