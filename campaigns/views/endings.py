"""What becomes of a campaign: copied, rehearsed, closed, reopened, deleted, restored."""

from functools import partial

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from campaigns.confirmation import Decision
from campaigns.errors import format_utc
from campaigns.forms.settings import CopyForm, RehearsalForm
from campaigns.models import Campaign, Removal
from campaigns.queries.confirmations.endings import (
    describe_campaign_closing,
    describe_campaign_deletion,
    describe_campaign_reopening,
)
from campaigns.queries.lists import get_campaign_for
from campaigns.services.copies import CopyChoice, copy_campaign, start_rehearsal
from campaigns.services.endings import (
    close_campaign,
    delete_campaign,
    find_removal_date,
    reopen_campaign,
    restore_campaign,
)
from campaigns.views.confirmation import confirm_act
from campaigns.views.helpers import SignedInRequest, collect_refusal
from campaigns.views.pages import render_page


@require_safe
def life_view(request: SignedInRequest, slug: str) -> HttpResponse:
    """The acts on the whole campaign, each with what it is for."""
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    return render_life(request, campaign, CopyForm(initial={"title": campaign.title}))


def render_life(
    request: SignedInRequest, campaign: Campaign, form: CopyForm, status: int = 200
) -> HttpResponse:
    # ``may_create``: who may not create campaigns cannot copy one either.
    page = {
        "campaign": campaign,
        "form": form,
        "rehearsal_form": RehearsalForm(),
        "may_create": request.user.has_perm("campaigns.create"),
    }
    return render_page(request, "campaigns/life.html", page, status=status)


@require_POST
def campaign_copy_view(request: SignedInRequest, slug: str) -> HttpResponse:
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    form = CopyForm(request.POST)
    if form.is_valid():
        fields = form.cleaned_data
        choice = CopyChoice(fields["topics"], fields["documents"])
        with collect_refusal(form):
            copy = copy_campaign(
                actor=request.user, campaign=campaign, title=fields["title"],
                slug=fields["slug"], choice=choice,
            )  # fmt: skip
            messages.success(request, "Campaign copied. It has no deadlines and no teams yet.")
            return redirect("campaign-settings", copy.slug)
    return render_life(request, campaign, form, status=422)


@require_POST
def rehearsal_new_view(request: SignedInRequest, slug: str) -> HttpResponse:
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    judged = "judged" in request.POST
    copy, job = start_rehearsal(actor=request.user, campaign=campaign, judged=judged)
    return redirect("job", copy.slug, job.pk)


@require_http_methods(["GET", "POST"])
def campaign_close_view(request: SignedInRequest, slug: str) -> HttpResponse:
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")

    def act(decision: Decision) -> HttpResponse:
        close_campaign(actor=request.user, campaign=campaign, decision=decision)
        messages.success(request, "The campaign is closed.")
        return redirect("life", campaign.slug)

    describe = partial(describe_campaign_closing, campaign)
    return confirm_act(request, campaign, describe=describe, act=act)


@require_http_methods(["GET", "POST"])
def campaign_reopen_view(request: SignedInRequest, slug: str) -> HttpResponse:
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")

    def act(decision: Decision) -> HttpResponse:
        reopen_campaign(actor=request.user, campaign=campaign, decision=decision)
        messages.success(request, "The campaign is open again.")
        return redirect("life", campaign.slug)

    describe = partial(describe_campaign_reopening, campaign)
    return confirm_act(request, campaign, describe=describe, act=act)


@require_http_methods(["GET", "POST"])
def campaign_delete_view(request: SignedInRequest, slug: str) -> HttpResponse:
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")

    def act(decision: Decision) -> HttpResponse:
        deleted = delete_campaign(actor=request.user, campaign=campaign, decision=decision)
        if deleted is None:
            messages.success(request, "The rehearsal is thrown away.")
            return redirect("home")
        when = format_utc(deleted.removal_at) if deleted.removal_at else ""
        messages.success(request, f"The campaign is deleted. You can restore it until {when}.")
        return redirect("life", campaign.slug)

    # The service changes its campaign; the facts are those of the one that is stored.
    until = find_removal_date(campaign)
    describe = partial(describe_campaign_deletion, Campaign.objects.get(pk=campaign.pk), until)
    return confirm_act(request, campaign, describe=describe, act=act)


@require_POST
def campaign_restore_view(request: SignedInRequest, slug: str) -> HttpResponse:
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    restore_campaign(actor=request.user, campaign=campaign)
    messages.success(request, "The campaign is restored.")
    return redirect(campaign)


@require_safe
def removals_view(request: SignedInRequest) -> HttpResponse:
    """The campaigns that were removed for good, for administrators of the installation."""
    if not request.user.is_superuser:
        raise PermissionDenied("only administrators see what was removed")
    return render_page(request, "campaigns/removals.html", {"removals": Removal.objects.all()})
