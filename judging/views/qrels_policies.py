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
from campaigns.views.snapshots import SnapshotNotice, build_snapshot_notice
from judging.core.aggregation.formats import RECORDS
from judging.core.policies import get_policy
from judging.core.policy_comparison import COMPARISON_FORMATS, PolicyComparison, PolicySummary
from judging.services.policy_comparison import (
    MOST_LABELS,
    get_policy_comparison,
    load_policy_comparison,
)


@dataclass(frozen=True)
class QrelsPoliciesPage:
    campaign: Campaign
    comparison: PolicyComparison | None
    summaries: Sequence[tuple[Card, PolicySummary, list[int]]]
    differences: Sequence[tuple[str, list[tuple[str, int | None]]]]
    skipped: Sequence[str]
    most: int
    grades: dict[int, Grade]
    state: SnapshotNotice


@require_safe
def qrels_policies_view(request: SignedInRequest, slug: str) -> HttpResponse:
    """Grades under each policy, how unsure it is, and the pairs that differ between any two."""
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    compared = get_policy_comparison(campaign)
    comparison = compared.comparison
    page = QrelsPoliciesPage(
        campaign=campaign,
        comparison=comparison,
        summaries=list_summaries(comparison) if comparison else [],
        differences=comparison.list_differences() if comparison else [],
        skipped=compared.skipped,
        most=MOST_LABELS,
        grades={grade.value: grade for grade in campaign.grades.all()},
        state=build_snapshot_notice(campaign, compared),
    )
    return render_page(request, "judging/qrels_policies.html", page)


def list_summaries(comparison: PolicyComparison) -> list[tuple[Card, PolicySummary, list[int]]]:
    return [
        (get_policy(row.name).card, row, [row.grades.get(value, 0) for value in comparison.scale])
        for row in comparison.policies
    ]


@require_safe
def qrels_policies_download_view(request: SignedInRequest, slug: str, fmt: str) -> HttpResponse:
    """The same as a file."""
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    comparison, computed_at = load_policy_comparison(campaign)
    name = f"{slug}-policies.{fmt}"
    return report_response(
        name, COMPARISON_FORMATS, comparison, computed_at.isoformat(timespec="seconds")
    )


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
