"""Figures that a job computes because a request would take too long."""

from __future__ import annotations

from django.db import models

from campaigns.models.campaign import Campaign


class Snapshot(models.Model):
    """The latest figures called ``name``. ``inputs`` identifies all that they depend on."""

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="snapshots")
    name = models.CharField(max_length=60)
    inputs = models.CharField(max_length=64)
    data = models.JSONField()
    computed_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["campaign", "name"], name="snapshot_of_campaign")
        ]


FORM = 4
"""Of the reports in snapshots: a change of their fields or meaning raises it, so that reports of an
older form are computed again.
"""


def name_snapshot(subject: str) -> str:
    """The snapshot of the report on a subject."""
    return f"{subject}-{FORM}"
