"""Permissions in a campaign, each from predicates on roles.

Permissions are checked on a ``Campaign``: ``user.has_perm("campaigns.manage", campaign)``. A
superuser has all of them. Services that write check them with ``require_permission``, which also
refuses every act on a campaign that is closed or deleted; what only reads has ``require_access``.
"""

from collections.abc import Iterable

import rules
from django.core.exceptions import PermissionDenied
from django.utils.translation import gettext as _

from campaigns.errors import ActionRefused, format_utc
from campaigns.models import Campaign, Role, User


def get_roles(user: User, campaign: Campaign) -> frozenset[str]:
    """The roles of ``user`` in ``campaign``: none with a token for another campaign, and in one
    that is to be removed only of organizers.
    """
    if user.token_campaign_id not in (None, campaign.pk):
        return frozenset()
    known = campaign.known_roles
    roles = None if known is None else known.get(user.pk)
    if roles is None:
        members = campaign.members.filter(user_id=user.pk).order_by()
        roles = frozenset(members.values_list("role", flat=True))
    if known is not None:
        known[user.pk] = roles
    return roles if campaign.removal_at is None or Role.ORGANIZER in roles else frozenset()


CONFLICTING = (Role.ORGANIZER, Role.ASSESSOR, Role.ADJUDICATOR)
"""Roles that conflict with that of a participant: they judge, or see the runs of others."""


def list_conflicts(roles: Iterable[str]) -> list[str]:
    """Those of one person's ``roles`` that conflict with each other; empty if none do."""
    held = set(roles)
    conflicts = [role.value for role in CONFLICTING if role in held]
    return [Role.PARTICIPANT.value, *conflicts] if Role.PARTICIPANT in held and conflicts else []


@rules.predicate  # type: ignore[untyped-decorator]
def is_member(user: User, campaign: Campaign) -> bool:
    return bool(get_roles(user, campaign))


@rules.predicate  # type: ignore[untyped-decorator]
def is_organizer(user: User, campaign: Campaign) -> bool:
    return Role.ORGANIZER in get_roles(user, campaign)


@rules.predicate  # type: ignore[untyped-decorator]
def is_assessor(user: User, campaign: Campaign) -> bool:
    return Role.ASSESSOR in get_roles(user, campaign)


@rules.predicate  # type: ignore[untyped-decorator]
def is_adjudicator(user: User, campaign: Campaign) -> bool:
    return Role.ADJUDICATOR in get_roles(user, campaign)


@rules.predicate  # type: ignore[untyped-decorator]
def is_participant(user: User, campaign: Campaign) -> bool:
    return Role.PARTICIPANT in get_roles(user, campaign)


@rules.predicate  # type: ignore[untyped-decorator]
def may_create_campaigns(user: User, _: object = None) -> bool:
    return user.can_create_campaigns and user.token_campaign_id is None


rules.add_perm("campaigns.create", may_create_campaigns)
rules.add_perm("campaigns.view", is_member)
rules.add_perm("campaigns.manage", is_organizer)
rules.add_perm("campaigns.submit_run", is_participant)
rules.add_perm("campaigns.see_runs", is_organizer | is_participant)
rules.add_perm("campaigns.judge", is_assessor)
rules.add_perm("campaigns.adjudicate", is_adjudicator)
rules.add_perm("campaigns.use_desk", is_assessor | is_adjudicator)
rules.add_perm("campaigns.see_guidelines", is_organizer | is_assessor | is_adjudicator)
rules.add_perm("campaigns.settle", is_organizer | is_adjudicator)


def is_organizer_anywhere(user: User, campaign: Campaign) -> bool:
    return user.is_superuser or is_organizer(user, campaign)


def require_access(user: User, permission: str, campaign: Campaign | None = None) -> None:
    """To read: raise ``PermissionDenied`` unless ``user`` has ``permission`` on ``campaign``."""
    if not user.has_perm(permission, campaign):
        raise PermissionDenied(f"{user.get_username()} lacks {permission}")


def require_permission(user: User, permission: str, campaign: Campaign | None = None) -> None:
    """To write: the same, and the campaign must not be closed or deleted."""
    require_access(user, permission, campaign)
    if campaign is not None:
        require_open(campaign)


def require_open(campaign: Campaign) -> None:
    """Refuse an act on a campaign that is closed or deleted: the one gate of all that write."""
    if campaign.removal_at is not None:
        message = _("The campaign is deleted; it is removed on %(at)s.")
        message %= {"at": format_utc(campaign.removal_at)}
        raise ActionRefused("campaign-deleted", message, _("An organizer can restore it."))
    if campaign.closed_at is not None:
        message = _("The campaign is closed since %(at)s: it can be read, but not changed.")
        message %= {"at": format_utc(campaign.closed_at)}
        raise ActionRefused("campaign-closed", message, _("An organizer can reopen it."))
