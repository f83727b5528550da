"""Teams that register themselves and look after themselves, and the terms that they accept."""

import logging
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from smtplib import SMTPException
from typing import Any

from django.conf import settings
from django.core.mail import EmailMessage
from django.db import transaction
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from campaigns.confirmation import Decision
from campaigns.errors import ActionRefused
from campaigns.models import (
    Campaign,
    Event,
    Invitation,
    Member,
    Role,
    Team,
    TeamRequest,
    Terms,
    TermsAcceptance,
    User,
)
from campaigns.queries.confirmations.people import describe_leaving
from campaigns.queries.mail import has_mail_server, render_mail
from campaigns.queries.teams import find_own_team, has_accepted_terms
from campaigns.rules import is_organizer_anywhere, require_open, require_permission
from campaigns.services import events
from campaigns.services.decisions import check_decision
from campaigns.services.mail import queue_mail
from campaigns.services.people import (
    check_team_name,
    create_membership,
    delete_invitation,
    delete_known_invitations,
    sign_invitation_token,
)

log = logging.getLogger(__name__)
MOST_REQUESTS = 5
"""Registrations of one person in a campaign that were refused."""
MOST_INVITATIONS, INVITATION_DAYS = 20, 14
"""Invitations of a team that are open, and that its members create in 24 hours."""


@dataclass(frozen=True)
class TeamEntry:
    """What a team says of itself."""

    name: str
    affiliation: str
    contact: str


def save_terms_version(actor: User, campaign: Campaign) -> None:
    """Add a version of the terms if their text has changed. Call it in a transaction."""
    # Locked: a concurrent call waits here and then sees the first one's version.
    Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
    last = campaign.terms_versions.first()
    if campaign.terms == (last.text if last else ""):
        return
    campaign.terms_version = last.version + 1 if last else 1
    Terms.objects.create(
        campaign=campaign, version=campaign.terms_version, text=campaign.terms, by=actor
    )
    campaign.save(update_fields=["terms_version"])


def accept_terms(*, actor: User, campaign: Campaign, version: int) -> None:
    """Record that ``actor`` accepts the terms that they have read: ``version``, the newest."""
    require_open(campaign)
    if campaign.terms and version != campaign.terms_version:
        message = _("The terms of participation have changed since they were shown.")
        raise ActionRefused("terms-changed", message, _("Read them again, then accept them."))
    if not campaign.terms or has_accepted_terms(actor, campaign):
        return
    with transaction.atomic():
        terms = campaign.terms_versions.get(version=version)
        TermsAcceptance.objects.create(terms=terms, user=actor)
        events.log_event(campaign, actor, "terms.accepted", actor.username, version=version)


def request_team(
    *, actor: User, campaign: Campaign, entry: TeamEntry, terms_version: int = 0
) -> TeamRequest:
    """Register a team; ``terms_version``: of the terms that ``actor`` has accepted.

    An organizer decides on it, unless the campaign takes all teams at once.
    """
    with transaction.atomic():
        # Locked, so that a person or name registers once.
        stored = Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
        check_registration(actor, stored)
        check_new_name(stored, entry.name)
        accept_terms(actor=actor, campaign=stored, version=terms_version)
        request = TeamRequest.objects.create(campaign=stored, user=actor, **vars(entry))
        events.log_event(stored, actor, "team.requested", entry.name)
        if stored.registration == Campaign.Registration.OPEN:
            admit_team(actor, request)
        else:
            organizers = User.objects.filter(
                memberships__campaign=stored, memberships__role=Role.ORGANIZER
            )
            send_request_mail(request, "team_requested", organizers)
    return request


