"""Teams, members and the invitation links with which users join."""

from datetime import timedelta
from functools import partial
from typing import Any

from django.core import signing
from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone
from django.utils.translation import gettext as _

from campaigns.confirmation import Decision
from campaigns.errors import ActionRefused, format_utc, lowercase_label
from campaigns.models import Campaign, Invitation, Member, Role, Team, User
from campaigns.queries.confirmations.people import (
    describe_removal,
    describe_second_role,
    describe_transfer,
)
from campaigns.rules import list_conflicts, require_open, require_permission
from campaigns.services import events
from campaigns.services.decisions import check_decision

SALT = "campaigns.invitation"
MAX_USES, MAX_DAYS = 500, 365


def get_or_create_team(*, actor: User, campaign: Campaign, name: str) -> Team:
    """The team called ``name``, created if the campaign has none."""
    require_permission(actor, "campaigns.manage", campaign)
    name = name.strip()
    check_team_name(name)
    with transaction.atomic():
        team, created = Team.objects.get_or_create(campaign=campaign, name=name)
        if created:
            events.log_event(campaign, actor, "team.created", name)
    return team


def check_team_name(name: str) -> None:
    if not 0 < len(name) <= 60 or not name.isprintable():
        raise ActionRefused("bad-team", _("The team name must have 1 to 60 characters."))


def add_member(
    *,
    actor: User,
    campaign: Campaign,
    user: User,
    role: str,
    team: Team | str | None = None,
    decision: Decision | None = None,
) -> Member:
    """Add ``user`` with a role; no change if they already have it.

    A team given by name is created if it is new. A role that conflicts with another of theirs
    needs the consent of ``decision``.
    """
    require_permission(actor, "campaigns.manage", campaign)
    with transaction.atomic():
        team = find_team(actor, campaign, team)
        check_role(campaign, role, team)
        if not user.is_active:
            raise ActionRefused(
                "inactive", f"{user.shown_name} cannot be a member: the account cannot sign in."
            )
        confirmed = {}
        if has_conflict(campaign, user, role):
            describe = partial(describe_second_role, campaign, user, role)
            confirmed = check_decision(describe, decision)
        return create_membership(actor, campaign, user, role, team, **confirmed)


def find_team(actor: User, campaign: Campaign, team: Team | str | None) -> Team | None:
    """``team``; one that is given by name is created if it is new, and "" is none."""
    if not isinstance(team, str):
        return team
    return get_or_create_team(actor=actor, campaign=campaign, name=team) if team else None


def has_conflict(campaign: Campaign, user: User, role: str) -> bool:
    """Whether ``role`` would conflict with one that ``user`` has."""
    held = set(campaign.members.filter(user=user).values_list("role", flat=True))
    return role not in held and list_conflicts(held | {role}) != list_conflicts(held)


def remove_member(*, actor: User, member: Member, decision: Decision | None = None) -> None:
    """Remove a member's role. What they have submitted or judged stays."""
    campaign = member.campaign
    require_permission(actor, "campaigns.manage", campaign)
    with transaction.atomic():
        # Locked, so that two organizers cannot remove each other at once.
        organizers = campaign.members.select_for_update().filter(role=Role.ORGANIZER)
        locked = [each.pk for each in organizers if each.pk != member.pk]
        others = Member.objects.filter(pk__in=locked, user__is_active=True)
        if member.role == Role.ORGANIZER and not others.exists():
            message = _("You cannot remove the last organizer.")
            fix = _("Make another member an organizer first.")
            raise ActionRefused("last-organizer", message, fix)
        confirmed = check_decision(partial(describe_removal, member), decision)
        if campaign.members.filter(pk=member.pk).delete()[0]:
            delete_known_invitations(campaign, member.user, member.team)
            subject = f"{member.user.username} ({member.role})"
            events.log_event(campaign, actor, "member.removed", subject, **confirmed)


def delete_known_invitations(campaign: Campaign, user: User, team: Team | None) -> None:
    """Delete the links with which someone who has left could come back: those that they made, and
    those of their team.
    """
    known = Q(created_by=user) | (Q(team=team) if team else Q())
    campaign.invitations.filter(known).delete()


def transfer_ownership(
    *, actor: User, campaign: Campaign, successor: User, decision: Decision | None = None
) -> None:
    """Another member becomes an organizer, and ``actor`` is none any more: one act."""
    require_permission(actor, "campaigns.manage", campaign)
    with transaction.atomic():
        # Locked, so that a campaign does not lose its last organizer.
        organizers = campaign.members.select_for_update().filter(role=Role.ORGANIZER)
        own = next((member for member in organizers if member.user_id == actor.pk), None)
        is_member = campaign.members.filter(user=successor).exists()
        if own is None or not is_member or successor == actor or not successor.is_active:
            message = "Only an organizer hands a campaign over, to another of its members."
            raise ActionRefused("bad-successor", message, "Add the person as a member first.")
        describe = partial(describe_transfer, campaign, actor, successor)
        confirmed = check_decision(describe, decision)
        create_membership(actor, campaign, successor, Role.ORGANIZER, None)
        own.delete()
        delete_known_invitations(campaign, actor, None)
        subject = f"{actor.username} to {successor.username}"
        events.log_event(campaign, actor, "ownership.transferred", subject, **confirmed)


