"""The status of campaigns for one user, counted in a fixed number of queries."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce

from campaigns.lifecycle.registry import LIFE_CYCLES, AppFacts, Status, Viewer
from campaigns.models import Campaign, Member, Role, User


def get_campaign_status(campaign: Campaign, user: User) -> Status:
    (viewer,) = list_viewers([campaign], user)
    row = Campaign.objects.filter(pk=campaign.pk).values(**list_columns(viewer)).get()
    counts = {kind: kind.counts(viewer) for kind in list_fact_kinds()}
    return build_status(viewer, row, counts)


def list_campaign_statuses(campaigns: Sequence[Campaign], user: User) -> list[Status]:
    """The status of each of ``campaigns``, in a number of queries that does not depend on how
    many there are.
    """
    viewers = list_viewers(campaigns, user)
    # The columns are subqueries on one campaign: the outer one, whichever it is.
    outer: Any = OuterRef("pk")
    team = Member.objects.filter(campaign=outer, user=user.pk, team__isnull=False).values("team")
    columns = list_columns(Viewer(outer, user, frozenset(), OuterRef("own_team")))  # type: ignore[arg-type]
    rows = Campaign.objects.filter(pk__in=[each.pk for each in campaigns])
    rows = rows.annotate(own_team=Subquery(team[:1])).order_by()
    by_campaign = {row["pk"]: row for row in rows.values("pk", **columns)}
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


def list_columns(viewer: Viewer) -> dict[str, Any]:
    """The columns of all apps; an annotation must not have the name of a field of the model, nor
    two apps the same one.
    """
    return {
        f"{kind.__name__}_{name}": column
        for kind in list_fact_kinds()
        for name, column in kind.columns(viewer).items()
    }


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
    rows: dict[int, list[tuple[str, int | None]]] = defaultdict(list)
    members = Member.objects.filter(user_id=user.pk, campaign__in=[each.pk for each in campaigns])
    for campaign, role, team in members.order_by("pk").values_list("campaign", "role", "team"):
        rows[campaign].append((role, team))
    everywhere = {Role.ORGANIZER.value} if user.is_superuser else set()
    return [
        Viewer(
            campaign,
            user,
            frozenset(role for role, _ in rows[campaign.pk]) | everywhere,
            next((team for _, team in rows[campaign.pk] if team is not None), None),
        )
        for campaign in campaigns
    ]


def count_rows_subquery(rows: QuerySet[Any], by: str = "campaign", distinct: str = "") -> Coalesce:
    """A column: the number of ``rows`` of one campaign, or of the values of ``distinct``."""
    groups = rows.order_by().values(by).annotate(n=Count(distinct or "pk", distinct=bool(distinct)))
    return Coalesce(Subquery(groups.values("n")), 0)
