"""Teams: registration by anybody, and the page of a team for its members and organizers."""

from functools import partial

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from campaigns.confirmation import Decision
from campaigns.errors import ActionRefused
from campaigns.forms.teams import ColleagueForm, TeamDetailsForm, TeamRegistrationForm
from campaigns.models import Campaign, Team, TeamRequest
from campaigns.queries.confirmations.people import describe_leaving
from campaigns.queries.lists import get_campaign_for, list_runs_for
from campaigns.queries.mail import has_mail_server
from campaigns.queries.teams import (
    find_last_request,
    find_own_team,
    has_accepted_terms,
    list_team_invitations,
    list_team_members,
)
from campaigns.rules import is_organizer_anywhere
from campaigns.services import teams as services
from campaigns.views.confirmation import confirm_act
from campaigns.views.helpers import SignedInRequest, collect_refusal, read_digits
from campaigns.views.pages import render_page
from campaigns.views.people import invitation_url


@require_http_methods(["GET", "POST"])
def team_register_view(request: SignedInRequest, slug: str) -> HttpResponse:
    """Register a team: for everybody who signs in, where the campaign lets them."""
    campaign = get_object_or_404(Campaign.objects.open_for_registration(), slug=slug)
    if campaign.members.filter(user=request.user).exists():
        return redirect("team" if find_own_team(request.user, campaign) else "campaign", slug)
    user = request.user
    initial = {"contact": f"{user.shown_name} <{user.email}>" if user.email else user.shown_name}
    form = TeamRegistrationForm(request.POST or None, initial=initial, campaign=campaign)
    if request.method == "POST" and form.is_valid():
        with collect_refusal(form):
            made = services.request_team(
                actor=user,
                campaign=campaign,
                entry=form.read_entry(),
                terms_version=form.cleaned_data["version"] or 0,
            )
            if made.state == TeamRequest.State.APPROVED:
                messages.success(request, _("Welcome to %(title)s.") % {"title": campaign.title})
                return redirect("team", slug)
            return redirect("team_register", slug)
    # ``last``: the registration of before, which may wait or be refused.
    last = find_last_request(user, campaign)
    page = {"registers_in": campaign, "form": form, "last": last}
    return render_page(request, "campaigns/team_register.html", page)


@require_http_methods(["GET", "POST"])
def team_view(request: SignedInRequest, slug: str) -> HttpResponse:
    """One's own team."""
    campaign = get_campaign_for(request.user, slug)
    team = find_own_team(request.user, campaign)
    if team is None:
        raise Http404("no team")
    return answer_for_team(request, campaign, team)


@require_http_methods(["GET", "POST"])
def people_team_view(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """A team, for organizers."""
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    return answer_for_team(request, campaign, get_object_or_404(campaign.teams, pk=pk))


def answer_for_team(request: SignedInRequest, campaign: Campaign, team: Team) -> HttpResponse:
    """The page, after the act that its form has posted."""
    details = {"affiliation": team.affiliation, "contact": team.contact}
    act = request.POST.get("act", "")
    form = TeamDetailsForm(request.POST if act == "details" else None, initial=details)
    colleague = ColleagueForm(request.POST if act == "invite" else None)
    try:
        if act == "details" and form.is_valid():
            services.update_team(actor=request.user, team=team, **form.cleaned_data)
            messages.success(request, _("Saved."))
            return redirect(request.path)
        if act == "invite" and colleague.is_valid():
            invite_from_form(request, team, colleague.cleaned_data["address"])
            return redirect(f"{request.path}#invitations")
        if act == "revoke":
            revoke_from_form(request, team)
            return redirect(f"{request.path}#invitations")
    except ActionRefused as refused:
        if act == "revoke":
            raise
        (colleague if act == "invite" else form).add_error(None, str(refused))
    return render_team_page(request, campaign, team, form, colleague)


def invite_from_form(request: SignedInRequest, team: Team, address: str) -> None:
    _invitation, was_sent = services.invite_colleague(
        actor=request.user, team=team, address=address
    )
    if was_sent:
        messages.success(request, _("Invitation sent to %(to)s.") % {"to": address})
    else:
        messages.success(request, _("Invitation created. Pass its link on."))


def revoke_from_form(request: SignedInRequest, team: Team) -> None:
    pk = read_digits(request.POST.get("invitation", ""))
    invitation = get_object_or_404(team.invitation_set, pk=pk)
    services.revoke_team_invitation(actor=request.user, invitation=invitation)
    messages.success(request, _("Invitation revoked."))


def render_team_page(
    request: SignedInRequest,
    campaign: Campaign,
    team: Team,
    form: TeamDetailsForm,
    colleague: ColleagueForm,
) -> HttpResponse:
    runs = list_runs_for(request.user, campaign).accepted().filter(team=team)
    page = {
        "campaign": campaign,
        "team": team,
        "members": list_team_members(team),
        "invitations": [
            (each, invitation_url(request, each)) for each in list_team_invitations(team)
        ],
        "form": form,
        "colleague": colleague,
        "runs": list(runs),
        "is_own": find_own_team(request.user, campaign) == team,
        "organizes": is_organizer_anywhere(request.user, campaign),
        "has_accepted": has_accepted_terms(request.user, campaign),
        "sends_mail": has_mail_server(),
    }
    return render_page(request, "campaigns/team.html", page)


@require_http_methods(["GET", "POST"])
def team_leave_view(request: SignedInRequest, slug: str) -> HttpResponse:
    campaign = get_campaign_for(request.user, slug)
    member = campaign.members.filter(user=request.user, team__isnull=False).first()
    if member is None:
        raise Http404("no team")

    def act(decision: Decision) -> HttpResponse:
        services.leave_team(actor=request.user, campaign=campaign, decision=decision)
        messages.success(request, _("You have left the team."))
        return redirect("home")

    return confirm_act(request, campaign, describe=partial(describe_leaving, member), act=act)


@require_http_methods(["GET", "POST"])
def team_terms_view(request: SignedInRequest, slug: str) -> HttpResponse:
    """The terms of participation in force, for members to read and teams to accept."""
    campaign = get_campaign_for(request.user, slug)
    participates = find_own_team(request.user, campaign) is not None
    if not campaign.terms or not (participates or is_organizer_anywhere(request.user, campaign)):
        raise Http404("no terms")
    if request.method == "POST" and participates:
        version = read_digits(request.POST.get("version", "")) or 0
        services.accept_terms(actor=request.user, campaign=campaign, version=version)
        messages.success(request, _("Terms accepted."))
        return redirect(reverse("team", args=[slug]))
    page = {
        "campaign": campaign,
        "terms": campaign.terms_versions.first(),
        "can_accept": participates and not has_accepted_terms(request.user, campaign),
    }
    return render_page(request, "campaigns/terms.html", page)
