"""The pages on the trust in a collection, each beside what it examines.

*Effect on the ranking* is a page below *Agreement*, by its address.
"""

from django.utils.translation import gettext_lazy

from campaigns.lifecycle.registry import LifeCycle, PageVerdict, Status, Tab
from campaigns.models import Role
from campaigns.services.snapshots import list_stored_verdicts
from reliability.queries.new_runs import describe_judged_share

ORGANIZER = (Role.ORGANIZER,)
STOPPING, COLLECTION = ("judging/stopping",), ("results/collection",)
LABELS = {
    "today": gettext_lazy("Judging today"),
    "agreement": gettext_lazy("Agreement"),
    "stopping": gettext_lazy("When to stop"),
    "collection": gettext_lazy("Reusability"),
    "leaderboard": gettext_lazy("Leaderboard"),
}
"""The verdicts on the overview, in this order."""


def list_page_verdicts(status: Status) -> list[PageVerdict]:
    """Of the stored figures; none is computed for the overview."""
    if not status.is_organizer:
        return []
    stored = {each.subject.name: each for each in list_stored_verdicts(status.campaign)}
    return [
        PageVerdict(
            label, stored[name].subject.page, stored[name].verdict, stored[name].computed_at
        )
        for name, label in LABELS.items()
        if name in stored
    ]


LIFE_CYCLE = LifeCycle(
    run_notes=(describe_judged_share,),
    verdicts=(list_page_verdicts,),
    tabs=(
        Tab("pool", 20, gettext_lazy("Simulate"), "simulation", ("pool/simulation",), ORGANIZER),
        Tab("judging", 30, gettext_lazy("When to stop"), "stopping", STOPPING, ORGANIZER),
        Tab("results", 60, gettext_lazy("Reusability"), "reusability", COLLECTION, ORGANIZER),
    ),
)
