"""Qrels versions."""

from django.db import models
from django.urls import reverse

from campaigns.models import AppendOnlyModel, Campaign, User
from poolbench.judging.policies import NO_ESTIMATE, label_qrels


class Qrels(AppendOnlyModel):
    """An immutable qrels version: built from the judgments as of ``as_of`` under ``policy``.

    ``path`` is a name in the content store; ``sha256`` is of the 4-column text.
    """

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="qrels")
    version = models.PositiveIntegerField()
    policy = models.CharField(max_length=250)
    as_of = models.DateTimeField()
    path = models.CharField(max_length=200)
    sha256 = models.CharField(max_length=64)
    pairs = models.PositiveIntegerField()
    manifest = models.JSONField()
    note = models.CharField(max_length=200, blank=True)
    frozen_by = models.ForeignKey(User, models.PROTECT, related_name="+")
    frozen_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-version"]
        verbose_name_plural = "qrels"
        constraints = [models.UniqueConstraint("campaign", "version", name="qrels_version_once")]

    def __str__(self) -> str:
        return f"qrels {self.version} ({self.label})" if self.label else f"qrels {self.version}"

    def get_absolute_url(self) -> str:
        return reverse("qrels", args=[self.campaign.slug, self.version])

    @property
    def label(self) -> str:
        """What all scores by these qrels are labelled with; empty for human judgments."""
        return label_qrels(self.manifest)

    @property
    def label_reading(self) -> str:
        """The sentence about the label."""
        return NO_ESTIMATE if self.label else ""

    @property
    def automatic_pairs(self) -> int:
        """The pairs whose grade is an automatic assessor's."""
        return int((self.manifest.get("automatic") or {}).get("pairs", 0))
