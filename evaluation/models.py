"""Score sets, with one packed row per run."""

from __future__ import annotations

from typing import Any

import numpy as np
from django.db import models
from django.urls import reverse
from numpy.typing import NDArray

from campaigns.models import AppendOnlyModel, Campaign, CampaignTask, Run, User
from judging.models import Qrels


class ScoreSet(models.Model):
    """The scores of all accepted runs, or those of a task, under one qrels version.

    ``topics`` and ``measures`` name the rows and columns of every packed table.
    ``conditions`` is what ``provenance`` stores. Only the release changes a score set, once.
    """

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="score_sets")
    task = models.ForeignKey(
        CampaignTask, models.RESTRICT, null=True, blank=True, related_name="score_sets"
    )
    qrels = models.ForeignKey(Qrels, models.PROTECT, related_name="score_sets")
    topics = models.JSONField()
    measures = models.JSONField()
    conditions = models.JSONField()
    created_by = models.ForeignKey(User, models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    released_at = models.DateTimeField(null=True, blank=True)
    released_by = models.ForeignKey(User, models.PROTECT, null=True, related_name="+")

    class Meta:
        ordering = ["-created_at", "-pk"]

    def __str__(self) -> str:
        return f"score set {self.pk} ({self.label})" if self.label else f"score set {self.pk}"

    def get_absolute_url(self) -> str:
        return reverse("score-set", args=[self.campaign.slug, self.pk])

    @property
    def label(self) -> str:
        """That of the qrels, "filled, no estimate" for example; shown wherever the scores are."""
        return self.qrels.label

    @property
    def provenance(self) -> dict[str, Any]:
        """``conditions``, with the label and the reason for it, if there is one."""
        if not self.label:
            return dict(self.conditions)
        pairs = {"pairs": self.qrels.pairs, "automatic_pairs": self.qrels.automatic_pairs}
        return {"label": self.label, **pairs, **self.conditions}


class RunScores(AppendOnlyModel):
    """One run's scores: means by measure and the packed topics × measures float64 table.

    An undefined mean or cell is null in ``means`` and NaN in ``table``.
    """

    score_set = models.ForeignKey(ScoreSet, models.CASCADE, related_name="runs")
    run = models.ForeignKey(Run, models.PROTECT, related_name="scores")
    means = models.JSONField()
    packed = models.BinaryField()

    class Meta:
        constraints = [models.UniqueConstraint("score_set", "run", name="scores_of_run_once")]

    @property
    def table(self) -> NDArray[np.float64]:
        """Topics × measures, in the order of ``score_set.topics`` and ``score_set.measures``."""
        flat = np.frombuffer(bytes(self.packed), dtype="<f8")
        return flat.reshape(len(self.score_set.topics), len(self.score_set.measures))


class ScorePublication(AppendOnlyModel):
    """That everybody may see a score set, as ``board`` says, which was the campaign's at the time.
    The newest one counts.
    """

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="score_publications")
    score_set = models.ForeignKey(ScoreSet, models.PROTECT, related_name="publications")
    board = models.CharField(max_length=12, choices=Campaign.Board)
    at = models.DateTimeField(auto_now_add=True)
    by = models.ForeignKey(User, models.PROTECT, related_name="+")

    class Meta:
        ordering = ["-at", "-pk"]
