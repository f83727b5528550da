"""Preferences in the life cycle of a campaign."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext_lazy

from campaigns.core.faults import format_count
from campaigns.lifecycle.registry import AppFacts, LifeCycle, Status, Tab, Task, Viewer
from campaigns.models import Role
from preferences.queries.comparisons import claimable_comparison_slots


@dataclass(frozen=True)
class PreferenceFacts(AppFacts):
    """``my_comparisons``: those that wait for this assessor."""

    my_comparisons: int

    @classmethod
    def counts(cls, viewer: Viewer) -> dict[str, Any]:
        if not viewer.is_assessor:
            return {"my_comparisons": 0}
        waiting = claimable_comparison_slots(viewer.user, viewer.campaign).order_by()
        return {"my_comparisons": waiting.values("comparison").distinct().count()}


def comparison_tasks(status: Status) -> list[Task]:
    count = status.get(PreferenceFacts).my_comparisons
    text = f"{format_count(count, 'comparison')} to judge"
    return [Task(count > 0 and status.campaign.takes_judgments(), text, "comparisons", "Compare")]


TABS = (
    Tab(25, gettext_lazy("Compare"), "comparisons", ("comparisons",), (Role.ASSESSOR,)),
    Tab(
        105,
        gettext_lazy("Preferences"),
        "comparison-plans",
        ("preferences",),
        (Role.ORGANIZER,),
    ),
)
LIFE_CYCLE = LifeCycle(facts=PreferenceFacts, tasks={Role.ASSESSOR: comparison_tasks}, tabs=TABS)
