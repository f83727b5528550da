"""Frozen, versioned pools: the documents to judge."""

from django.db import models
from django.db.models import Q
from django.urls import reverse

from campaigns.models import AppendOnlyModel, Campaign, CampaignTask, Topic, User
from poolbench.pooling.spec import method_in_words


class Pool(AppendOnlyModel):
    """A frozen pool. ``spec`` has the steps, the budget, the runs and their hashes.

    ``inputs_hash`` is the sha256 of ``spec``: the same runs and method give the same pool, and
    extending a pool creates a new version. ``size`` is the number of documents when it was
    frozen; if ``spec["adaptive"]``, judgments add more (``PoolTopic``).
    """

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="pools")
    task = models.ForeignKey(
        CampaignTask, models.RESTRICT, null=True, blank=True, related_name="pools"
    )
    version = models.PositiveIntegerField()
    spec = models.JSONField()
    inputs_hash = models.CharField(max_length=64)
    size = models.PositiveIntegerField()
    frozen_by = models.ForeignKey(User, models.PROTECT, related_name="+")
    frozen_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-version"]
        constraints = [models.UniqueConstraint("campaign", "version", name="pool_version_once")]

    def __str__(self) -> str:
        return f"pool {self.version}"

    @property
    def is_adaptive(self) -> bool:
        """Whether judgments decide which documents are added next."""
        return bool(self.spec.get("adaptive"))

    @property
    def method(self) -> str:
        """A short description of the spec, such as ``depth 10, then rrf``."""
        return method_in_words(self.spec)

    def get_absolute_url(self) -> str:
        return reverse("pool", args=[self.campaign.slug, self.version])


class PoolItem(AppendOnlyModel):
    """One (topic, docno) pair of a pool.

    ``contributors`` are indices into ``pool.spec["runs"]`` as packed little-endian uint16;
    ``position`` orders the items of a topic by seeded hash, so that assessors cannot infer ranks;
    ``priority`` is the order of selection (None in pools of spec version 1). ``stratum`` is 0 and
    ``probability`` 1 for documents that were not sampled.
    """

    # Two indexes begin with it.
    pool = models.ForeignKey(Pool, models.CASCADE, related_name="items", db_index=False)
    topic = models.ForeignKey(Topic, models.PROTECT, related_name="+")
    docno = models.CharField(max_length=500)
    min_rank = models.PositiveIntegerField()
    contributors = models.BinaryField()
    position = models.PositiveIntegerField()
    priority = models.PositiveIntegerField(null=True)
    stratum = models.PositiveIntegerField(default=0)
    probability = models.FloatField(default=1.0)

    class Meta:
        ordering = ["topic__position", "topic__number", "docno"]
        constraints = [
            models.UniqueConstraint("pool", "topic", "docno", name="pool_pair_once"),
            models.UniqueConstraint("pool", "topic", "position", name="pool_position_once"),
        ]


class PoolTopic(models.Model):
    """A topic of an adaptive pool, with at most ``budget`` documents.

    ``ended`` is set when the method selects no more. The row is locked while the pool is extended.
    """

    pool = models.ForeignKey(Pool, models.CASCADE, related_name="growing")
    topic = models.ForeignKey(Topic, models.PROTECT, related_name="+")
    budget = models.PositiveIntegerField()
    ended = models.BooleanField(default=False)

    class Meta:
        ordering = ["topic__position", "topic__number"]
        constraints = [models.UniqueConstraint("pool", "topic", name="pool_topic_once")]


class PoolEvent(AppendOnlyModel):
    """The log of an adaptive pool, in order: a document was selected (``relevant`` is None), or
    its first judgment was processed. Replaying it gives the same pool.
    """

    pool = models.ForeignKey(Pool, models.CASCADE, related_name="events")
    topic = models.ForeignKey(Topic, models.PROTECT, related_name="+")
    number = models.PositiveIntegerField()
    docno = models.CharField(max_length=500)
    relevant = models.BooleanField(null=True)

    class Meta:
        ordering = ["topic", "number"]
        constraints = [
            models.UniqueConstraint("pool", "topic", "number", name="pool_event_number_once"),
            models.UniqueConstraint(
                fields=["pool", "topic", "docno"],
                condition=Q(relevant__isnull=True),
                name="pool_gives_once",
            ),
            models.UniqueConstraint(
                fields=["pool", "topic", "docno"],
                condition=Q(relevant__isnull=False),
                name="pool_notes_once",
            ),
        ]