def create_invitation(
    *,
    actor: User,
    campaign: Campaign,
    role: str,
    team_name: str = "",
    uses: int = 1,
    days: int = 14,
) -> Invitation:
    """Create an invitation for ``uses`` users that expires after ``days`` days.

    ``sign_invitation_token`` makes its link.
    """
    require_permission(actor, "campaigns.manage", campaign)
    if not (1 <= uses <= MAX_USES and 1 <= days <= MAX_DAYS):
        limits = f"1 to {MAX_USES} uses and 1 to {MAX_DAYS} days"
        raise ActionRefused("bad-invitation", f"An invitation must allow {limits}.")
    with transaction.atomic():
        team = find_team(actor, campaign, team_name)
        check_role(campaign, role, team)
        subject = f"{role}{f', {team.name}' if team else ''}"
        events.log_event(campaign, actor, "invitation.created", subject, uses=uses, days=days)
        return Invitation.objects.create(
            campaign=campaign,
            role=role,
            team=team,
            uses_left=uses,
            expires_at=timezone.now() + timedelta(days=days),
            created_by=actor,
        )


def revoke_invitation(*, actor: User, invitation: Invitation) -> None:
    """Revoke the invitation. Its row is deleted; the log keeps the event."""
    require_permission(actor, "campaigns.manage", invitation.campaign)
    delete_invitation(actor, invitation)


def delete_invitation(actor: User, invitation: Invitation) -> None:
    """Delete and log it, for an ``actor`` who was found to be allowed to."""
    with transaction.atomic():
        subject = f"{invitation.role}{f', {invitation.team.name}' if invitation.team else ''}"
        if Invitation.objects.filter(pk=invitation.pk).delete()[0]:
            events.log_event(invitation.campaign, actor, "invitation.revoked", subject)


class InvitationSigner(signing.TimestampSigner):
    """Without the time, which would change the link at each look: the row has when it expires."""

    def timestamp(self) -> str:
        return "0"


def sign_invitation_token(invitation: Invitation) -> str:
    """The part of the link that cannot be guessed or forged; the same each time."""
    return InvitationSigner(salt=SALT).sign_object(invitation.pk)


def get_invitation(token: str) -> Invitation:
    """The open invitation of ``token``. Raises ``ActionRefused`` with the reason otherwise."""
    advice = _("Ask the organizer who sent it for a new link.")
    try:
        number = signing.loads(token, salt=SALT)
    except signing.BadSignature as error:
        fix = _("Check that you copied the complete link.")
        raise ActionRefused("bad-link", _("Invalid invitation link."), fix) from error
    invitations = Invitation.objects.select_related("campaign", "team", "created_by")
    invitation = invitations.filter(pk=number).first()
    if invitation is None:
        raise ActionRefused("revoked", _("This invitation has been revoked."), advice)
    require_open(invitation.campaign)
    if invitation.uses_left == 0:
        raise ActionRefused("used-up", _("This invitation has already been used."), advice)
    if not invitation.is_open:
        message = _("This invitation expired on %(at)s.") % {
            "at": format_utc(invitation.expires_at)
        }
        raise ActionRefused("expired", message, advice)
    return invitation


def create_account(*, token: str, username: str, password: str, name: str = "") -> User:
    """Create an account for the holder of an open invitation, and join with it."""
    with transaction.atomic():
        get_invitation(token)
        user = User.objects.create_user(username, password=password, first_name=name)
        accept_invitation(user=user, token=token)
    return user


def accept_invitation(*, user: User, token: str) -> Member:
    """Join with a link. No change, and no use counted, if ``user`` already has the role."""
    invitation = get_invitation(token)
    campaign, team = invitation.campaign, invitation.team
    with transaction.atomic():
        roles = dict(campaign.members.filter(user=user).values_list("role", "team"))
        if roles.get(invitation.role, -1) == invitation.team_id:
            return campaign.members.get(user=user, role=invitation.role)
        if roles:
            current_roles = ", ".join(lowercase_label(Role(role).label) for role in roles)
            raise ActionRefused(
                "has-role",
                _("You already have a role in this campaign: %(roles)s.")
                % {"roles": current_roles},
                _("Ask an organizer to add another role for you."),
            )
        now = timezone.now()
        is_open = Invitation.objects.filter(pk=invitation.pk, uses_left__gt=0, expires_at__gt=now)
        if not is_open.update(uses_left=F("uses_left") - 1):
            raise ActionRefused("used-up", _("This invitation has already been used."))
        return create_membership(user, campaign, user, invitation.role, team)


def check_role(campaign: Campaign, role: str, team: Team | None) -> None:
    if role not in Role.values:
        raise ActionRefused("bad-role", f"Unknown role: {role}.")
    if (role == Role.PARTICIPANT) != (team is not None):
        message = _("Participants must have a team; other roles cannot have one.")
        raise ActionRefused("bad-team", message)
    if team is not None and team.campaign_id != campaign.pk:
        raise ActionRefused("bad-team", f"Team {team.name} belongs to another campaign.")


def create_membership(
    actor: User, campaign: Campaign, user: User, role: str, team: Team | None, **data: Any
) -> Member:
    """The member, created and logged with ``data`` if the user did not have the role."""
    member, created = Member.objects.get_or_create(
        campaign=campaign, user=user, role=role, defaults={"team": team}
    )
    if not created and member.team_id != (team.pk if team else None):
        raise ActionRefused(
            "other-team",
            _("%(name)s is already a member of team %(team)s.")
            % {"name": user.shown_name, "team": member.team},
            _("Remove that membership first; a user can be in only one team."),
        )
    if created:
        subject = f"{user.username} ({role}{f', {team.name}' if team else ''})"
        events.log_event(campaign, actor, "member.joined", subject, **data)
    return member
