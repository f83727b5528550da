"""Score sets, with one packed row per run."""

from typing import Any

import numpy as np
from django.db import models
from django.urls import reverse
from numpy.typing import NDArray

from campaigns.models import AppendOnlyModel, Campaign, CampaignTask, Run, User
from judging.models import Qrels
from poolbench.estimation.report import RunEstimate
from poolbench.estimation.run_order import LEAST_GAIN
from poolbench.plain_data import read_plain

ESTIMATED = "estimate from a sample"
SAMPLED = "judged sample, no estimate"


class ScoreSet(models.Model):
    """The scores of all accepted runs, or those of a task, under one qrels version.

    ``kind`` says what they are: values by people's grades of the whole pool, plain values by those
    of a sample, estimates from a sample, or values by grades that an assessor filled in. Two kinds
    never stand in one column.
    ``topics`` and ``measures`` name the rows and columns of every packed table.
    ``conditions`` is what ``provenance`` stores. Only the release changes a score set, once.
    """

    class Kind(models.TextChoices):
        PEOPLE = "people", "people's grades"
        SAMPLE = "sample", SAMPLED
        ESTIMATE = "estimate", ESTIMATED
        FILLED = "filled", "filled, no estimate"

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="score_sets")
    kind = models.CharField(max_length=8, choices=Kind, default=Kind.PEOPLE)
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
    def is_estimate(self) -> bool:
        return self.kind == self.Kind.ESTIMATE

    @property
    def label(self) -> str:
        """The kind, or that of the qrels, "filled, no estimate" for example; shown wherever the
        scores are. Empty for people's grades of a whole pool.
        """
        return LABELS.get(self.kind, "") or self.qrels.label

    @property
    def label_reading(self) -> str:
        """The sentence about the label."""
        if self.is_estimate:
            return describe_estimate(self.conditions["estimate"])
        return SAMPLED_READING if self.kind == self.Kind.SAMPLE else self.qrels.label_reading

    @property
    def provenance(self) -> dict[str, Any]:
        """``conditions``, with the label and the reason for it, if there is one."""
        if not self.label:
            return dict(self.conditions)
        record: dict[str, Any] = {"label": self.label, "kind": self.kind}
        if self.kind in LABELS:
            record["reading"] = self.label_reading
        else:
            record |= {"pairs": self.qrels.pairs, "automatic_pairs": self.qrels.automatic_pairs}
        record |= self.conditions
        return record


LABELS: dict[str, str] = {ScoreSet.Kind.ESTIMATE: ESTIMATED, ScoreSet.Kind.SAMPLE: SAMPLED}
SAMPLED_READING = (
    "People judged a sample of the pool. Pairs that were not drawn count as not judged, so these "
    "scores do not tell what judging the whole pool would give."
)


FOLLOWS = (
    "Places follow these grades in part, so that a run can be above one with a higher estimate."
)


def describe_estimate(facts: dict[str, Any]) -> str:
    """The sentence that a paper needs: what was judged, and what the intervals hold."""
    names = [each["name"] for each in facts["machines"]]
    helped = [f"the grades of {', '.join(names)}"] if names else []
    helped += ["a text classifier"] if facts.get("texts") else []
    aid = f", with {' and '.join(helped)} as an aid" if helped else ""
    has_gain = (facts.get("gain") or 0) >= LEAST_GAIN
    follows = bool(helped) and has_gain and not facts.get("order")
    return (
        f"Estimated from {facts['judged']:,} pairs that people judged, a probability sample of the "
        f"{facts['pairs']:,} pairs of pool {facts['pool']}"
        f"{aid}. 95\u00a0% intervals "
        "hold what judging every pair of the pool would give, for the topics at hand; not "
        "documents outside the pool, and not how far assessors differ. Runs are compared by the "
        "intervals of their differences, not by tests over topics."
        f"{' ' + FOLLOWS if follows else ''}"
    )


class RunScores(AppendOnlyModel):
    """One run's scores: means by measure and the packed topics × measures float64 table.

    An undefined mean or cell is null in ``means`` and NaN in ``table``. Of an estimate also, by
    measure, ``intervals`` with the place (``RunEstimate`` without its tag); and packed, measures ×
    runs by their IDs, standard errors of the differences to all runs of the set.
    """

    score_set = models.ForeignKey(ScoreSet, models.CASCADE, related_name="runs")
    run = models.ForeignKey(Run, models.PROTECT, related_name="scores")
    means = models.JSONField()
    packed = models.BinaryField()
    intervals = models.JSONField(default=dict, blank=True)
    difference_errors = models.BinaryField(default=b"", blank=True)

    class Meta:
        constraints = [models.UniqueConstraint("score_set", "run", name="scores_of_run_once")]

    @property
    def table(self) -> NDArray[np.float64]:
        """Topics × measures, in the order of ``score_set.topics`` and ``score_set.measures``."""
        flat = np.frombuffer(bytes(self.packed), dtype="<f8")
        return flat.reshape(len(self.score_set.topics), len(self.score_set.measures))

    @property
    def estimates(self) -> dict[str, RunEstimate]:
        """By measure; empty unless the scores are estimates."""
        if not self.intervals:
            return {}
        names = self.score_set.measures
        return {name: read_plain(RunEstimate, self.intervals[name]) for name in names}


class EstimateFrame(AppendOnlyModel):
    """What an estimate was computed from: ``pairs`` by topic, and by pair ``packed`` numbers: the
    probability of inclusion, people's grade, the grade of each machine, the fitted chance of each
    grade or more. NaN where there is none.
    """

    score_set = models.OneToOneField(ScoreSet, models.CASCADE, related_name="frame")
    pairs = models.JSONField()
    packed = models.BinaryField()

    @property
    def table(self) -> NDArray[np.float64]:
        """Pairs × columns."""
        size = sum(len(docnos) for _, docnos in self.pairs)
        return np.frombuffer(bytes(self.packed), dtype="<f8").reshape(size, -1)


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
