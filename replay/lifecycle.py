"""The page from which a campaign is taken away as files."""

from __future__ import annotations

from django.utils.translation import gettext_lazy

from campaigns.lifecycle.registry import LifeCycle, Tab
from campaigns.models import Role

LIFE_CYCLE = LifeCycle(
    tabs=(
        Tab(
            "results",
            90,
            gettext_lazy("Archive"),
            "archive",
            ("results/archive",),
            (Role.ORGANIZER,),
        ),
    )
)
