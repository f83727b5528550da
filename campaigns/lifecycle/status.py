"""The status of a campaign for one user, counted in a fixed number of queries."""

from __future__ import annotations

from typing import Any

from django.db.models import Count, QuerySet, Subquery
from django.db.models.functions import Coalesce

from campaigns.lifecycle.registry import LIFE_CYCLES, Status, Viewer
from campaigns.models import Campaign, Role, User


def get_campaign_status(campaign: Campaign, user: User) -> Status:
    viewer = get_viewer(campaign, user)
    kinds = [app.facts for app in LIFE_CYCLES if app.facts]
    # An annotation must not have the name of a field of the model, nor two apps the same one.
    columns = {
        f"{kind.__name__}_{name}": column
        for kind in kinds
        for name, column in kind.columns(viewer).items()
    }
    row = Campaign.objects.filter(pk=campaign.pk).values(**columns).get()
    facts = {}
    for kind in kinds:
        prefix = f"{kind.__name__}_"
        own = {
            name.removeprefix(prefix): value
            for name, value in row.items()
            if name.startswith(prefix)
        }
        facts[kind] = kind(**own, **kind.counts(viewer))
    return Status(**vars(viewer), facts=facts)


def get_viewer(campaign: Campaign, user: User) -> Viewer:
    rows = list(campaign.members.filter(user_id=user.pk).values_list("role", "team"))
    roles = {role for role, _ in rows} | ({Role.ORGANIZER.value} if user.is_superuser else set())
    team = next((team for _, team in rows if team is not None), None)
    return Viewer(campaign, user, frozenset(roles), team)


def count_rows_subquery(rows: QuerySet[Any], by: str = "campaign", distinct: str = "") -> Coalesce:
    """A column: the number of ``rows`` of one campaign, or of the values of ``distinct``."""
    groups = rows.order_by().values(by).annotate(n=Count(distinct or "pk", distinct=bool(distinct)))
    return Coalesce(Subquery(groups.values("n")), 0)
