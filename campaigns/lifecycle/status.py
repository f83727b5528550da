"""The status of campaigns for one user, counted in a fixed number of queries."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cache
from typing import Any

from django.db import connection
from django.db.models import Count, F, QuerySet, Subquery
from django.db.models.functions import Coalesce

from campaigns.lifecycle.registry import LIFE_CYCLES, AppFacts, Status, Viewer
from campaigns.models import Campaign, Member, Role, User
from poolbench.shared_reads import share_reads


@share_reads
def get_campaign_status(campaign: Campaign, user: User) -> Status:
    (viewer,) = list_viewers([campaign], user)
    (row,) = read_status_columns([campaign])
    counts = {kind: kind.counts(viewer) for kind in list_fact_kinds()}
    return build_status(viewer, row, counts)


@share_reads
def list_campaign_statuses(campaigns: Sequence[Campaign], user: User) -> list[Status]:
    """The status of each of ``campaigns``, in a number of queries that does not depend on how
    many there are.
    """
    viewers = list_viewers(campaigns, user)
    by_campaign = {row["pk"]: row for row in read_status_columns(campaigns)}
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


def read_status_columns(campaigns: Sequence[Campaign]) -> list[dict[str, Any]]:
    """The columns of all apps, by name, of each of ``campaigns`` that still exists."""
    if not campaigns:
        return []
    sql, params, columns = compile_query(connection.vendor)
    places = ", ".join(["%s"] * len(campaigns))
    with connection.cursor() as cursor:
        cursor.execute(
            f"{sql} WHERE campaigns_campaign.id IN ({places})",
            [*params, *(each.pk for each in campaigns)],
        )
        rows = cursor.fetchall()
    return [
        {name: to_python(value, columns[name]) for name, value in zip(columns, row, strict=True)}
        for row in rows
    ]


def to_python(value: Any, column: Any) -> Any:
    """A value of the database as any query of the ORM would give it."""
    for convert in connection.ops.get_db_converters(column) + column.get_db_converters(connection):
        value = convert(value, column, connection)
    return value


@cache
def compile_query(vendor: str) -> tuple[str, tuple[Any, ...], dict[str, Any]]:  # noqa: ARG001
    """The columns of all apps, of all campaigns: SQL, its parameters, and the expressions by name.
    Each page asks it, and building and compiling it takes seven times as long as asking it, so
    each process does that once. An annotation must not have the name of a field of the model, nor
    two apps the same one.
    """
    columns = {
        f"{kind.__name__}_{name}": column
        for kind in list_fact_kinds()
        for name, column in kind.columns().items()
    }
    query = Campaign.objects.order_by().values(**columns, pk=F("id")).query
    sql, params = query.sql_with_params()
    return sql, params, query.annotation_select


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
