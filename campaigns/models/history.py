"""Events and jobs, and the figures that a job computes because a request would take too long."""

from django.db import models
from django.db.models import F, Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from campaigns.models.append_only import AppendOnlyModel
from campaigns.models.campaign import Campaign
from campaigns.models.event_phrases import EVENT_PHRASES, describe_value
from campaigns.models.people import User


class Event(AppendOnlyModel):
    """A change to a campaign: actor, action, object and time.

    ``code`` is a key of ``EVENT_PHRASES``, which has the phrase for it.
    """

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="events")
    actor = models.ForeignKey(User, models.PROTECT, null=True, related_name="+")
    code = models.CharField(max_length=60)
    subject = models.CharField(max_length=200, blank=True)
    data = models.JSONField(default=dict)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-at", "-pk"]
        indexes = [models.Index(fields=["campaign", "-at"])]

    @property
    def phrase(self) -> str:
        return str(EVENT_PHRASES.get(self.code, self.code))

    def list_details(self) -> list[tuple[str, object]]:
        """The data in words, but as it is what was *confirmed*."""
        return [
            (key.replace("_", " "), value if key == "confirmed" else describe_value(value))
            for key, value in self.data.items()
        ]


class Removal(AppendOnlyModel):
    """That a campaign was removed for good: what the installation keeps of it. ``asked_by`` is a
    username, and ``rows`` the number of removed rows by kind.
    """

    slug = models.CharField(max_length=60)
    title = models.CharField(max_length=200)
    asked_by = models.CharField(max_length=150)
    asked_at = models.DateTimeField()
    removed_at = models.DateTimeField(default=timezone.now)
    rows = models.JSONField(default=dict)

    class Meta:
        ordering = ["-removed_at", "-pk"]


class Job(models.Model):
    """Background work. This row is authoritative; ``kind`` is the name of a Celery task.

    A job that was given back says ``waiting_for`` which file, and since when.
    """

    class State(models.TextChoices):
        QUEUED = "queued", _("waiting")
        RUNNING = "running", _("running")
        DONE = "done", "done"
        FAILED = "failed", "failed"

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="jobs")
    kind = models.CharField(max_length=60)
    args = models.JSONField(default=dict)
    state = models.CharField(max_length=8, choices=State, default=State.QUEUED)
    done = models.PositiveIntegerField(default=0)
    of = models.PositiveIntegerField(default=0)
    error = models.TextField(blank=True)
    result = models.JSONField(default=dict)
    attempts = models.PositiveSmallIntegerField(default=0)
    created_by = models.ForeignKey(User, models.PROTECT, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    heartbeat = models.DateTimeField(null=True, blank=True)
    waiting_for = models.TextField(blank=True)
    waiting_since = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at", "-pk"]
        constraints = [
            models.CheckConstraint(condition=Q(of=0) | Q(done__lte=F("of")), name="job_done_le_of")
        ]

    @property
    def is_over(self) -> bool:
        return self.state in (self.State.DONE, self.State.FAILED)


class JobPart(models.Model):
    """A share of a job's work that one worker does, stored while the job is in progress.

    ``args`` say which share, ``steps`` how many of the job's steps it is; ``result`` is a column
    file (``poolbench.runs.columnar``). ``attempts`` tells the worker that has claimed the part last
    from an earlier one.
    """

    class State(models.TextChoices):
        QUEUED = "queued"
        RUNNING = "running"
        DONE = "done"

    job = models.ForeignKey(Job, models.CASCADE, related_name="parts")
    number = models.PositiveIntegerField()
    args = models.JSONField(default=dict)
    steps = models.PositiveIntegerField(default=1)
    state = models.CharField(max_length=8, choices=State, default=State.QUEUED)
    attempts = models.PositiveSmallIntegerField(default=0)
    heartbeat = models.DateTimeField()
    result = models.BinaryField(default=bytes)

    class Meta:
        ordering = ["number"]
        constraints = [models.UniqueConstraint("job", "number", name="part_number_of_job")]


class ProcessHeartbeat(models.Model):
    """When a background process last said that it is alive: a row for the tick, and one for each
    worker by its ``name`` until it ends in order.
    """

    class Process(models.TextChoices):
        TICK = "tick"
        WORKER = "worker"

    process = models.CharField(max_length=10, choices=Process)
    name = models.CharField(max_length=200, default="", blank=True)
    at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint("process", "name", name="heartbeat_of_one_process")]


class StoreMarker(models.Model):
    """Which store is the installation's: the one whose marker is ``token``. One row at most."""

    token = models.CharField(max_length=64)
    accepted_at = models.DateTimeField(auto_now=True)


class Snapshot(models.Model):
    """The latest figures called ``name``. ``inputs`` identifies all that they depend on."""

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="snapshots")
    name = models.CharField(max_length=60)
    inputs = models.CharField(max_length=64)
    data = models.JSONField()
    computed_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["campaign", "name"], name="snapshot_of_campaign")
        ]


FORM = 9
"""Of the reports in snapshots: a change of their fields or meaning raises it, so that reports of an
older form are computed again.
"""


def name_snapshot(subject: str) -> str:
    return f"{subject}-{FORM}"
