"""Preferences in the life cycle of a campaign."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from campaigns.lifecycle.registry import AppFacts, HomeTask, LifeCycle, Status, Tab, Task, Viewer
from campaigns.lifecycle.texts import ngettext
from campaigns.models import Role, User
from preferences.queries.comparisons import claimable_comparison_slots, count_waiting_comparisons


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

    @classmethod
    def counts_by_campaign(cls, viewers: Sequence[Viewer]) -> dict[int, dict[str, Any]]:
        """Without what waits for the user: see ``list_home_comparisons``."""
        return {viewer.campaign.pk: {"my_comparisons": 0} for viewer in viewers}


def list_home_comparisons(user: User, viewers: Collection[Viewer]) -> list[HomeTask]:
    """Comparisons that wait for an assessor, by campaign."""
    campaigns = {
        viewer.campaign.pk: viewer.campaign
        for viewer in viewers
        if viewer.is_assessor and viewer.campaign.takes_judgments()
    }
    return [
        HomeTask(
            campaigns[pk],
            name_waiting_comparisons(count),
            _("Compare"),
            reverse("comparisons", args=[campaigns[pk].slug]),
            campaigns[pk].judging_deadline,
        )
        for pk, count in count_waiting_comparisons(user, list(campaigns)).items()
    ]


def comparison_tasks(status: Status) -> list[Task]:
    count = status.get(PreferenceFacts).my_comparisons
    needed, text = count > 0 and status.campaign.takes_judgments(), name_waiting_comparisons(count)
    return [Task(needed, text, "comparisons", _("Compare"))]


def name_waiting_comparisons(count: int) -> str:
    return ngettext("%(n)s comparison to judge", "%(n)s comparisons to judge", count)


ORGANIZER, ASSESSOR = (Role.ORGANIZER,), (Role.ASSESSOR,)
PREFERENCES = ("judging/preferences",)
TABS = (
    Tab("judging", 12, gettext_lazy("Compare"), "comparisons", ("comparisons",), ASSESSOR),
    Tab("judging", 75, gettext_lazy("Preferences"), "comparison-plans", PREFERENCES, ORGANIZER),
)
LIFE_CYCLE = LifeCycle(
    facts=PreferenceFacts,
    tasks={Role.ASSESSOR: comparison_tasks},
    tabs=TABS,
    home_tasks=(list_home_comparisons,),
)
