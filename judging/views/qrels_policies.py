"""Crowd policies side by side, and the files that they keep with a qrels version."""

from __future__ import annotations

from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_safe

from campaigns import store
from campaigns.api.attachments import attachment_response, report_response
from campaigns.queries.lists import get_campaign_for
from campaigns.services.snapshots import compute_report, find_report, get_report
from campaigns.views.helpers import SignedInRequest
from campaigns.views.pages import render_page
from judging.services.policy_comparison import MOST_LABELS, POLICIES
from poolbench.cards import Card
from poolbench.judging.aggregation.formats import RECORDS
from poolbench.judging.policies import get_policy
from poolbench.judging.policy_comparison import COMPARISON_FORMATS, PolicyComparison, PolicySummary


@require_safe
def qrels_policies_view(request: SignedInRequest, slug: str) -> HttpResponse:
    """Grades under each policy, how unsure it is, and the pairs that differ between any two."""
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    current = get_report(campaign, POLICIES)
    comparison: PolicyComparison | None = current.report
    page = {
        "campaign": campaign,
        "comparison": comparison,
        "summaries": list_summaries(comparison) if comparison else [],
        "differences": comparison.list_differences() if comparison else [],
        "skipped": comparison.skipped if comparison else (),
        "most": MOST_LABELS,
        "grades": {grade.value: grade for grade in campaign.grades.all()},
        "state": current,
    }
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
    # The latest one, as of its time; computed here only if there is none.
    stored = find_report(campaign, POLICIES) or compute_report(campaign, POLICIES)
    as_of = stored.computed_at.isoformat(timespec="seconds") if stored.computed_at else ""
    return report_response(f"{slug}-policies.{fmt}", COMPARISON_FORMATS, stored.report, as_of)


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
