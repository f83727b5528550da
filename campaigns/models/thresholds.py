"""Limits between the states of verdicts, where a campaign has its own."""

from __future__ import annotations

from django.db import models

from campaigns.models.campaign import Campaign


class CampaignThreshold(models.Model):
    """The value that takes the place of the default called ``name`` (``common.verdicts``)."""

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="thresholds")
    name = models.CharField(max_length=60)
    value = models.FloatField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["campaign", "name"], name="threshold_of_campaign")
        ]
