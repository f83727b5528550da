"""The runs that can be pooled, and quick ways to choose among them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from django.db.models import QuerySet

from campaigns.models import Campaign, Run
from pooling.core.spec import PoolSpec


def list_poolable_runs(campaign: Campaign) -> QuerySet[Run]:
    """The accepted runs: teams together, in the order in which they want them pooled."""
    found = campaign.runs.accepted().select_related("team", "campaign")
    return found.order_by("team__name", "priority", "tag")


def choose_runs(
    runs: Iterable[Run], *, up_to_priority: int | None = None, per_team: int | None = None
) -> list[Run]:
    """Runs of a priority up to ``up_to_priority``, the first ``per_team`` of each team."""
    chosen, of_team = [], Counter[int]()
    for run in sorted(runs, key=lambda run: (run.team_id, run.priority, run.tag)):
        wanted = up_to_priority is None or run.priority <= up_to_priority
        if wanted and (per_team is None or of_team[run.team_id] < per_team):
            of_team[run.team_id] += 1
            chosen.append(run)
    return chosen


def find_unknown_names(spec: PoolSpec, runs: Sequence[Run]) -> list[str]:
    """The tags and teams that ``spec`` names and none of ``runs`` has."""
    return spec.runs.unknown({run.tag for run in runs}, {run.team.name for run in runs})


def topics_to_pool(campaign: Campaign) -> list[str]:
    """Numbers of the topics that runs answer, in the campaign's order."""
    return list(campaign.topics.filter(withheld=False).values_list("number", flat=True))
