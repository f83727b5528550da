"""The pages on the trust in a collection, each beside what it examines.

*Effect on the ranking* is a page below *Agreement*, by its address.
"""

from __future__ import annotations

from django.utils.translation import gettext_lazy

from campaigns.lifecycle.registry import LifeCycle, Tab
from campaigns.models import Role

ORGANIZER = (Role.ORGANIZER,)
STOPPING, COLLECTION = ("judging/stopping",), ("results/collection",)
LIFE_CYCLE = LifeCycle(
    tabs=(
        Tab("pool", 20, gettext_lazy("Simulate"), "simulation", ("pool/simulation",), ORGANIZER),
        Tab("judging", 30, gettext_lazy("When to stop"), "stopping", STOPPING, ORGANIZER),
        Tab("results", 60, gettext_lazy("Reusability"), "reusability", COLLECTION, ORGANIZER),
    )
)
