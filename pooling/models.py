"""Which documents get judged: frozen, versioned pools."""

from __future__ import annotations

from django.db import models
from django.urls import reverse

from campaigns.models import AppendOnly, Campaign, Topic, User
from pooling.core.spec import method_in_words


class Pool(AppendOnly):
    """A frozen pool. ``spec`` names the steps, the budget, the runs and their hashes.

    ``inputs_hash`` is the sha256 of ``spec``, so the same runs and the same method make
    the same pool; extending a pool makes a new version.
    """

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="pools")
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
    def method(self) -> str:
        """The steps in a few words, such as ``depth 10, then rrf``."""
        return method_in_words(self.spec)

    def get_absolute_url(self) -> str:
        return reverse("pool", args=[self.campaign.slug, self.version])


class PoolItem(AppendOnly):
    """One (topic, docno) pair of a pool.

    ``contributors`` are indices into ``pool.spec["runs"]`` as packed little-endian uint16;
    ``position`` orders the items of a topic by seeded hash, so an assessor can infer nothing;
    ``priority`` is the order in which the spec chose them (None in pools of version 1).
    ``stratum`` is 0 and ``probability`` 1 for what was not sampled.
    """

    pool = models.ForeignKey(Pool, models.CASCADE, related_name="items")
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
