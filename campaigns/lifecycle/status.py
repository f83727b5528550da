"""The status of campaigns for one user, counted in a fixed number of queries."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cache
from typing import Any

from django.db.models import Count, QuerySet, Subquery
from django.db.models.functions import Coalesce

from campaigns.lifecycle.registry import LIFE_CYCLES, AppFacts, Status, Viewer
from campaigns.models import Campaign, Member, Role, User
from poolbench.shared_reads import share_reads


@share_reads
def get_campaign_status(campaign: Campaign, user: User) -> Status:
    (viewer,) = list_viewers([campaign], user)
    row = build_query().get(pk=campaign.pk)
    counts = {kind: kind.counts(viewer) for kind in list_fact_kinds()}
    return build_status(viewer, row, counts)


@share_reads
def list_campaign_statuses(campaigns: Sequence[Campaign], user: User) -> list[Status]:
    """The status of each of ``campaigns``, in a number of queries that does not depend on how
    many there are.
    """
    viewers = list_viewers(campaigns, user)
    rows = build_query().filter(pk__in=[each.pk for each in campaigns])
    by_campaign = {row["pk"]: row for row in rows}
    counts = {kind: kind.counts_by_campaign(viewers) for kind in list_fact_kinds()}
    return [
        build_status(
            viewer,
            by_campaign[viewer.campaign.pk],
            {kind: rows[viewer.campaign.pk] for kind, rows in counts.items()},
        )
        for viewer in viewers
    ]


def list_fact_kinds() -> list[type[AppFacts]]:
    return [app.facts for app in LIFE_CYCLES if app.facts]


@cache
def build_query() -> QuerySet[Campaign, Any]:
    """Campaigns with the columns of all apps. Building it takes longer than asking it, so each
    process does it once. An annotation must not have the name of a field of the model, nor two
    apps the same one.
    """
    columns = {
        f"{kind.__name__}_{name}": column
        for kind in list_fact_kinds()
        for name, column in kind.columns().items()
    }
    return Campaign.objects.order_by().values("pk", **columns)


def build_status(
    viewer: Viewer, row: Mapping[str, Any], counts: Mapping[type[AppFacts], Mapping[str, Any]]
) -> Status:
    facts = {}
    for kind, own_counts in counts.items():
        prefix = f"{kind.__name__}_"
        own = {
            name.removeprefix(prefix): value
            for name, value in row.items()
            if name.startswith(prefix)
        }
        facts[kind] = kind(**own, **own_counts)
    return Status(**vars(viewer), facts=facts)


def list_viewers(campaigns: Sequence[Campaign], user: User) -> list[Viewer]:
    """The roles and team of ``user`` in each campaign, by one query."""
    rows: dict[int, list[tuple[str, int | None, datetime | None]]] = defaultdict(list)
    members = Member.objects.filter(user_id=user.pk, campaign__in=[each.pk for each in campaigns])
    columns = ("campaign", "role", "team", "team__runs_deadline")
    for campaign, *row in members.order_by("pk").values_list(*columns):
        rows[campaign].append((row[0], row[1], row[2]))
    everywhere = {Role.ORGANIZER.value} if user.is_superuser else set()
    return [
        Viewer(
            campaign,
            user,
            frozenset(role for role, _, _ in rows[campaign.pk]) | everywhere,
            *next(((team, until) for _, team, until in rows[campaign.pk] if team), (None, None)),
        )
        for campaign in campaigns
    ]


def count_rows_subquery(rows: QuerySet[Any], distinct: str = "") -> Coalesce:
    """A column: the number of ``rows`` of one campaign, or of the values of ``distinct``."""
    count = Count(distinct or "pk", distinct=bool(distinct))
    return Coalesce(Subquery(rows.order_by().values("campaign").annotate(n=count).values("n")), 0)
