"""Imported click logs, and the preferences they imply."""

from __future__ import annotations

from django.db import models

from campaigns.models import AppendOnlyModel, Campaign, Topic, User


class ClickLog(AppendOnlyModel):
    """An imported file of sessions; ``sha256`` is of the file. The file itself is not kept.

    ``own_lists``: by run tag, how many of the sessions showed a list of that run, among the runs
    accepted at the time of the import and those that the file names.
    """

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="click_logs")
    name = models.CharField(max_length=120)
    sha256 = models.CharField(max_length=64)
    sessions = models.PositiveIntegerField()
    preferences = models.PositiveIntegerField()
    own_lists = models.JSONField(default=dict)
    imported_by = models.ForeignKey(User, models.PROTECT, related_name="+")
    imported_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-pk"]
        constraints = [models.UniqueConstraint("campaign", "sha256", name="click_log_once")]


class ClickPreference(AppendOnlyModel):
    """``better`` was clicked in ``times`` sessions, and ``worse`` above it was not."""

    log = models.ForeignKey(ClickLog, models.CASCADE, related_name="pairs")
    topic = models.ForeignKey(Topic, models.PROTECT, related_name="+")
    better = models.CharField(max_length=500)
    worse = models.CharField(max_length=500)
    times = models.PositiveIntegerField()

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint("log", "topic", "better", "worse", name="click_pair_once")
        ]
