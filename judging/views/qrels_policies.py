"""Crowd policies side by side, and the files that they keep with a qrels version."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_safe

from campaigns import store
from campaigns.api.attachments import attachment_response, report_response
from campaigns.core.cards import Card
from campaigns.models import Campaign, Grade
from campaigns.queries.lists import get_campaign_for
from campaigns.views.helpers import SignedInRequest
from campaigns.views.pages import render_page
from judging.core.aggregation.formats import RECORDS
from judging.core.policies import ADJUDICATED
from judging.core.policy_comparison import (
    COMPARISON_FORMATS,
    PolicyComparison,
    PolicySummary,
    compare_policies,
)
from judging.models import Purpose
from judging.queries.qrels_versions import list_crowd_rules
from judging.services.qrels import preview_policies

ALWAYS = ("majority", "median-floor")
"""Policies that decide pair by pair, beside those for all pairs together."""
MOST_LABELS = 30_000
"""With more labels, slow models are not compared on the page."""


@dataclass(frozen=True)
class QrelsPoliciesPage:
    campaign: Campaign
    comparison: PolicyComparison
    cards: dict[str, Card]
    summaries: list[tuple[Card, PolicySummary, list[int]]]
    differences: list[tuple[str, list[tuple[str, int | None]]]]
    skipped: list[str]
    most: int
    grades: dict[int, Grade]


@require_safe
def qrels_policies_view(request: SignedInRequest, slug: str) -> HttpResponse:
    """Grades under each policy, how unsure it is, and the pairs that differ between any two."""
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    comparison, cards, skipped = load_policy_comparison(request, campaign)
    page = QrelsPoliciesPage(
        campaign=campaign,
        comparison=comparison,
        cards=cards,
        summaries=[
            (cards[row.name], row, [row.grades.get(value, 0) for value in comparison.scale])
            for row in comparison.policies
        ],
        differences=comparison.list_differences(),
        skipped=skipped,
        most=MOST_LABELS,
        grades={grade.value: grade for grade in campaign.grades.all()},
    )
    return render_page(request, "judging/qrels_policies.html", page)


@require_safe
def qrels_policies_download_view(request: SignedInRequest, slug: str, fmt: str) -> HttpResponse:
    """The same as a file."""
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    comparison, _, _ = load_policy_comparison(request, campaign)
    return report_response(f"{slug}-policies.{fmt}", COMPARISON_FORMATS, comparison)


def load_policy_comparison(
    request: SignedInRequest, campaign: Campaign
) -> tuple[PolicyComparison, dict[str, Card], list[str]]:
    """The policies compared, their cards, and the names of those left out as too slow."""
    rules = list_crowd_rules(campaign)
    if campaign.judgments.filter(purpose=Purpose.JUDGE).count() > MOST_LABELS:
        skipped = [rule.card.name for rule in rules if rule.model.slow]
    else:
        skipped = []
    names = [*ALWAYS, *(rule.card.name for rule in rules if rule.card.name not in skipped)]
    adjudicated = campaign.judgments.filter(purpose=Purpose.ADJUDICATE).exists()
    offered = add_adjudicated(names) if adjudicated else names
    drafts = preview_policies(actor=request.user, campaign=campaign, policies=offered)
    comparison = compare_policies({draft.policy.name: draft.outcome for draft in drafts})
    return comparison, {draft.policy.name: draft.policy.card for draft in drafts}, skipped


def add_adjudicated(names: Sequence[str]) -> list[str]:
    """The policies in which adjudications override the rules."""
    return [ADJUDICATED + name for name in names]


@require_safe
def qrels_aggregation_view(
    request: SignedInRequest, slug: str, version: int, records: str
) -> HttpResponse:
    """The posterior of each pair, or the workers, as kept with the version."""
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    qrels = get_object_or_404(campaign.qrels, version=version)
    aggregation = qrels.manifest.get("aggregation")
    if aggregation is None or records not in RECORDS:
        raise Http404("no such file")
    name = f"{slug}-qrels-{version}-{records}.csv"
    return attachment_response(store.get_blob(aggregation[f"{records}_file"]), name)
