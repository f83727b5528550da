"""Crowd studies in the life cycle of a campaign."""

from __future__ import annotations

from django.utils.translation import gettext_lazy

from campaigns.lifecycle.registry import LifeCycle, Tab
from campaigns.models import Role

LIFE_CYCLE = LifeCycle(
    tabs=(Tab(85, gettext_lazy("Crowd"), "studies", ("crowd",), (Role.ORGANIZER,)),)
)
