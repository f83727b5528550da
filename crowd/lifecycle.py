"""Crowd studies in the life cycle of a campaign."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.db.models import Subquery
from django.utils.translation import gettext_lazy

from campaigns.lifecycle.registry import OUTER, AppFacts, LifeCycle, Status, Tab, Task
from campaigns.models import Role
from crowd.models import Study
from crowd.queries.payment_sheet import add_due_amounts

ORGANIZER = (Role.ORGANIZER,)


@dataclass(frozen=True)
class CrowdFacts(AppFacts):
    """What is due for the first stopped study with something owed in no batch; None for none."""

    due: Decimal | None
    currency: str | None

    @classmethod
    def columns(cls) -> dict[str, Any]:
        stopped = Study.objects.filter(campaign=OUTER, state=Study.State.STOPPED)
        first = add_due_amounts(stopped).filter(due__gt=0).order_by("pk")
        return {name: Subquery(first.values(name)[:1]) for name in ("due", "currency")}


def payment_tasks(status: Status) -> list[Task]:
    facts = status.get(CrowdFacts)
    label = "A crowd study is stopped, and its workers wait for their pay"
    action = f"Pay {facts.due or 0:.2f} {facts.currency}"
    return [Task(facts.due is not None, label, "studies", action)]


LIFE_CYCLE = LifeCycle(
    facts=CrowdFacts,
    tasks={Role.ORGANIZER: payment_tasks},
    tabs=(Tab("judging", 70, gettext_lazy("Crowd"), "studies", ("judging/crowd",), ORGANIZER),),
)
