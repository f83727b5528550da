"""A study: a judging plan for the crowd, with its texts, rules, keys and provider's messages."""

from dataclasses import fields
from decimal import Decimal

from django.db import models
from django.urls import reverse

from campaigns.models import AppendOnlyModel, Campaign, User
from judging.models import Plan
from poolbench.crowd.options import StudyOptions


class Study(models.Model):
    """Work for crowd workers: units of ``unit_size`` documents of ``plan``, paid by the unit.

    ``provider`` is a name of ``poolbench.crowd.providers`` with ``provider_settings``. The
    redundancy is ``plan.overlap``. In every unit ``gold_per_unit`` documents come on top whose
    grade is known, and ``repeats_per_unit`` that the worker has judged before. A worker starts at
    most ``units_per_worker`` units, all workers together ``max_units`` (null: no limit). New ones
    are admitted until ``max_screened`` units were paid for practice alone (null: no limit).

    Practice is passed with ``practice_pass`` right answers. After ``stop_after`` gold documents, at
    least, a worker whose accuracy is below ``stop_below`` with confidence (the upper Wilson bound)
    is stopped. A judgment below the time floor (``floor_seconds`` plus ``floor_per_1000`` for each
    1,000 characters) is an alarm. Amounts are in ``currency`` for a unit; practice is
    paid by its time, at most ``screen_out_pay``. ``hourly_minimum`` is promised for an hour.
    """

    class State(models.TextChoices):
        DRAFT = "draft", "draft"
        RUNNING = "running", "running"
        PAUSED = "paused", "paused"
        STOPPED = "stopped", "stopped"

    plan = models.OneToOneField(Plan, models.PROTECT, related_name="study")
    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="studies")
    title = models.CharField(max_length=120)
    state = models.CharField(max_length=7, choices=State, default=State.DRAFT)
    provider = models.CharField(max_length=20)
    provider_settings = models.JSONField(default=dict, blank=True)

    summary = models.TextField(blank=True)
    instructions = models.TextField(blank=True)
    contact = models.CharField(max_length=200, blank=True)

    unit_size = models.PositiveSmallIntegerField(default=20)
    one_topic = models.BooleanField(default=False)
    unit_minutes = models.PositiveSmallIntegerField(default=60)
    units_per_worker = models.PositiveSmallIntegerField(default=5)
    max_units = models.PositiveIntegerField(null=True, blank=True)
    max_screened = models.PositiveIntegerField(null=True, blank=True)
    gold_per_unit = models.PositiveSmallIntegerField(default=4)
    repeats_per_unit = models.PositiveSmallIntegerField(default=0)
    practice_pass = models.PositiveSmallIntegerField(default=0)

    stop_after = models.PositiveSmallIntegerField(default=8)
    stop_below = models.FloatField(default=0.6)
    floor_seconds = models.FloatField(default=2.0)
    floor_per_1000 = models.FloatField(default=1.0)
    extra_budget = models.PositiveIntegerField(default=0)
    aggregation = models.CharField(max_length=40, default="dawid-skene-one-coin")

    currency = models.CharField(max_length=3, default="EUR")
    pay_per_unit = models.DecimalField(max_digits=8, decimal_places=2, default=Decimal(0))
    screen_out_pay = models.DecimalField(max_digits=8, decimal_places=2, default=Decimal(0))
    hourly_minimum = models.DecimalField(max_digits=8, decimal_places=2, default=Decimal(0))

    retention_until = models.DateField(null=True, blank=True)
    created_by = models.ForeignKey(User, models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, blank=True)
    stopped_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-pk"]
        verbose_name_plural = "studies"

    def __str__(self) -> str:
        return self.title

    def get_absolute_url(self) -> str:
        return reverse("study", args=[self.campaign.slug, self.pk])

    @property
    def options(self) -> StudyOptions:
        """What the organizer has decided, as it is now."""
        return StudyOptions(
            **{each.name: getattr(self, each.name) for each in fields(StudyOptions)}
        )


class ConsentText(AppendOnlyModel):
    """A version of the text to which workers consent. Units name the version they were shown.

    ``text`` is as they read it, filled from ``template``; empty where the text was written before
    templates were kept.
    """

    study = models.ForeignKey(Study, models.CASCADE, related_name="consent_texts")
    version = models.PositiveIntegerField()
    text = models.TextField()
    template = models.TextField(blank=True)
    created_by = models.ForeignKey(User, models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-version"]
        constraints = [models.UniqueConstraint("study", "version", name="consent_version_once")]

    @property
    def source(self) -> str:
        """What the organizer wrote, with its placeholders where they were kept."""
        return self.template or self.text


class ProviderEvent(AppendOnlyModel):
    """A signed message of the provider (webhook). The same ``event_id`` is the same event."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="provider_events")
    event_id = models.CharField(max_length=200)
    kind = models.CharField(max_length=100)
    body = models.JSONField(default=dict)
    received_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]
        constraints = [models.UniqueConstraint("study", "event_id", name="provider_event_once")]


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
