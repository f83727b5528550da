"""What the page *Today* keeps: alarms that were put aside, and documents sent to look at again."""

from django.db import models

from campaigns.models import AppendOnlyModel, Campaign, User


class AlarmDismissal(AppendOnlyModel):
    """An alarm that an organizer put aside with a reason, or brought back (not ``aside``).

    ``name`` and ``subject`` are those of the alarm; the latest row of both decides. It comes back
    by itself if its severity grows beyond the one noted here (``poolbench.judging.today.aside``).
    """

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="alarm_dismissals")
    name = models.CharField(max_length=40)
    subject = models.CharField(max_length=500, blank=True)
    severity = models.FloatField()
    sentence = models.TextField()
    reason = models.CharField(max_length=500, blank=True)
    aside = models.BooleanField(default=True)
    actor = models.ForeignKey(User, models.PROTECT, related_name="+")
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]


class ReviewRequest(models.Model):
    """Documents that an organizer asks an assessor to look at again, with a message.

    ``documents`` are ``[topic number, docno]``. The assessor changes what they want to change on
    the judging screen, or says that the judgment stands (``unchanged``), and says when they are
    done, with an ``answer`` if they like. An assessor's own list is requested by themselves.
    """

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="review_requests")
    assessor = models.ForeignKey(User, models.PROTECT, related_name="review_requests")
    message = models.TextField(blank=True)
    documents = models.JSONField(default=list, blank=True)
    unchanged = models.JSONField(default=list, blank=True)
    answer = models.TextField(blank=True)
    requested_by = models.ForeignKey(User, models.PROTECT, related_name="+")
    requested_at = models.DateTimeField(auto_now_add=True)
    done_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-pk"]

    @property
    def is_own(self) -> bool:
        return self.requested_by_id == self.assessor_id