def check_registration(actor: User, campaign: Campaign) -> None:
    """Refuse ``actor`` who cannot register a team now."""
    if campaign.registration == Campaign.Registration.CLOSED:
        message = _("Teams cannot register themselves in this campaign.")
        raise ActionRefused(
            "registration-closed", message, _("Ask an organizer for an invitation.")
        )
    if campaign.members.filter(user=actor).exists():
        message = _("You already have a role in this campaign.")
        raise ActionRefused("has-role", message, _("Ask an organizer to add another role for you."))
    requests = campaign.team_requests.filter(user=actor)
    if requests.filter(state=TeamRequest.State.WAITING).exists():
        message = _("Your registration waits for an organizer.")
        raise ActionRefused("request-waiting", message)
    if requests.filter(state=TeamRequest.State.REFUSED).count() >= MOST_REQUESTS:
        message = _("Your registrations were refused.")
        raise ActionRefused("too-many-requests", message, _("Write to the organizers."))


def check_new_name(campaign: Campaign, name: str) -> None:
    check_team_name(name)
    if campaign.teams.filter(name__iexact=name).exists():
        message = _("There is a team of this name.")
        fix = _("Choose another name, or ask the team for an invitation.")
        raise ActionRefused("team-exists", message, fix)


def approve_team_request(*, actor: User, request: TeamRequest) -> Team:
    """Create the team, with the person who has registered it as its first member."""
    require_permission(actor, "campaigns.manage", request.campaign)
    with transaction.atomic():
        request = lock_waiting_request(request)
        check_new_name(request.campaign, request.name)
        if request.campaign.members.filter(user=request.user).exists():
            message = "The person has a role in this campaign by now."
            fix = "Refuse the registration, or remove that role first."
            raise ActionRefused("has-role", message, fix)
        team = admit_team(actor, request)
        send_request_mail(request, "team_approved", [request.user])
    return team


def refuse_team_request(*, actor: User, request: TeamRequest, reason: str) -> None:
    """Refuse the registration; the person reads ``reason``."""
    require_permission(actor, "campaigns.manage", request.campaign)
    if not reason.strip():
        raise ActionRefused("no-reason", "A refusal needs a reason.", "Write it for the team.")
    with transaction.atomic():
        request = lock_waiting_request(request)
        close_request(actor, request, TeamRequest.State.REFUSED, reason=reason.strip()[:500])
        events.log_event(
            request.campaign, actor, "team.request_refused", request.name, reason=request.reason
        )
        send_request_mail(request, "team_refused", [request.user])


def lock_waiting_request(request: TeamRequest) -> TeamRequest:
    Campaign.objects.select_for_update(no_key=True).get(pk=request.campaign_id)
    request = TeamRequest.objects.select_related("campaign", "user").get(pk=request.pk)
    if request.state != TeamRequest.State.WAITING:
        raise ActionRefused("already-decided", "This registration is already decided.")
    return request


def close_request(actor: User, request: TeamRequest, state: str, **fields: Any) -> None:
    fields |= {"state": state, "decided_by": actor, "decided_at": timezone.now()}
    for name, value in fields.items():
        setattr(request, name, value)
    request.save(update_fields=list(fields))


def admit_team(actor: User, request: TeamRequest) -> Team:
    """Create the team of ``request`` and its first member. Call it in a transaction."""
    campaign, user = request.campaign, request.user
    team = Team.objects.create(
        campaign=campaign,
        name=request.name,
        affiliation=request.affiliation,
        contact=request.contact,
    )
    close_request(actor, request, TeamRequest.State.APPROVED, team=team)
    events.log_event(campaign, actor, "team.created", team.name, registered_by=user.username)
    create_membership(actor, campaign, user, Role.PARTICIPANT, team)
    return team


def send_request_mail(request: TeamRequest, kind: str, recipients: Any) -> None:
    slug = request.campaign.slug
    path = {
        "team_requested": f"{reverse('people', args=[slug])}#requests",
        "team_approved": reverse("team", args=[slug]),
        "team_refused": reverse("team_register", args=[slug]),
    }[kind]
    queue_mail(
        kind,
        recipients,
        key=f"request-{request.pk}",
        campaign=request.campaign,
        context={"request": request},
        path=path,
    )


