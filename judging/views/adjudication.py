"""Adjudication as a whole: what is in disagreement, the rounds, who is how far."""

from __future__ import annotations

import csv
import io

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST, require_safe

from campaigns.attachments import attachment_response
from campaigns.errors import ActionRefused
from campaigns.models import Campaign
from campaigns.queries import get_campaign_for
from campaigns.rules import is_organizer_anywhere
from campaigns.views.helpers import SignedInRequest
from judging.adjudication_forms import RoundForm
from judging.models import Plan
from judging.queries.adjudication import (
    STATES,
    Disagreement,
    count_by_state,
    list_adjudicators,
    list_disagreements,
    list_rounds,
    list_waiting_pairs,
    own_adjudication_progress,
)
from judging.services.adjudication import (
    end_round,
    list_pairs_to_adjudicate,
    open_round,
    remove_agreed_pairs,
)


@require_safe
def adjudication_view(request: SignedInRequest, slug: str) -> HttpResponse:
    """For adjudicators their work; for organizers the disagreements and the rounds."""
    campaign = get_campaign_for(request.user, slug, "campaigns.settle")
    return render_adjudication_overview(request, campaign, RoundForm(campaign))


@require_POST
def round_open_view(request: SignedInRequest, slug: str) -> HttpResponse:
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    form = RoundForm(campaign, request.POST)
    if not form.is_valid():
        return render_adjudication_overview(request, campaign, form)
    chosen = form.cleaned_data
    wanted = list_pairs_to_adjudicate(campaign, apart=chosen["apart"], crossing=chosen["crossing"])
    try:
        made = open_round(
            actor=request.user, campaign=campaign, pairs=wanted,
            adjudicators=chosen["adjudicators"], blind=chosen["blind"],
        )  # fmt: skip
    except ActionRefused as refused:
        form.add_error(None, str(refused))
        return render_adjudication_overview(request, campaign, form)
    count = made.slots.count()
    told = ngettext(
        "The round is open: %(n)s pair to settle.",
        "The round is open: %(n)s pairs to settle.",
        count,
    )
    messages.success(request, told % {"n": number_format(count, force_grouping=True)})
    return redirect("adjudication", campaign.slug)


@require_POST
def round_end_view(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """End a round, or with ``only=agreed`` take out of it what is agreed by now."""
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    plan = get_object_or_404(campaign.plans, pk=pk, kind=Plan.Kind.ADJUDICATE)
    agreed = request.POST.get("only") == "agreed"
    count = (remove_agreed_pairs if agreed else end_round)(actor=request.user, plan=plan)
    told = ngettext(
        "%(n)s pair was waiting; the round is ended.",
        "%(n)s pairs were waiting; the round is ended.",
        count,
    )
    if agreed:
        told = ngettext("%(n)s pair left the round.", "%(n)s pairs left the round.", count)
    messages.success(request, told % {"n": number_format(count, force_grouping=True)})
    return redirect("adjudication", campaign.slug)


@require_safe
def disputes_view(request: SignedInRequest, slug: str) -> HttpResponse:
    """Every pair in disagreement as CSV, with each assessor's grade."""
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    found = list_disagreements(campaign)
    names = sorted({name for each in found for name in each.grades})
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(
        ["topic", "docno", "apart", "crosses_relevance", "state", "adjudicated", *names]
    )
    for each in found:
        grades = [each.grades.get(name, "") for name in names]
        settled = "" if each.adjudicated is None else each.adjudicated
        crosses = int(each.crosses)
        writer.writerow([*each.pair, each.size, crosses, each.state, settled, *grades])
    return attachment_response(out.getvalue(), f"{slug}-disagreements.csv")


def render_adjudication_overview(
    request: SignedInRequest, campaign: Campaign, form: RoundForm
) -> HttpResponse:
    manages = is_organizer_anywhere(request.user, campaign)
    found = list_disagreements(campaign) if manages else []
    disputed = {each.pair for each in found}
    agreed = (
        [pair for pair in list_waiting_pairs(campaign) if pair not in disputed] if manages else []
    )
    judged = campaign.judgments.exists()
    context = {
        "campaign": campaign,
        "crumbs": [(_("Adjudication"), None)],
        "form": form,
        "manages": manages,
        "works": request.user.has_perm("campaigns.adjudicate", campaign),
        "mine": own_adjudication_progress(campaign, request.user),
        "found": found,
        "states": [(STATES[state], count) for state, count in count_by_state(found).items()],
        "sizes": disagreements_by_distance(found),
        "rounds": list_rounds(campaign, agreed) if manages else [],
        "people": list_adjudicators(campaign),
        "judged": judged,
    }
    return render(request, "judging/adjudication.html", context)


def disagreements_by_distance(found: list[Disagreement]) -> list[tuple[int, int, int, int, int]]:
    """By grades apart: pairs, of these across the relevance level, settled, left to take up."""
    rows = []
    for size in sorted({each.size for each in found}, reverse=True):
        alike = [each for each in found if each.size == size]
        crossing = sum(each.crosses for each in alike)
        settled = sum(each.state == "settled" for each in alike)
        new = sum(each.state in ("new", "skipped") for each in alike)
        rows.append((size, len(alike), crossing, settled, new))
    return rows
