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

from campaigns.attachments import attachment
from campaigns.errors import Refused
from campaigns.models import Campaign
from campaigns.queries import campaign_for
from campaigns.rules import organizes
from campaigns.views.signed_in import SignedIn
from judging.adjudication_forms import RoundForm
from judging.models import Plan
from judging.queries.adjudication import (
    STATES,
    Dispute,
    adjudicators,
    disputes,
    grades_told,
    my_round,
    rounds,
    waiting_pairs,
)
from judging.services.adjudication import drop_agreed, end_round, open_round, pairs_wanted


@require_safe
def adjudication(request: SignedIn, slug: str) -> HttpResponse:
    """For adjudicators their work; for organizers the disagreements and the rounds."""
    campaign = campaign_for(request.user, slug, "campaigns.settle")
    return overview(request, campaign, RoundForm(campaign))


@require_POST
def round_open(request: SignedIn, slug: str) -> HttpResponse:
    campaign = campaign_for(request.user, slug, "campaigns.manage")
    form = RoundForm(campaign, request.POST)
    if not form.is_valid():
        return overview(request, campaign, form)
    chosen = form.cleaned_data
    wanted = pairs_wanted(campaign, apart=chosen["apart"], crossing=chosen["crossing"])
    try:
        made = open_round(
            actor=request.user, campaign=campaign, pairs=wanted,
            adjudicators=chosen["adjudicators"], blind=chosen["blind"],
        )  # fmt: skip
    except Refused as refused:
        form.add_error(None, str(refused))
        return overview(request, campaign, form)
    count = made.slots.count()
    told = ngettext(
        "The round is open: %(n)s pair to settle.",
        "The round is open: %(n)s pairs to settle.",
        count,
    )
    messages.success(request, told % {"n": number_format(count, force_grouping=True)})
    return redirect("adjudication", campaign.slug)


@require_POST
def round_end(request: SignedIn, slug: str, pk: int) -> HttpResponse:
    """End a round, or with ``only=agreed`` take out of it what is agreed by now."""
    campaign = campaign_for(request.user, slug, "campaigns.manage")
    plan = get_object_or_404(campaign.plans, pk=pk, kind=Plan.Kind.ADJUDICATE)
    agreed = request.POST.get("only") == "agreed"
    count = (drop_agreed if agreed else end_round)(actor=request.user, plan=plan)
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
def disputes_file(request: SignedIn, slug: str) -> HttpResponse:
    """Every pair in disagreement as CSV, with each assessor's grade."""
    campaign = campaign_for(request.user, slug, "campaigns.manage")
    found = disputes(campaign)
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
    return attachment(out.getvalue(), f"{slug}-disagreements.csv")


def overview(request: SignedIn, campaign: Campaign, form: RoundForm) -> HttpResponse:
    manages = organizes(request.user, campaign)
    found = disputes(campaign) if manages else []
    disputed = {each.pair for each in found}
    agreed = [pair for pair in waiting_pairs(campaign) if pair not in disputed] if manages else []
    judged = campaign.judgments.exists()
    context = {
        "campaign": campaign,
        "crumbs": [(_("Adjudication"), None)],
        "form": form,
        "manages": manages,
        "works": request.user.has_perm("campaigns.adjudicate", campaign),
        "mine": my_round(campaign, request.user),
        "found": found,
        "states": [(STATES[state], count) for state, count in grades_told(found).items()],
        "sizes": sizes_of(found),
        "rounds": rounds(campaign, agreed) if manages else [],
        "people": adjudicators(campaign),
        "judged": judged,
    }
    return render(request, "judging/adjudication.html", context)


def sizes_of(found: list[Dispute]) -> list[tuple[int, int, int, int, int]]:
    """By grades apart: pairs, of these across the relevance level, settled, left to take up."""
    rows = []
    for size in sorted({each.size for each in found}, reverse=True):
        alike = [each for each in found if each.size == size]
        crossing = sum(each.crosses for each in alike)
        settled = sum(each.state == "settled" for each in alike)
        new = sum(each.state in ("new", "skipped") for each in alike)
        rows.append((size, len(alike), crossing, settled, new))
    return rows
