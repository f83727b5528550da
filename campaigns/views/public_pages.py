"""The public page in Setup: its texts, and the acts that show it to everybody or take it down."""

from functools import partial

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods, require_POST

from campaigns.confirmation import Decision
from campaigns.forms.data_files import PublicPageForm
from campaigns.queries.confirmations.data_files import describe_page_publication
from campaigns.queries.lists import get_campaign_for
from campaigns.queries.public_page import find_public_page
from campaigns.services.public_page import edit_public_page, publish_page, withdraw_page
from campaigns.views.confirmation import confirm_act
from campaigns.views.helpers import SignedInRequest, collect_refusal
from campaigns.views.pages import render_page


@require_http_methods(["GET", "POST"])
def public_page_edit_view(request: SignedInRequest, slug: str) -> HttpResponse:
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    page = find_public_page(campaign)
    posted = request.POST if request.method == "POST" else None
    # The form changes its instance; the rest of the page shows the stored one.
    form = PublicPageForm(posted, instance=find_public_page(campaign))
    if form.is_bound and form.is_valid():
        with collect_refusal(form):
            edit_public_page(actor=request.user, campaign=campaign, **form.cleaned_data)
            messages.success(request, "Public page saved.")
            return redirect("public-page-edit", campaign.slug)
    values = {"campaign": campaign, "form": form, "public_page": page}
    status = 422 if form.errors else 200
    return render_page(request, "campaigns/public_page_edit.html", values, status=status)


@require_http_methods(["GET", "POST"])
def public_page_publish_view(request: SignedInRequest, slug: str) -> HttpResponse:
    """The page before everybody can open the public page; its form publishes."""
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    campaign.public_page = find_public_page(campaign)
    if campaign.public_page.published_at:
        return redirect("public-page-edit", campaign.slug)

    def act(decision: Decision) -> HttpResponse:
        publish_page(actor=request.user, campaign=campaign, decision=decision)
        messages.success(request, "The page is public.")
        return redirect("public-page-edit", campaign.slug)

    describe = partial(describe_page_publication, campaign)
    return confirm_act(request, campaign, describe=describe, act=act)


@require_POST
def public_page_withdraw_view(request: SignedInRequest, slug: str) -> HttpResponse:
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    withdraw_page(actor=request.user, campaign=campaign)
    messages.success(request, "The page is not public any more.")
    return redirect("public-page-edit", campaign.slug)
