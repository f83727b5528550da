"""As of when figures are that a job computes: what ``partials/as_of.html`` shows."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from django.urls import reverse

from campaigns.models import Campaign, Job


class ComputedFigures(Protocol):
    """``SnapshotState``, or figures that have its fields."""

    @property
    def computed_at(self) -> datetime | None: ...
    @property
    def is_current(self) -> bool: ...
    @property
    def job(self) -> Job | None: ...


@dataclass(frozen=True)
class SnapshotNotice:
    """``is_current``: nothing has changed since ``computed_at``; ``job`` computes the figures
    anew or has failed.
    """

    computed_at: datetime | None
    is_current: bool
    job: Job | None
    job_url: str


def build_snapshot_notice(campaign: Campaign, figures: ComputedFigures) -> SnapshotNotice:
    job = figures.job
    url = reverse("job", args=[campaign.slug, job.pk]) if job else ""
    return SnapshotNotice(figures.computed_at, figures.is_current, job, url)