def update_team(*, actor: User, team: Team, affiliation: str, contact: str) -> None:
    """Change what a team says of itself, by its members and organizers."""
    check_team_access(actor, team)
    if (affiliation, contact) == (team.affiliation, team.contact):
        return
    with transaction.atomic():
        team.affiliation, team.contact = affiliation, contact
        team.save(update_fields=["affiliation", "contact"])
        events.log_event(team.campaign, actor, "team.updated", team.name)


def check_team_access(actor: User, team: Team) -> None:
    require_open(team.campaign)
    if not is_organizer_anywhere(actor, team.campaign):
        require_permission(actor, "campaigns.submit_run", team.campaign)
        if find_own_team(actor, team.campaign) != team:
            raise ActionRefused("other-team", _("You are not a member of this team."))


def invite_colleague(*, actor: User, team: Team, address: str = "") -> tuple[Invitation, bool]:
    """An invitation to ``team`` for one person, and whether it was mailed to ``address``."""
    check_team_access(actor, team)
    with transaction.atomic():
        Team.objects.select_for_update(no_key=True).get(pk=team.pk)
        check_invitation_limit(actor, team)
        invitation = Invitation.objects.create(
            campaign=team.campaign,
            role=Role.PARTICIPANT,
            team=team,
            sent_to=address,
            expires_at=timezone.now() + timedelta(days=INVITATION_DAYS),
            created_by=actor,
        )
        subject = f"{Role.PARTICIPANT}, {team.name}"
        events.log_event(team.campaign, actor, "invitation.created", subject, uses=1)
    return invitation, bool(address) and send_invitation(invitation)


def check_invitation_limit(actor: User, team: Team) -> None:
    day = timezone.now() - timedelta(days=1)
    created = Event.objects.filter(
        campaign=team.campaign, actor=actor, code="invitation.created", at__gte=day
    )
    waiting = team.invitation_set.filter(uses_left__gt=0, expires_at__gt=timezone.now())
    if is_organizer_anywhere(actor, team.campaign):
        return
    if max(created.count(), waiting.count()) >= MOST_INVITATIONS:
        message = _("A team can have at most %(n)s open invitations, and create as many a day.")
        fix = _("Revoke some, or try again tomorrow.")
        raise ActionRefused("too-many-invitations", message % {"n": MOST_INVITATIONS}, fix)


def send_invitation(invitation: Invitation) -> bool:
    """Mail the link at once, and say whether the server took it: the outbox keeps no links that
    let people in.
    """
    if not has_mail_server():
        return False
    path = reverse("join", args=[sign_invitation_token(invitation)])
    url = settings.POOLBENCH_URL + path
    # People who are invited have no language yet: the mail is in that of the inviter.
    context = {"invitation": invitation, "url": url, "recipient": invitation.created_by}
    subject, body = render_mail("team_invitation", context)
    try:
        EmailMessage(subject, body, to=[invitation.sent_to]).send()
    except (OSError, SMTPException) as error:
        log.warning("The mail of invitation %s could not be sent: %s", invitation.pk, error)
        return False
    return True


def revoke_team_invitation(*, actor: User, invitation: Invitation) -> None:
    """Revoke an invitation to a team, by its members and organizers."""
    team = invitation.team
    assert team is not None  # noqa: S101 (the caller looks for it in a team)
    check_team_access(actor, team)
    delete_invitation(actor, invitation)


def leave_team(*, actor: User, campaign: Campaign, decision: Decision | None = None) -> None:
    """End the membership of ``actor`` in their team."""
    require_open(campaign)
    with transaction.atomic():
        # Locked, so that two cannot both leave as the last but one.
        members = campaign.members.select_for_update().filter(role=Role.PARTICIPANT)
        member = members.filter(user=actor).first()
        if member is None:
            raise ActionRefused("no-team", _("You are not a member of a team."))
        member = Member.objects.select_related("campaign", "team", "user").get(pk=member.pk)
        confirmed = check_decision(partial(describe_leaving, member), decision)
        member.delete()
        delete_known_invitations(campaign, actor, member.team)
        subject = f"{actor.username} ({member.role})"
        events.log_event(campaign, actor, "member.removed", subject, **confirmed)
