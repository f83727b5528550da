"""Organizers' work with teams: registrations, the list, many invitations, handing over."""

from functools import partial

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from campaigns.confirmation import Decision
from campaigns.errors import ActionRefused
from campaigns.forms.teams import InvitationListForm, SuccessorForm
from campaigns.models import Invitation, Member
from campaigns.queries.confirmations.people import describe_transfer
from campaigns.queries.lists import get_campaign_for
from campaigns.queries.mail import has_mail_server
from campaigns.queries.teams import NO_RUNS, SUBMITTED, WITHOUT_MEMBERS, TeamRow, list_team_rows
from campaigns.services import people, teams
from campaigns.services.invitation_lists import create_invitations, send_invitations
from campaigns.views.confirmation import confirm_act
from campaigns.views.helpers import SignedInRequest
from campaigns.views.pages import render_page
from campaigns.views.people import invitation_url
from campaigns.views.row_filters import filter_rows
from poolbench.files.faults import InvalidFile, format_count
from poolbench.reports.csv import format_csv_line

STATES = {
    NO_RUNS: "registered, no runs",
    SUBMITTED: "submitted",
    WITHOUT_MEMBERS: "without members",
}


@require_safe
def teams_view(request: SignedInRequest, slug: str) -> HttpResponse:
    """All teams, by whether they have submitted."""
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    rows, row_filter = filter_rows(
        request,
        list_team_rows(campaign),
        lambda row: row.state,
        parameter="state",
        label="State",
        labels=STATES,
    )
    page = {
        "campaign": campaign,
        "rows": [(row, STATES[row.state]) for row in rows],
        "row_filter": row_filter,
        "addresses": list_addresses(rows),
    }
    return render_page(request, "campaigns/teams.html", page)


def list_addresses(rows: list[TeamRow]) -> str:
    """Confirmed addresses of the members of these teams, to copy into a mail."""
    members = Member.objects.filter(team__in=[row.team.pk for row in rows])
    emails = members.filter(user__email__gt="").values_list("user__email", flat=True)
    return ", ".join(sorted(set(emails)))


@require_POST
def team_request_approve_view(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    made = get_object_or_404(campaign.team_requests, pk=pk)
    team = teams.approve_team_request(actor=request.user, request=made)
    messages.success(request, f"Team {team.name} takes part.")
    return redirect("people", slug)


@require_POST
def team_request_refuse_view(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    made = get_object_or_404(campaign.team_requests, pk=pk)
    reason = request.POST.get("reason", "")
    teams.refuse_team_request(actor=request.user, request=made, reason=reason)
    messages.success(request, f"Registration of {made.name} refused.")
    return redirect("people", slug)


@require_http_methods(["GET", "POST"])
def invitation_list_view(request: SignedInRequest, slug: str) -> HttpResponse:
    """Many invitations from a CSV list; the page then offers their links as CSV."""
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    form = InvitationListForm(request.POST or None)
    # ``report`` tells what is wrong with the list; ``result`` how many were created and sent.
    page = {"campaign": campaign, "form": form, "report": None, "sends_mail": has_mail_server()}
    if not (form.is_bound and form.is_valid()):
        return render_page(request, "campaigns/invitation_list.html", page)
    try:
        text = form.cleaned_data["rows"]
        created = create_invitations(actor=request.user, campaign=campaign, text=text)
    except InvalidFile as bad:
        page |= {"report": bad.report, "verdict": "No invitation created"}
        return render_page(request, "campaigns/invitation_list.html", page, status=422)
    except ActionRefused as refused:
        form.add_error(None, str(refused))
        return render_page(request, "campaigns/invitation_list.html", page, status=409)
    unsent = list(send_invitations(created))
    sent = len(created) - len(unsent)
    message = f"{format_count(len(created), 'invitation')} created, {sent:,} sent by mail."
    messages.success(request, message)
    return redirect("people", slug)


@require_safe
def invitations_download_view(request: SignedInRequest, slug: str) -> HttpResponse:
    """The open invitations with their links as CSV, to send by another program."""
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    invitations = campaign.invitations.select_related("team")
    open_ones: list[Invitation] = [each for each in invitations if each.is_open]
    lines = [format_csv_line(["address", "role", "team", "uses_left", "expires_at", "link"])]
    for each in open_ones:
        team = each.team.name if each.team else ""
        link = invitation_url(request, each)
        cells = [each.sent_to, each.role, team, each.uses_left, each.expires_at.isoformat(), link]
        lines.append(format_csv_line(cells))
    answer = HttpResponse("".join(lines), content_type="text/csv; charset=utf-8")
    answer["Content-Disposition"] = f'attachment; filename="{slug}-invitations.csv"'
    return answer


@require_http_methods(["GET", "POST"])
def ownership_transfer_view(request: SignedInRequest, slug: str) -> HttpResponse:
    """Hand the campaign over to another member; without one chosen, back to the list."""
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    form = SuccessorForm(request.POST or request.GET, campaign=campaign, actor=request.user)
    if not form.is_valid():
        return redirect("people", slug)
    successor = form.cleaned_data["successor"]

    def act(decision: Decision) -> HttpResponse:
        people.transfer_ownership(
            actor=request.user, campaign=campaign, successor=successor, decision=decision
        )
        messages.success(request, f"{successor.shown_name} organizes {campaign.title} now.")
        return redirect("home")

    return confirm_act(
        request,
        campaign,
        describe=partial(describe_transfer, campaign, request.user, successor),
        act=act,
        fields=[("successor", str(successor.pk))],
    )
