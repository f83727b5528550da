"""The outbox: every mail to a user, before and after it is sent."""

from __future__ import annotations

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from campaigns.models.campaign import Campaign
from campaigns.models.people import User


class Mail(models.Model):
    """One mail to one address. ``key`` says what it is about: the same is never queued twice for
    an address.

    It is sent after ``send_after``, which is also when a mail that could not be sent is tried
    again. Without a mail server it is not sent; the outbox shows it.
    """

    class State(models.TextChoices):
        QUEUED = "queued", _("queued")
        SENT = "sent", _("sent")
        CANCELED = "canceled", _("canceled")
        NOT_SENT = "not_sent", _("not sent: no mail server")
        FAILED = "failed", _("failed")

    campaign = models.ForeignKey(Campaign, models.CASCADE, null=True, related_name="mails")
    user = models.ForeignKey(User, models.CASCADE, null=True, related_name="mails")
    address = models.EmailField(max_length=254)
    kind = models.CharField(max_length=40)
    key = models.CharField(max_length=200)
    subject = models.CharField(max_length=200)
    body = models.TextField()
    state = models.CharField(max_length=8, choices=State, default=State.QUEUED)
    created_at = models.DateTimeField(default=timezone.now)
    send_after = models.DateTimeField(default=timezone.now)
    sent_at = models.DateTimeField(null=True, blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    error = models.CharField(max_length=300, blank=True)

    class Meta:
        ordering = ["-created_at", "-pk"]
        constraints = [models.UniqueConstraint("kind", "key", "address", name="mail_once")]
        indexes = [models.Index(fields=["state", "send_after"], name="mail_to_send")]
