"""The consensus meeting: the list of disagreements, all judgments of a pair, the decision."""

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlencode
from uuid import UUID, uuid4

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from campaigns.errors import ActionRefused
from campaigns.models import Campaign, Topic
from campaigns.queries.lists import get_campaign_for
from campaigns.rules import is_organizer_anywhere
from campaigns.views.helpers import SignedInRequest, read_digits
from campaigns.views.pages import render_page
from campaigns.views.row_filters import filter_rows
from judging.forms.adjudication import ConsensusForm
from judging.queries.adjudication import (
    STATES,
    Disagreement,
    current_decision,
    list_anonymous_judgments,
    list_disagreements,
    open_pairs_for,
)
from judging.queries.judgments import Pair
from judging.queries.notebook import list_notes_of_all
from judging.queries.screen import find_document
from judging.services.adjudication import record_meeting_decision, withdraw_decision
from judging.views.judging_screen import JudgingDocument, grades_by_value
from poolbench.files.natural_sort import sort_naturally
from poolbench.shared_reads import share_reads

PAGE = 50


@dataclass(frozen=True)
class DisagreementFilter:
    """Which disagreements are listed: topic, one or two assessors, minimum grade difference, and
    state (a name of ``STATES``).
    """

    topic: str = ""
    assessor: str = ""
    against: str = ""
    difference: int = 1
    state: str = ""

    def matches(self, row: Disagreement) -> bool:
        names = [name for name in (self.assessor, self.against) if name]
        if self.topic and row.topic != self.topic:
            return False
        if any(name not in row.grades for name in names):
            return False
        return len({*names}) < 2 or row.grades[self.assessor] != row.grades[self.against]

    @property
    def query(self) -> str:
        """The filter as query parameters."""
        parameters = {
            "of": self.topic, "one": self.assessor, "other": self.against, "state": self.state,
        }  # fmt: skip
        return urlencode({name: value for name, value in parameters.items() if value} | {
            "apart": self.difference
        })  # fmt: skip


def parse_disagreement_filter(query: Mapping[str, str], *, names: bool) -> DisagreementFilter:
    """``names``: may the user filter by assessor?"""
    return DisagreementFilter(
        topic=query.get("of", ""),
        assessor=query.get("one", "") if names else "",
        against=query.get("other", "") if names else "",
        difference=read_digits(query.get("apart", ""), 2) or 1,
        state=query["state"] if query.get("state") in STATES else "",
    )


@require_safe
@share_reads
def consensus_view(request: SignedInRequest, slug: str) -> HttpResponse:
    """The list of disagreements, largest grade difference first, resolved ones last."""
    campaign = get_campaign_for(request.user, slug, "campaigns.settle")
    names = is_organizer_anywhere(request.user, campaign)
    selection = parse_disagreement_filter(request.GET, names=names)
    everything = visible_disagreements(request, campaign, 1)
    matching = [
        row for row in everything if row.size >= selection.difference and selection.matches(row)
    ]
    matching.sort(key=lambda row: row.state == "settled")
    disagreements, states = filter_rows(
        request, matching, lambda row: row.state,
        parameter="state", label=_("State"), labels={k: str(v) for k, v in STATES.items()},
    )  # fmt: skip
    page = {
        "campaign": campaign,
        "selection": selection,
        "manages": names,
        "disagreements": disagreements,
        "states": states,
        "everything": everything,
        "topics": sort_naturally({row.topic for row in everything}),
        "people": sorted({name for row in everything for name in row.grades}) if names else [],
        "sizes": range(1, max(2, campaign.grades.count())),
        "grades": grades_by_value(campaign),
        "page_obj": Paginator(disagreements, PAGE).get_page(request.GET.get("page")),
    }
    return render_page(request, "judging/consensus.html", page)


