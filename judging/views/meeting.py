"""The meeting: disagreements in a list, all sides of a pair, and what was agreed on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode
from uuid import UUID, uuid4

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from campaigns.errors import Refused
from campaigns.models import Campaign, Topic
from campaigns.queries import campaign_for
from campaigns.rules import organizes
from campaigns.views.signed_in import SignedIn
from judging.adjudication_forms import SettleForm
from judging.queries.adjudication import (
    Dispute,
    disputes,
    sides,
    standing_decision,
    yet_to_judge,
)
from judging.queries.judgments import Pair
from judging.queries.screen import document_of
from judging.services.adjudication import reconsider, settle
from judging.views.screens import Paper, scale_of

PAGE = 50
NAMES = ("topic", "one", "other", "apart", "show")


@dataclass(frozen=True)
class Filter:
    """Which disagreements are listed: of a topic, of one or two assessors, how far apart."""

    topic: str = ""
    one: str = ""
    other: str = ""
    apart: int = 1
    show: str = "unsettled"

    def wants(self, each: Dispute) -> bool:
        named = [name for name in (self.one, self.other) if name]
        if self.topic and each.topic != self.topic:
            return False
        if self.show != "all" and each.state == "settled":
            return False
        if any(name not in each.grades for name in named):
            return False
        return len({*named}) < 2 or each.grades[self.one] != each.grades[self.other]

    @property
    def query(self) -> str:
        """The filter as the address carries it beside a pair."""
        told = {"of": self.topic, "one": self.one, "other": self.other, "show": self.show}
        return urlencode({name: value for name, value in told.items() if value} | {
            "apart": self.apart
        })  # fmt: skip


def filter_of(asked: Mapping[str, str], *, names: bool) -> Filter:
    """``names``: may the disagreements of named assessors be asked for?"""
    apart = asked.get("apart", "")
    return Filter(
        topic=asked.get("of", ""),
        one=asked.get("one", "") if names else "",
        other=asked.get("other", "") if names else "",
        apart=int(apart) if apart.isdecimal() and len(apart) < 3 and int(apart) else 1,
        show="all" if asked.get("show") == "all" else "unsettled",
    )


@require_safe
def meeting(request: SignedIn, slug: str) -> HttpResponse:
    """The disagreements, the farthest apart first, to be opened one by one."""
    campaign = campaign_for(request.user, slug, "campaigns.settle")
    names = organizes(request.user, campaign)
    chosen = filter_of(request.GET, names=names)
    everything = seen_by(request, campaign, 1)
    found = [each for each in everything if each.size >= chosen.apart and chosen.wants(each)]
    context = {
        "campaign": campaign,
        "crumbs": [(_("Adjudication"), "../"), (_("Meeting"), None)],
        "chosen": chosen,
        "manages": names,
        "found": found,
        "settled": sum(each.state == "settled" for each in everything),
        "everything": everything,
        "topics": sorted({each.topic for each in everything}),
        "people": sorted({name for each in everything for name in each.grades}) if names else [],
        "sizes": range(1, max(2, campaign.grades.count())),
        "grades": scale_of(campaign),
        "page_obj": Paginator(found, PAGE).get_page(request.GET.get("page")),
    }
    return render(request, "judging/meeting.html", context)


@never_cache
@require_http_methods(["GET", "POST"])
def pair(request: SignedIn, slug: str) -> HttpResponse:
    """All sides of the pair ``?topic=&docno=``; a post is the decision and leads to the next."""
    campaign = campaign_for(request.user, slug, "campaigns.settle")
    topic = get_object_or_404(campaign.topics, number=request.GET.get("topic", ""))
    docno = request.GET.get("docno", "")
    names = organizes(request.user, campaign)
    told = sides(campaign, topic, docno)
    if not told or (not names and (topic.number, docno) in yet_to_judge(request.user, campaign)):
        raise Http404("no pair to settle")
    chosen = filter_of(request.GET, names=names)
    if request.method == "POST":
        return settled(request, campaign, topic, docno, chosen)
    return render(
        request,
        "judging/meeting_pair.html",
        pair_context(request, campaign, topic, docno, chosen) | {"sides": told, "manages": names},
    )


@require_POST
def take_back(request: SignedIn, slug: str) -> HttpResponse:
    """Take one's own decision on a pair back, and show the pair again."""
    campaign = campaign_for(request.user, slug, "campaigns.settle")
    topic = get_object_or_404(campaign.topics, number=request.POST.get("topic", ""))
    docno = request.POST.get("docno", "")
    try:
        uuid = UUID(request.POST.get("client_uuid", ""))
    except ValueError:
        uuid = uuid4()
    try:
        reconsider(
            actor=request.user, campaign=campaign, topic=topic, docno=docno, client_uuid=uuid
        )
    except Refused as refused:
        messages.error(request, str(refused))
    chosen = filter_of(request.POST, names=organizes(request.user, campaign))
    return redirect(pair_url(campaign, (topic.number, docno), chosen))


