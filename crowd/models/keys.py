"""Keys: of a campaign's pseudonyms, which can be destroyed, and of a study's signed links."""

from __future__ import annotations

from django.db import models

from campaigns.models import Campaign, User
from crowd.models.studies import Study


class CrowdKey(models.Model):
    """The secret under which the IDs of a campaign's workers are hashed and sealed.

    One of a campaign is in use. When the retention date of its last study has passed, ``secret``
    is emptied and ``destroyed_at`` set: pseudonyms, judgments and amounts remain, the way back to
    the provider's IDs does not.
    """

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="crowd_keys")
    secret = models.CharField(max_length=100, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    destroyed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                "campaign", condition=models.Q(destroyed_at=None), name="crowd_key_in_use"
            )
        ]


class LinkKey(models.Model):
    """A secret for signing the links of a study, named ``kid`` in them.

    The latest one that is not retired signs; a retired one no longer opens any link.
    """

    study = models.ForeignKey(Study, models.CASCADE, related_name="link_keys")
    kid = models.CharField(max_length=12)
    secret = models.CharField(max_length=100)
    created_by = models.ForeignKey(User, models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    retired_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-pk"]
        constraints = [models.UniqueConstraint("study", "kid", name="link_key_once")]
