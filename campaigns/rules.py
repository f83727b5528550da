"""Permissions in a campaign, each from predicates on roles.

Permissions are checked on a ``Campaign``: ``user.has_perm("campaigns.manage", campaign)``. A
superuser has all of them. Services check them with ``require_permission``.
"""

from __future__ import annotations

from collections.abc import Iterable

import rules
from django.core.exceptions import PermissionDenied

from campaigns.models import Campaign, Role, User


def get_roles(user: User, campaign: Campaign) -> frozenset[str]:
    """The roles of ``user`` in ``campaign``."""
    rows = campaign.members.filter(user_id=user.pk).values_list("role", flat=True)
    return frozenset(rows)


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
    return user.can_create_campaigns


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


def require_permission(user: User, permission: str, campaign: Campaign | None = None) -> None:
    """Raise ``PermissionDenied`` unless ``user`` has ``permission`` on ``campaign``."""
    if not user.has_perm(permission, campaign):
        raise PermissionDenied(f"{user.get_username()} lacks {permission}")
