"""Qrels releases: the form with its preview, the list, one release, its text."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from campaigns import store
from campaigns.attachments import attachment
from campaigns.errors import Refused
from campaigns.models import Campaign
from campaigns.queries import campaign_for
from campaigns.views.signed_in import SignedIn
from judging.core.policies import POLICIES
from judging.forms import ReleaseForm
from judging.services.qrels import SHOWN, preview, release_qrels, verify


@require_http_methods(["GET", "POST"])
def qrels_list(request: SignedIn, slug: str) -> HttpResponse:
    """All releases, and the form for the next; ``?policy=`` previews a policy."""
    campaign = campaign_for(request.user, slug, "campaigns.manage")
    if request.method == "GET":
        policy = request.GET.get("policy", "")
        policy = policy if policy in POLICIES else usual_policy(campaign)
        return list_page(request, campaign, ReleaseForm(initial={"policy": policy}), policy)
    form = ReleaseForm(request.POST)
    if not form.is_valid():
        return list_page(request, campaign, form, usual_policy(campaign))
    chosen = form.cleaned_data
    if "preview" in request.POST:
        return list_page(request, campaign, ReleaseForm(initial=chosen), chosen["policy"])
    try:
        made = release_qrels(actor=request.user, campaign=campaign, **chosen)
    except Refused as refused:
        form.add_error(None, str(refused))
        return list_page(request, campaign, form, chosen["policy"])
    messages.success(request, f"Released {made}: {made.pairs:,} pairs.")
    return redirect(made)


def usual_policy(campaign: Campaign) -> str:
    """What is offered first: where a pair gets several judgments, they may differ."""
    return "majority" if campaign.plans.filter(overlap__gt=1).exists() else "single"


@require_safe
def qrels_view(request: SignedIn, slug: str, version: int) -> HttpResponse:
    """One release with its manifest; ``?verify=1`` makes it again from the log."""
    campaign = campaign_for(request.user, slug, "campaigns.manage")
    qrels = get_object_or_404(campaign.qrels.select_related("released_by"), version=version)
    values = [str(grade.value) for grade in campaign.grades.all()]
    topics = [
        (topic, [counts.get(value, 0) for value in values], sum(counts.values()))
        for topic, counts in qrels.manifest["topics"].items()
    ]
    context = {
        "campaign": campaign,
        "crumbs": [("Qrels", "../"), (f"Release {version}", None)],
        "qrels": qrels,
        "told": qrels.manifest,
        "policy": POLICIES[qrels.policy].card,
        "grades": {grade.value: grade for grade in campaign.grades.all()},
        "topics": topics,
        "verified": verify(qrels) if "verify" in request.GET else None,
    }
    return render(request, "judging/qrels.html", context)


@require_safe
def qrels_download(request: SignedIn, slug: str, version: int) -> HttpResponse:
    campaign = campaign_for(request.user, slug, "campaigns.manage")
    qrels = get_object_or_404(campaign.qrels, version=version)
    return attachment(store.get(qrels.path), f"{slug}-qrels-{version}.txt")


def list_page(
    request: SignedIn, campaign: Campaign, form: ReleaseForm, policy: str
) -> HttpResponse:
    draft = preview(actor=request.user, campaign=campaign, policy=policy)
    context = {
        "campaign": campaign,
        "crumbs": [("Qrels", None)],
        "form": form,
        "policy": policy,
        "cards": [found.card for found in POLICIES.values()],
        "chosen": POLICIES[policy].card,
        "releases": campaign.qrels.select_related("released_by"),
        "draft": draft,
        "counts": [(value, count, 100 * count / len(draft.rows))
                   for value, count in draft.grades.items()],
        "judged": len(draft.ballots),
        "conflicts": draft.conflicts[:SHOWN],
        "grades": {grade.value: grade for grade in campaign.grades.all()},
    }  # fmt: skip
    return render(request, "judging/qrels_list.html", context)
