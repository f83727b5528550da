"""Teams, members and the invitation links by which people join."""

from __future__ import annotations

from datetime import timedelta

from django.core import signing
from django.db import transaction
from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext as _

from campaigns.errors import ActionRefused, format_utc, lowercase_label
from campaigns.models import Campaign, Invitation, Member, Role, Team, User
from campaigns.rules import require_permission
from campaigns.services import events

SALT = "campaigns.invitation"
MAX_USES, MAX_DAYS = 500, 365


def get_or_create_team(*, actor: User, campaign: Campaign, name: str) -> Team:
    """The team called ``name``, made if the campaign has none."""
    require_permission(actor, "campaigns.manage", campaign)
    name = name.strip()
    if not 0 < len(name) <= 60:
        raise ActionRefused("bad-team", _("A team needs a name of 1 to 60 characters."))
    with transaction.atomic():
        team, made = Team.objects.get_or_create(campaign=campaign, name=name)
        if made:
            events.log_event(campaign=campaign, actor=actor, code="team.created", subject=name)
    return team


def add_member(
    *, actor: User, campaign: Campaign, user: User, role: str, team: Team | None = None
) -> Member:
    """Give ``user`` a role. Someone who has it already keeps it."""
    require_permission(actor, "campaigns.manage", campaign)
    check_role(campaign, role, team)
    if not user.is_active:
        raise ActionRefused("inactive", f"{user.shown_name} cannot sign in, so can have no role.")
    with transaction.atomic():
        return create_membership(actor, campaign, user, role, team)


def add_team_member(
    *, actor: User, campaign: Campaign, user: User, role: str, team_name: str = ""
) -> Member:
    """``add_member`` with the team by its name, made if it is new."""
    with transaction.atomic():
        team = (
            get_or_create_team(actor=actor, campaign=campaign, name=team_name)
            if team_name
            else None
        )
        return add_member(actor=actor, campaign=campaign, user=user, role=role, team=team)


def remove_member(*, actor: User, member: Member) -> None:
    """Take a role away. What the person has submitted or judged stays."""
    campaign = member.campaign
    require_permission(actor, "campaigns.manage", campaign)
    with transaction.atomic():
        # Locked, so that two organizers cannot remove each other at once.
        organizers = campaign.members.select_for_update().filter(role=Role.ORGANIZER)
        if member.role == Role.ORGANIZER and len(organizers) == 1:
            raise ActionRefused(
                "last-organizer",
                _("A campaign needs an organizer, and this is the last one."),
                _("Make somebody else an organizer first."),
            )
        if campaign.members.filter(pk=member.pk).delete()[0]:
            told = f"{member.user.username} ({member.role})"
            events.log_event(campaign=campaign, actor=actor, code="member.removed", subject=told)


def create_invitation(
    *,
    actor: User,
    campaign: Campaign,
    role: str,
    team_name: str = "",
    uses: int = 1,
    days: int = 14,
) -> Invitation:
    """Make a link for ``uses`` people, good for ``days`` days; ``token_of`` gives it."""
    require_permission(actor, "campaigns.manage", campaign)
    if not (1 <= uses <= MAX_USES and 1 <= days <= MAX_DAYS):
        limits = f"1 to {MAX_USES} people and 1 to {MAX_DAYS} days"
        raise ActionRefused("bad-invitation", f"An invitation is for {limits}.")
    with transaction.atomic():
        team = (
            get_or_create_team(actor=actor, campaign=campaign, name=team_name)
            if team_name
            else None
        )
        check_role(campaign, role, team)
        told = f"{role}{f' of {team.name}' if team else ''}"
        events.log_event(
            campaign=campaign,
            actor=actor,
            code="invitation.created",
            subject=told,
            uses=uses,
            days=days,
        )
        return Invitation.objects.create(
            campaign=campaign,
            role=role,
            team=team,
            uses_left=uses,
            expires_at=timezone.now() + timedelta(days=days),
            created_by=actor,
        )


