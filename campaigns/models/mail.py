"""The outbox: every mail to a user, before and after it is sent."""

from django.contrib.auth.models import AnonymousUser
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from campaigns.models.campaign import Campaign
from campaigns.models.people import User

MAIL_KINDS = {
    "team_requested": "Team registered",
    "team_approved": "Team approved",
    "team_refused": "Team refused",
    "run_accepted": "Run accepted",
    "run_rejected": "Run rejected",
    "runs_deadline": "Run deadline near",
    "judging_deadline": "Judging deadline near",
    "documents_wait": "Documents wait",
    "adjudication_requested": "Adjudication requested",
    "text_corrected": "Text corrected",
    "submissions_extended": "Submission extended",
    "submissions_reopened": "Submission reopened",
    "scores_released": "Scores released",
    "qrels_released": "Qrels released",
    "message": "Message of the organizers",
}
"""Mails about a campaign, each with the template ``templates/mail/KIND.txt``, as the outbox calls
them.
"""
REMINDERS = frozenset({"runs_deadline", "judging_deadline", "documents_wait"})
"""Those that a user can unsubscribe from; all others must arrive."""


class MailQuerySet(models.QuerySet["Mail"]):
    def visible_to(self, user: User | AnonymousUser) -> "MailQuerySet":
        """Access check: those of campaigns that ``user`` organizes, and their own.

        Not those about an account, which belong to no campaign: they have links that open it.
        """
        organized = Campaign.objects.organized_by(user).order_by()
        of_campaigns = self.filter(campaign__isnull=False)
        return of_campaigns.filter(Q(campaign__in=organized) | Q(user=user.pk or 0))


class Mail(models.Model):
    """One mail to one user or address. ``key`` says what it is about: the same is never queued
    twice for an address, nor for a user without one.

    It is sent after ``send_after``, which is also when a mail that could not be sent is tried
    again. One that is not sent, for the reason that its state says, can be read in the outbox.
    """

    class State(models.TextChoices):
        QUEUED = "queued", _("queued")
        SENT = "sent", _("sent")
        CANCELED = "canceled", _("canceled")
        NOT_SENT = "not_sent", _("not sent: no mail server")
        DRY_RUN = "dry_run", _("not sent: dry run")
        NO_ADDRESS = "no_email", _("not sent: no address")
        FAILED = "failed", _("failed")

    UNSENT = (State.CANCELED, State.NOT_SENT, State.DRY_RUN, State.NO_ADDRESS, State.FAILED)
    """States from which a mail can be queued again."""

    campaign = models.ForeignKey(Campaign, models.CASCADE, null=True, related_name="mails")
    user = models.ForeignKey(User, models.CASCADE, null=True, related_name="mails")
    address = models.EmailField(max_length=254, blank=True)
    reply_to = models.EmailField(max_length=254, blank=True)
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

    objects = MailQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at", "-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["kind", "key", "address"], name="mail_once", condition=~Q(address="")
            ),
            models.UniqueConstraint(
                fields=["kind", "key", "user"],
                name="mail_once_without_address",
                condition=Q(address=""),
            ),
        ]
        indexes = [models.Index(fields=["state", "send_after"], name="mail_to_send")]

    @property
    def label(self) -> str:
        """Its kind in words."""
        return MAIL_KINDS.get(self.kind, self.kind)

    @property
    def is_reminder(self) -> bool:
        return self.kind in REMINDERS

    @property
    def can_be_queued_again(self) -> bool:
        return self.state in self.UNSENT
