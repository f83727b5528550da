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

from campaigns.errors import ActionRefused
from campaigns.models import Campaign, Topic
from campaigns.queries import get_campaign_for
from campaigns.rules import is_organizer_anywhere
from campaigns.views.helpers import SignedInRequest
from judging.adjudication_forms import SettleForm
from judging.queries.adjudication import (
    Disagreement,
    current_decision,
    list_anonymous_judgments,
    list_disagreements,
    open_pairs_for,
)
from judging.queries.judgments import Pair
from judging.queries.screen import find_document
from judging.services.adjudication import record_meeting_decision, withdraw_decision
from judging.views.judging_screen import JudgingDocument, grades_by_value

PAGE = 50
NAMES = ("topic", "one", "other", "apart", "show")


@dataclass(frozen=True)
class DisagreementFilter:
    """Which disagreements are listed: of a topic, of one or two assessors, how far apart."""

    topic: str = ""
    one: str = ""
    other: str = ""
    apart: int = 1
    show: str = "unsettled"

    def wants(self, each: Disagreement) -> bool:
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


def parse_disagreement_filter(asked: Mapping[str, str], *, names: bool) -> DisagreementFilter:
    """``names``: may the disagreements of named assessors be asked for?"""
    apart = asked.get("apart", "")
    return DisagreementFilter(
        topic=asked.get("of", ""),
        one=asked.get("one", "") if names else "",
        other=asked.get("other", "") if names else "",
        apart=int(apart) if apart.isdecimal() and len(apart) < 3 and int(apart) else 1,
        show="all" if asked.get("show") == "all" else "unsettled",
    )


@require_safe
def consensus_view(request: SignedInRequest, slug: str) -> HttpResponse:
    """The disagreements, the farthest apart first, to be opened one by one."""
    campaign = get_campaign_for(request.user, slug, "campaigns.settle")
    names = is_organizer_anywhere(request.user, campaign)
    chosen = parse_disagreement_filter(request.GET, names=names)
    everything = visible_disagreements(request, campaign, 1)
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
        "grades": grades_by_value(campaign),
        "page_obj": Paginator(found, PAGE).get_page(request.GET.get("page")),
    }
    return render(request, "judging/meeting.html", context)


@never_cache
@require_http_methods(["GET", "POST"])
def meeting_pair_view(request: SignedInRequest, slug: str) -> HttpResponse:
    """All sides of the pair ``?topic=&docno=``; a post is the decision and leads to the next."""
    campaign = get_campaign_for(request.user, slug, "campaigns.settle")
    topic = get_object_or_404(campaign.topics, number=request.GET.get("topic", ""))
    docno = request.GET.get("docno", "")
    names = is_organizer_anywhere(request.user, campaign)
    told = list_anonymous_judgments(campaign, topic, docno)
    if not told or (not names and (topic.number, docno) in open_pairs_for(request.user, campaign)):
        raise Http404("no pair to settle")
    chosen = parse_disagreement_filter(request.GET, names=names)
    if request.method == "POST":
        return save_meeting_decision(request, campaign, topic, docno, chosen)
    return render(
        request,
        "judging/meeting_pair.html",
        pair_context(request, campaign, topic, docno, chosen) | {"sides": told, "manages": names},
    )


@require_POST
def consensus_undo_view(request: SignedInRequest, slug: str) -> HttpResponse:
    """Take one's own decision on a pair back, and show the pair again."""
    campaign = get_campaign_for(request.user, slug, "campaigns.settle")
    topic = get_object_or_404(campaign.topics, number=request.POST.get("topic", ""))
    docno = request.POST.get("docno", "")
    try:
        uuid = UUID(request.POST.get("client_uuid", ""))
    except ValueError:
        uuid = uuid4()
    try:
        withdraw_decision(
            actor=request.user, campaign=campaign, topic=topic, docno=docno, client_uuid=uuid
        )
    except ActionRefused as refused:
        messages.error(request, str(refused))
    chosen = parse_disagreement_filter(
        request.POST, names=is_organizer_anywhere(request.user, campaign)
    )
    return redirect(meeting_pair_url(campaign, (topic.number, docno), chosen))


def save_meeting_decision(
    request: SignedInRequest,
    campaign: Campaign,
    topic: Topic,
    docno: str,
    chosen: DisagreementFilter,
) -> HttpResponse:
    form = SettleForm(request.POST)
    here = (topic.number, docno)
    after = next_unresolved_pair(request, campaign, here, chosen)
    if not form.is_valid() or form.cleaned_data["docno"] != docno:
        messages.error(request, _("Not saved: the form was incomplete. Judge again."))
        return redirect(meeting_pair_url(campaign, here, chosen))
    said = form.cleaned_data
    try:
        record_meeting_decision(
            actor=request.user, campaign=campaign, topic=topic, docno=docno,
            grade=said["grade"], client_uuid=said["client_uuid"], note=said["comment"],
        )  # fmt: skip
    except ActionRefused as refused:
        messages.error(request, _("Not saved. %(why)s") % {"why": refused})
        return redirect(meeting_pair_url(campaign, here, chosen))
    if after is None:
        messages.success(request, _("Settled. No other pair of this list waits."))
        return redirect(f"{reverse('consensus', args=[campaign.slug])}?{chosen.query}")
    return redirect(meeting_pair_url(campaign, after, chosen))


def visible_disagreements(
    request: SignedInRequest, campaign: Campaign, apart: int
) -> list[Disagreement]:
    """The disagreements without those that the user may still be asked to judge."""
    found = list_disagreements(campaign, apart=apart)
    if is_organizer_anywhere(request.user, campaign):
        return found
    hidden = open_pairs_for(request.user, campaign)
    return [each for each in found if each.pair not in hidden]


def next_unresolved_pair(
    request: SignedInRequest, campaign: Campaign, here: Pair, chosen: DisagreementFilter
) -> Pair | None:
    """The next unsettled pair of the list after ``here``, from the top again at its end."""
    found = [each for each in visible_disagreements(request, campaign, chosen.apart)
             if each.pair == here or (chosen.wants(each) and each.state != "settled")]  # fmt: skip
    pairs = [each.pair for each in found]
    at = pairs.index(here) if here in pairs else -1
    around = pairs[at + 1 :] + pairs[: max(at, 0)]
    return around[0] if around else None


def meeting_pair_url(campaign: Campaign, pair: Pair, chosen: DisagreementFilter) -> str:
    place = urlencode({"topic": pair[0], "docno": pair[1]})
    return f"{reverse('meeting-pair', args=[campaign.slug])}?{place}&{chosen.query}"


def pair_context(
    request: SignedInRequest,
    campaign: Campaign,
    topic: Topic,
    docno: str,
    chosen: DisagreementFilter,
) -> dict[str, Any]:
    here = (topic.number, docno)
    decided = current_decision(campaign, topic, docno)
    after = next_unresolved_pair(request, campaign, here, chosen)
    listed = f"{reverse('consensus', args=[campaign.slug])}?{chosen.query}"
    return {
        "campaign": campaign,
        "screen": {"rationale": "no", "recent": (), "new_guidelines": False},
        "topic": topic,
        "paper": JudgingDocument(topic, docno, find_document(campaign, docno)),
        "decided": decided,
        "own": decided is not None and decided.assessor == request.user,
        "here_url": meeting_pair_url(campaign, here, chosen),
        "next_url": meeting_pair_url(campaign, after, chosen) if after else "",
        "home_url": listed,
        "chosen": chosen,
        "undo_uuid": uuid4(),
        "grades": grades_by_value(campaign),
    }
