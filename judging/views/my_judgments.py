"""My judgments: the list with its filter, and the desk's queue to look at its documents again."""

from dataclasses import dataclass
from datetime import date

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.dateparse import parse_date
from django.views.decorators.http import require_POST, require_safe

from campaigns.errors import ActionRefused
from campaigns.models import Campaign, User
from campaigns.queries.lists import get_campaign_for
from campaigns.views.helpers import SignedInRequest
from campaigns.views.pages import render_page
from judging.queries.own_judgments import KINDS, OwnJudgments, list_own_judgments
from judging.queries.screen import list_assessor_topics
from judging.services.reviews import MOST_DOCUMENTS, start_own_review
from judging.views.judging_screen import grades_by_value
from judging.views.reviews import find_review
from poolbench.shared_reads import share_reads

PAGE = 50


@dataclass(frozen=True)
class OwnFilter:
    """What of the own judgments is listed; empty texts select nothing."""

    topic: str = ""
    grade: str = ""
    kind: str = ""
    since: str = ""

    @classmethod
    def read(cls, query: QueryDict) -> "OwnFilter":
        return cls(**{name: query.get(name, "") for name in ("topic", "grade", "kind", "since")})

    def __bool__(self) -> bool:
        return any(vars(self).values())

    def select(self, campaign: Campaign, actor: User) -> OwnJudgments:
        """The judgments of ``actor``, newest first."""
        rows = list_own_judgments(campaign, actor)
        if self.topic:
            rows = rows.select_topic(self.topic)
        if self.grade == "skip":
            rows = rows.select_skips()
        elif self.grade in {str(value) for value in grades_by_value(campaign)}:
            rows = rows.select_grade(int(self.grade))
        if self.kind in KINDS:
            rows = rows.select_kind(self.kind)
        day = read_day(self.since)
        return rows if day is None else rows.select_since(day)


def read_day(text: str) -> date | None:
    """A date as in ``2026-11-28``; None for anything else."""
    try:
        return parse_date(text)
    except ValueError:
        return None


@require_safe
@share_reads
def my_judgments_view(request: SignedInRequest, slug: str) -> HttpResponse:
    """The assessor's judgments, newest first, filtered."""
    campaign = get_campaign_for(request.user, slug, "campaigns.judge")
    filters = OwnFilter.read(request.GET)
    page = {
        "campaign": campaign,
        "page_obj": Paginator(filters.select(campaign, request.user), PAGE).get_page(
            request.GET.get("page")
        ),
        "filters": filters,
        "kinds": KINDS,
        "most": MOST_DOCUMENTS,
        "topics": [row.topic for row in list_assessor_topics(campaign, request.user)],
        "grades": grades_by_value(campaign),
    }
    return render_page(request, "judging/my_judgments.html", page)


@require_POST
def my_review_view(request: SignedInRequest, slug: str) -> HttpResponse:
    """Look at the filtered judgments again: the desk with the first of them."""
    campaign = get_campaign_for(request.user, slug, "campaigns.judge")
    rows = OwnFilter.read(request.POST).select(campaign, request.user)
    pairs = rows.list_pairs(MOST_DOCUMENTS)
    try:
        review = start_own_review(actor=request.user, campaign=campaign, documents=pairs)
    except ActionRefused as refused:
        messages.error(request, str(refused))
        return redirect("my-judgments", slug)
    notice = find_review(campaign, request.user, str(review.pk))
    first = next((link.url for link in notice.links if link.url), "") if notice else ""
    return redirect(first or reverse("work", args=[slug]))
