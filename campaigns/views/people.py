"""Members, teams and invitation links, for organizers."""

from __future__ import annotations

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from campaigns.errors import ActionRefused, lowercase_label
from campaigns.forms import InviteForm, MemberForm
from campaigns.models import Campaign, Invitation
from campaigns.queries import get_campaign_for, list_members_by_role, list_open_invitations
from campaigns.services import people as services
from campaigns.views.helpers import SignedInRequest


@require_safe
def people_view(request: SignedInRequest, slug: str) -> HttpResponse:
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    return render_people_page(request, campaign, InviteForm(), MemberForm())


def render_people_page(
    request: SignedInRequest, campaign: Campaign, invite: forms.Form, member: forms.Form
) -> HttpResponse:
    invitations = list_open_invitations(campaign)
    context = {
        "campaign": campaign,
        "people": list_members_by_role(campaign),
        "teams": campaign.teams.all(),
        "invitations": [
            (invitation, invitation_url(request, invitation)) for invitation in invitations
        ],
        "form": invite,
        "member_form": member,
        "crumbs": [(_("People"), None)],
    }
    return render(request, "campaigns/people.html", context)


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
        try:
            invitation = services.create_invitation(
                actor=request.user,
                campaign=campaign,
                role=fields["role"],
                team_name=fields["team"],
                uses=fields["uses"],
                days=fields["days"],
            )
            return redirect(f"{reverse('people', args=[campaign.slug])}#invitation-{invitation.pk}")
        except ActionRefused as refused:
            form.add_error(None, str(refused))
    return render_people_page(request, campaign, form, MemberForm())


@require_POST
def invitation_revoke_view(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    invitation = get_object_or_404(campaign.invitations, pk=pk)
    services.revoke_invitation(actor=request.user, invitation=invitation)
    messages.success(request, _("Invitation revoked."))
    return redirect("people", campaign.slug)


@require_POST
def member_add_view(request: SignedInRequest, slug: str) -> HttpResponse:
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    form = MemberForm(request.POST)
    if form.is_valid():
        fields = form.cleaned_data
        try:
            services.add_team_member(
                actor=request.user,
                campaign=campaign,
                user=fields["username"],
                role=fields["role"],
                team_name=fields["team"],
            )
            messages.success(
                request, _("Role added for %(name)s.") % {"name": fields["username"].shown_name}
            )
            return redirect("people", campaign.slug)
        except ActionRefused as refused:
            form.add_error(None, str(refused))
    return render_people_page(request, campaign, InviteForm(), form)


@require_POST
def member_remove_view(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    member = get_object_or_404(campaign.members.select_related("user", "campaign"), pk=pk)
    services.remove_member(actor=request.user, member=member)
    names = {"name": member.user.shown_name, "role": lowercase_label(member.get_role_display())}
    messages.success(request, _("Role removed: %(name)s (%(role)s).") % names)
    if member.user == request.user:
        return redirect("home")
    return redirect("people", campaign.slug)