@never_cache
@require_http_methods(["GET", "POST"])
def consensus_pair_view(request: SignedInRequest, slug: str) -> HttpResponse:
    """All judgments of the pair ``?topic=&docno=``; a post is the decision, then the next pair."""
    campaign = get_campaign_for(request.user, slug, "campaigns.settle")
    topic = get_object_or_404(campaign.topics, number=request.GET.get("topic", ""))
    docno = request.GET.get("docno", "")
    names = is_organizer_anywhere(request.user, campaign)
    judgments = list_anonymous_judgments(campaign, topic, docno)
    if not judgments or (
        not names and (topic.number, docno) in open_pairs_for(request.user, campaign)
    ):
        raise Http404("no pair to adjudicate")
    selection = parse_disagreement_filter(request.GET, names=names)
    if request.method == "POST":
        return save_consensus(request, campaign, topic, docno, selection)
    here, decision = (topic.number, docno), current_decision(campaign, topic, docno)
    following = next_unresolved_pair(request, campaign, here, selection)
    page = {
        "campaign": campaign,
        # What the meeting needs of a ``JudgingScreen``.
        "screen": {"rationale": "no", "recent": (), "new_guidelines": False},
        "topic": topic,
        "notes": list_notes_of_all(topic),
        "document": JudgingDocument(topic, docno, find_document(campaign, docno)),
        "decision": decision,
        "own": decision is not None and decision.assessor == request.user,
        "here_url": consensus_pair_url(campaign, here, selection),
        "next_url": consensus_pair_url(campaign, following, selection) if following else "",
        "home_url": f"{reverse('consensus', args=[campaign.slug])}?{selection.query}",
        "selection": selection,
        "undo_uuid": uuid4(),
        "grades": grades_by_value(campaign),
        "judgments": judgments,
        "manages": names,
    }
    return render_page(request, "judging/consensus_pair.html", page)


@require_POST
def consensus_undo_view(request: SignedInRequest, slug: str) -> HttpResponse:
    """Undo one's own decision on a pair and show the pair again."""
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
    selection = parse_disagreement_filter(
        request.POST, names=is_organizer_anywhere(request.user, campaign)
    )
    return redirect(consensus_pair_url(campaign, (topic.number, docno), selection))


def save_consensus(
    request: SignedInRequest,
    campaign: Campaign,
    topic: Topic,
    docno: str,
    selection: DisagreementFilter,
) -> HttpResponse:
    form = ConsensusForm(request.POST)
    here = (topic.number, docno)
    following = next_unresolved_pair(request, campaign, here, selection)
    if not form.is_valid() or form.cleaned_data["docno"] != docno:
        messages.error(request, _("Not saved: the form was incomplete. Judge again."))
        return redirect(consensus_pair_url(campaign, here, selection))
    fields = form.cleaned_data
    try:
        record_meeting_decision(
            actor=request.user, campaign=campaign, topic=topic, docno=docno,
            grade=fields["grade"], client_uuid=fields["client_uuid"], note=fields["comment"],
        )  # fmt: skip
    except ActionRefused as refused:
        messages.error(request, _("Not saved. %(why)s") % {"why": refused})
        return redirect(consensus_pair_url(campaign, here, selection))
    if following is None:
        messages.success(request, _("Decision saved. No unresolved pairs left in this list."))
        return redirect(f"{reverse('consensus', args=[campaign.slug])}?{selection.query}")
    return redirect(consensus_pair_url(campaign, following, selection))


def visible_disagreements(
    request: SignedInRequest, campaign: Campaign, difference: int
) -> list[Disagreement]:
    """The disagreements, except pairs that the user may still have to judge."""
    disagreements = list_disagreements(campaign, min_difference=difference)
    if is_organizer_anywhere(request.user, campaign):
        return disagreements
    hidden = open_pairs_for(request.user, campaign)
    return [row for row in disagreements if row.pair not in hidden]


def next_unresolved_pair(
    request: SignedInRequest, campaign: Campaign, here: Pair, selection: DisagreementFilter
) -> Pair | None:
    """The next unresolved pair of the list after ``here``; wraps around at its end."""
    pairs = [
        row.pair
        for row in visible_disagreements(request, campaign, selection.difference)
        if row.pair == here or (selection.matches(row) and row.state != "settled")
    ]
    at = pairs.index(here) if here in pairs else -1
    following = pairs[at + 1 :] + pairs[: max(at, 0)]
    return following[0] if following else None


def consensus_pair_url(campaign: Campaign, pair: Pair, selection: DisagreementFilter) -> str:
    query = urlencode({"topic": pair[0], "docno": pair[1]})
    return f"{reverse('consensus-pair', args=[campaign.slug])}?{query}&{selection.query}"
