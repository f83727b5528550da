"""Members, teams and invitation links, for organizers."""

from functools import partial
from urllib.parse import urlencode

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from campaigns.confirmation import Decision
from campaigns.errors import ActionRefused, ConfirmationNeeded, lowercase_label
from campaigns.forms.settings import InviteForm, MemberForm
from campaigns.forms.teams import SuccessorForm
from campaigns.models import Campaign, Invitation
from campaigns.queries.confirmations.people import describe_removal, describe_second_role
from campaigns.queries.lists import get_campaign_for, list_members_by_role, list_open_invitations
from campaigns.queries.teams import list_waiting_requests
from campaigns.services import people as services
from campaigns.views.confirmation import DIGEST, confirm_act
from campaigns.views.helpers import SignedInRequest, campaign_url, collect_refusal
from campaigns.views.pages import render_page


@require_safe
def people_view(request: SignedInRequest, slug: str) -> HttpResponse:
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    return render_people_page(request, campaign, InviteForm(), MemberForm())


def render_people_page(
    request: SignedInRequest, campaign: Campaign, invite: forms.Form, member: forms.Form
) -> HttpResponse:
    page = {
        "campaign": campaign,
        "people": list_members_by_role(campaign),
        "teams": campaign.teams.all(),
        "invitations": [
            (each, invitation_url(request, each)) for each in list_open_invitations(campaign)
        ],
        "requests": list_waiting_requests(campaign),
        "successor_form": SuccessorForm(campaign=campaign, actor=request.user),
        "form": invite,
        "member_form": member,
    }
    return render_page(request, "campaigns/people.html", page)


def invitation_url(request: SignedInRequest, invitation: Invitation) -> str:
    return request.build_absolute_uri(
        reverse("join", args=[services.sign_invitation_token(invitation)])
    )


@require_POST
def invite_view(request: SignedInRequest, slug: str) -> HttpResponse:
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    form = InviteForm(request.POST)
    if form.is_valid():
        fields = form.cleaned_data
        with collect_refusal(form):
            invitation = services.create_invitation(
                actor=request.user,
                campaign=campaign,
                role=fields["role"],
                team_name=fields["team"],
                uses=fields["uses"],
                days=fields["days"],
            )
            return redirect(f"{reverse('people', args=[campaign.slug])}#invitation-{invitation.pk}")
    return render_people_page(request, campaign, form, MemberForm())


@require_POST
def invitation_revoke_view(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    invitation = get_object_or_404(campaign.invitations, pk=pk)
    services.revoke_invitation(actor=request.user, invitation=invitation)
    messages.success(request, "Invitation revoked.")
    return redirect("people", campaign.slug)


@require_http_methods(["GET", "POST"])
def member_add_view(request: SignedInRequest, slug: str) -> HttpResponse:
    """Add a role; for one that conflicts with another, the page that asks before."""
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    form = MemberForm(request.POST or request.GET)
    if request.method == "GET" and not form.is_valid():
        return redirect("people", campaign.slug)
    if request.method == "GET" or DIGEST in request.POST:
        return confirm_second_role(request, campaign, form)
    if form.is_valid():
        try:
            return add_member_from_form(request, campaign, form, Decision())
        except ConfirmationNeeded:
            return redirect(second_role_url(campaign, form))
        except ActionRefused as refused:
            form.add_error(None, str(refused))
    return render_people_page(request, campaign, InviteForm(), form)


def second_role_url(campaign: Campaign, form: MemberForm) -> str:
    values = {name: form.data.get(name, "") for name in form.fields}
    return f"{campaign_url('member-add', campaign)}?{urlencode(values)}"


def confirm_second_role(
    request: SignedInRequest, campaign: Campaign, form: MemberForm
) -> HttpResponse:
    if not form.is_valid():
        return render_people_page(request, campaign, InviteForm(), form)
    fields = form.cleaned_data
    return confirm_act(
        request,
        campaign,
        describe=partial(describe_second_role, campaign, fields["username"], fields["role"]),
        act=partial(add_member_from_form, request, campaign, form),
        fields=[(name, form.data.get(name, "")) for name in form.fields],
    )


def add_member_from_form(
    request: SignedInRequest, campaign: Campaign, form: MemberForm, decision: Decision
) -> HttpResponse:
    fields = form.cleaned_data
    services.add_member(
        actor=request.user,
        campaign=campaign,
        user=fields["username"],
        role=fields["role"],
        team=fields["team"],
        decision=decision,
    )
    messages.success(request, f"Role added for {fields['username'].shown_name}.")
    return redirect("people", campaign.slug)


@require_http_methods(["GET", "POST"])
def member_remove_view(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    member = get_object_or_404(campaign.members.select_related("user", "campaign", "team"), pk=pk)

    def act(decision: Decision) -> HttpResponse:
        services.remove_member(actor=request.user, member=member, decision=decision)
        role = lowercase_label(member.get_role_display())
        messages.success(request, f"Role removed: {member.user.shown_name} ({role}).")
        return redirect("home") if member.user == request.user else redirect("people", slug)

    describe = partial(describe_removal, member)
    return confirm_act(request, campaign, describe=describe, act=act)
