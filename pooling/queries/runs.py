"""The runs that can be pooled, and quick selections of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from django.db.models import QuerySet

from campaigns.models import Campaign, Run
from pooling.core.spec import PoolSpec


def list_poolable_runs(campaign: Campaign) -> QuerySet[Run]:
    """The accepted runs by team and priority."""
    runs = campaign.runs.accepted().select_related("team", "campaign")
    return runs.order_by("team__name", "priority", "tag")


def choose_runs(
    runs: Iterable[Run], *, up_to_priority: int | None = None, per_team: int | None = None
) -> list[Run]:
    """Runs with priority up to ``up_to_priority``, at most ``per_team`` per team."""
    selected, team_counts = [], Counter[int]()
    for run in sorted(runs, key=lambda run: (run.team_id, run.priority, run.tag)):
        is_eligible = up_to_priority is None or run.priority <= up_to_priority
        if is_eligible and (per_team is None or team_counts[run.team_id] < per_team):
            team_counts[run.team_id] += 1
            selected.append(run)
    return selected


def find_unknown_names(spec: PoolSpec, runs: Sequence[Run]) -> list[str]:
    """The tags and teams in ``spec`` that none of ``runs`` has."""
    return spec.runs.list_unknown({run.tag for run in runs}, {run.team.name for run in runs})


def topics_to_pool(campaign: Campaign) -> list[str]:
    """Numbers of the topics to pool, in the campaign's order."""
    return list(campaign.topics.filter(withheld=False).values_list("number", flat=True))
