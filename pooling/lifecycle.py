"""The pool in the life cycle of a campaign."""

from dataclasses import dataclass
from typing import Any

from django.db.models import Count, F, Q, Subquery
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from campaigns.lifecycle.campaign import CampaignFacts
from campaigns.lifecycle.registry import OUTER, AppFacts, LifeCycle, Phase, Status, Tab, Task
from campaigns.lifecycle.texts import format_moment, ngettext
from campaigns.models import Role
from pooling.models import Pool

ADDED = Count("events", filter=Q(events__relevant=None))
"""Documents added to an adaptive pool since it was frozen."""


@dataclass(frozen=True)
class PoolFacts(AppFacts):
    """The latest version and its size; None without a pool."""

    version: int | None
    size: int | None

    @classmethod
    def columns(cls) -> dict[str, Any]:
        pools = Pool.objects.filter(campaign=OUTER).order_by("-version")
        return {
            "version": Subquery(pools.values("version")[:1]),
            "size": Subquery(pools.annotate(n=F("size") + ADDED).values("n")[:1]),
        }


def has_pool(status: Status) -> bool:
    return status.get(PoolFacts).version is not None


def describe_pool_phase(status: Status) -> list[str]:
    if not (status.is_organizer and has_pool(status)):
        return []
    size = status.get(PoolFacts).size or 0
    return [ngettext("%(n)s document", "%(n)s documents", size)]


def pooling_tasks(status: Status) -> list[Task]:
    campaign, runs = status.campaign, status.get(CampaignFacts).runs
    closed = campaign.runs_deadline is None or not campaign.takes_runs()
    ready = ngettext("%(n)s run is ready for pooling", "%(n)s runs are ready for pooling", runs)
    poolable = closed and runs > 0 and not status.is_done("pool")
    return [Task(poolable, ready, "pools", _("Build pool"))]


def pooling_steps(status: Status) -> list[Task]:
    text = _("Wait for runs, then build the pool")
    if deadline := status.campaign.runs_deadline:
        text = _("Submission open until %(at)s, then build the pool")
        text %= {"at": format_moment(deadline)}
    return [Task(status.get(CampaignFacts).runs > 0, text, "pools", _("Prepare pool"))]


POOL = Phase(
    name="pool",
    label=gettext_lazy("Pool"),
    begun=has_pool,
    # Qrels may contain judgments that were made without a pool.
    done=lambda status: has_pool(status) or status.has_begun("qrels"),
    note=describe_pool_phase,
    pages={Role.ORGANIZER: "pools"},
)
LIFE_CYCLE = LifeCycle(
    facts=PoolFacts,
    phases=(POOL,),
    tasks={Role.ORGANIZER: pooling_tasks},
    steps={Role.ORGANIZER: pooling_steps},
    tabs=(Tab("pool", 10, gettext_lazy("Pools"), "pools", ("pool",), (Role.ORGANIZER,)),),
)