def revoke_invitation(*, actor: User, invitation: Invitation) -> None:
    """Make the link useless. Its row goes; the log remembers it."""
    campaign = invitation.campaign
    require_permission(actor, "campaigns.manage", campaign)
    with transaction.atomic():
        told = f"{invitation.role}{f' of {invitation.team.name}' if invitation.team else ''}"
        if Invitation.objects.filter(pk=invitation.pk).delete()[0]:
            events.log_event(
                campaign=campaign, actor=actor, code="invitation.revoked", subject=told
            )


def sign_invitation_token(invitation: Invitation) -> str:
    """The part of the link that nobody can guess or forge."""
    return signing.dumps(invitation.pk, salt=SALT)


def get_invitation(token: str) -> Invitation:
    """The open invitation behind ``token``, or ``Refused`` with the reason why there is none."""
    ask = _("Ask the organizer who sent it for a new link.")
    try:
        number = signing.loads(token, salt=SALT)
    except signing.BadSignature as error:
        fix = _("Check that the link was copied as a whole.")
        raise ActionRefused("bad-link", _("This is no invitation link."), fix) from error
    found = Invitation.objects.select_related("campaign", "team", "created_by")
    invitation = found.filter(pk=number).first()
    if invitation is None:
        raise ActionRefused("revoked", _("This invitation has been revoked."), ask)
    if invitation.uses_left == 0:
        raise ActionRefused("used-up", _("This invitation has been used up."), ask)
    if not invitation.is_open:
        told = _("This invitation was good until %(at)s.") % {
            "at": format_utc(invitation.expires_at)
        }
        raise ActionRefused("expired", told, ask)
    return invitation


def create_account(*, token: str, username: str, password: str, name: str = "") -> User:
    """Make an account for whoever holds an open invitation, and join by it."""
    with transaction.atomic():
        get_invitation(token)
        user = User.objects.create_user(username, password=password, first_name=name)
        accept_invitation(user=user, token=token)
    return user


def accept_invitation(*, user: User, token: str) -> Member:
    """Join by a link. Who has the very role already stays as they are, and uses nothing up."""
    invitation = get_invitation(token)
    campaign, team = invitation.campaign, invitation.team
    with transaction.atomic():
        roles = dict(campaign.members.filter(user=user).values_list("role", "team"))
        if roles.get(invitation.role, -1) == invitation.team_id:
            return campaign.members.get(user=user, role=invitation.role)
        if roles:
            told = ", ".join(lowercase_label(Role(role).label) for role in roles)
            raise ActionRefused(
                "has-role",
                _("You are %(roles)s of this campaign already; a link does not change that.")
                % {"roles": told},
                _("An organizer can give you another role on the campaign's people page."),
            )
        now = timezone.now()
        is_open = Invitation.objects.filter(pk=invitation.pk, uses_left__gt=0, expires_at__gt=now)
        if not is_open.update(uses_left=F("uses_left") - 1):
            raise ActionRefused(
                "used-up", _("Somebody else was quicker: this invitation is used up.")
            )
        return create_membership(user, campaign, user, invitation.role, team)


def check_role(campaign: Campaign, role: str, team: Team | None) -> None:
    if role not in Role.values:
        raise ActionRefused("bad-role", f"There is no role {role}.")
    if (role == Role.PARTICIPANT) != (team is not None):
        raise ActionRefused("bad-team", _("A participant, and nobody else, belongs to a team."))
    if team is not None and team.campaign_id != campaign.pk:
        raise ActionRefused("bad-team", f"The team {team.name} is of another campaign.")


def create_membership(
    actor: User, campaign: Campaign, user: User, role: str, team: Team | None
) -> Member:
    member, made = Member.objects.get_or_create(
        campaign=campaign, user=user, role=role, defaults={"team": team}
    )
    if not made and member.team_id != (team.pk if team else None):
        raise ActionRefused(
            "other-team",
            _("%(name)s takes part in the team %(team)s already.")
            % {"name": user.shown_name, "team": member.team},
            _("Remove that membership first: nobody is in two teams."),
        )
    if made:
        told = f"{user.username} ({role}{f', {team.name}' if team else ''})"
        events.log_event(campaign=campaign, actor=actor, code="member.joined", subject=told)
    return member