def settled(
    request: SignedIn, campaign: Campaign, topic: Topic, docno: str, chosen: Filter
) -> HttpResponse:
    form = SettleForm(request.POST)
    here = (topic.number, docno)
    after = next_pair(request, campaign, here, chosen)
    if not form.is_valid() or form.cleaned_data["docno"] != docno:
        messages.error(request, _("Not saved: the form was incomplete. Judge again."))
        return redirect(pair_url(campaign, here, chosen))
    said = form.cleaned_data
    try:
        settle(
            actor=request.user, campaign=campaign, topic=topic, docno=docno,
            grade=said["grade"], client_uuid=said["client_uuid"], note=said["comment"],
        )  # fmt: skip
    except Refused as refused:
        messages.error(request, _("Not saved. %(why)s") % {"why": refused})
        return redirect(pair_url(campaign, here, chosen))
    if after is None:
        messages.success(request, _("Settled. No other pair of this list waits."))
        return redirect(f"{reverse('meeting', args=[campaign.slug])}?{chosen.query}")
    return redirect(pair_url(campaign, after, chosen))


def seen_by(request: SignedIn, campaign: Campaign, apart: int) -> list[Dispute]:
    """The disagreements without those that the user may still be asked to judge."""
    found = disputes(campaign, apart=apart)
    if organizes(request.user, campaign):
        return found
    hidden = yet_to_judge(request.user, campaign)
    return [each for each in found if each.pair not in hidden]


def next_pair(request: SignedIn, campaign: Campaign, here: Pair, chosen: Filter) -> Pair | None:
    """The next unsettled pair of the list after ``here``, from the top again at its end."""
    found = [each for each in seen_by(request, campaign, chosen.apart)
             if each.pair == here or (chosen.wants(each) and each.state != "settled")]  # fmt: skip
    pairs = [each.pair for each in found]
    at = pairs.index(here) if here in pairs else -1
    around = pairs[at + 1 :] + pairs[: max(at, 0)]
    return around[0] if around else None


def pair_url(campaign: Campaign, pair: Pair, chosen: Filter) -> str:
    place = urlencode({"topic": pair[0], "docno": pair[1]})
    return f"{reverse('meeting-pair', args=[campaign.slug])}?{place}&{chosen.query}"


def pair_context(
    request: SignedIn, campaign: Campaign, topic: Topic, docno: str, chosen: Filter
) -> dict[str, Any]:
    here = (topic.number, docno)
    decided = standing_decision(campaign, topic, docno)
    after = next_pair(request, campaign, here, chosen)
    listed = f"{reverse('meeting', args=[campaign.slug])}?{chosen.query}"
    return {
        "campaign": campaign,
        "screen": {"rationale": "no", "recent": (), "new_guidelines": False},
        "topic": topic,
        "paper": Paper(topic, docno, document_of(campaign, docno)),
        "decided": decided,
        "own": decided is not None and decided.assessor == request.user,
        "here_url": pair_url(campaign, here, chosen),
        "next_url": pair_url(campaign, after, chosen) if after else "",
        "home_url": listed,
        "chosen": chosen,
        "undo_uuid": uuid4(),
        "grades": scale_of(campaign),
    }
