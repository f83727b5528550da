"""Crowd studies in the life cycle of a campaign."""

from __future__ import annotations

from django.utils.translation import gettext_lazy

from campaigns.lifecycle.registry import LifeCycle, Tab
from campaigns.models import Role

ORGANIZER = (Role.ORGANIZER,)
LIFE_CYCLE = LifeCycle(
    tabs=(Tab("judging", 70, gettext_lazy("Crowd"), "studies", ("judging/crowd",), ORGANIZER),)
)
