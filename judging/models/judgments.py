"""Training pairs, the judgment log, and what of it is set aside.

A unit, its worker and gold are models of ``crowd``, which stands above judging: here they are only
names of what a row belongs to.
"""

import uuid

from django.db import models
from django.db.models import Q
from django.utils import timezone

from campaigns.models import AppendOnlyModel, Campaign, Topic, User
from judging.models.plans import Audience, Plan, Purpose, Slot


class TrainingPair(models.Model):
    """A pair with an explained correct grade; everybody of its ``audience`` judges it before
    starting.
    """

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="training")
    audience = models.CharField(max_length=7, choices=Audience, default=Audience.MEMBERS)
    topic = models.ForeignKey(Topic, models.PROTECT, related_name="+")
    docno = models.CharField(max_length=500)
    grade = models.SmallIntegerField()
    explanation = models.TextField(blank=True)
    position = models.PositiveIntegerField()

    class Meta:
        ordering = ["position", "pk"]
        constraints = [
            models.UniqueConstraint(
                "campaign", "audience", "topic", "docno", name="training_pair_once"
            )
        ]


class Judgment(AppendOnlyModel):
    """A revision of an assessor's judgment of a pair. An assessor's latest one counts.

    Keyed by (topic, docno, assessor, purpose), never by a position. ``client_uuid`` makes
    submission idempotent: the same UUID is the same judgment. ``flags`` are names of
    ``judging.rules.FLAGS``; ``passages`` are ``[start, end, text]`` in characters of the
    document's body; ``chances`` are a model's for each grade from 0, if it gave them. ``order`` is
    the plan's order, ``lease`` the token and ``guideline_version`` the version on the assessor's
    page when the document was shown, ``erratum`` the number of the
    last correction of a text that was in force there. ``language_shown`` says whether the original,
    the translation or both were on the screen, "" of a document without one or where it is unknown.
    A ``third`` judgment exists
    because the planned ones differ: its pairs are selected by their outcome, so figures of
    agreement leave it out. ``unit`` is the work unit of the crowd in which it was given. One of
    purpose ``PROPAGATED`` repeats the same assessor's judgment of ``duplicate_of``, of whose
    ``client_uuid`` its own is made; it is changed and withdrawn with it.
    """

    class Kind(models.TextChoices):
        GRADE = "grade", "judged"
        SKIP = "skip", "skipped"
        WITHDRAWN = "withdrawn", "withdrawn"

    class Source(models.TextChoices):
        SCREEN = "screen", "judging screen"
        API = "api", "API"
        IMPORT = "import", "imported"
        CROWD = "crowd", "crowd page"

    # Without indexes of their own: others begin with the campaign, and with the assessor.
    # The campaign is that of the topic: PostgreSQL checks the topic alone, and each key that it
    # checks is a fifth of what a judgment of an import costs it.
    campaign = models.ForeignKey(
        Campaign, models.CASCADE, related_name="judgments", db_index=False, db_constraint=False
    )
    topic = models.ForeignKey(Topic, models.PROTECT, related_name="judgments")
    docno = models.CharField(max_length=500)
    assessor = models.ForeignKey(User, models.PROTECT, related_name="judgments", db_index=False)
    purpose = models.CharField(max_length=10, choices=Purpose, default=Purpose.JUDGE)
    revision = models.PositiveIntegerField()
    kind = models.CharField(max_length=9, choices=Kind)
    grade = models.SmallIntegerField(null=True, blank=True)
    reason = models.CharField(max_length=200, blank=True)
    comment = models.TextField(blank=True)
    flags = models.JSONField(default=list, blank=True)
    duplicate_of = models.CharField(max_length=500, blank=True)
    passages = models.JSONField(default=list, blank=True)
    chances = models.JSONField(null=True, blank=True)
    slot = models.ForeignKey(Slot, models.PROTECT, null=True, blank=True, related_name="judgments")
    unit = models.ForeignKey(
        "crowd.WorkUnit",
        models.PROTECT,
        null=True,
        blank=True,
        related_name="judgments",
        db_index=False,
    )
    source = models.CharField(max_length=6, choices=Source)
    client_uuid = models.UUIDField(unique=True, default=uuid.uuid4)
    lease = models.UUIDField(null=True, blank=True)
    order = models.CharField(max_length=8, blank=True)
    guideline_version = models.PositiveIntegerField(default=0)
    erratum = models.PositiveIntegerField(default=0)
    language_shown = models.CharField(max_length=11, choices=Plan.Language, blank=True)
    rank_shown = models.PositiveIntegerField(null=True, blank=True)
    served_at = models.DateTimeField(null=True, blank=True)
    active_seconds = models.FloatField(null=True, blank=True)
    document_sha256 = models.CharField(max_length=64, blank=True)
    third = models.BooleanField(default=False)
    judged_at = models.DateTimeField(auto_now_add=True)

    # No field: False if it was found, as the judgment was saved, that its document has none.
    has_duplicates = True

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                "campaign",
                "topic",
                "docno",
                "assessor",
                "purpose",
                "revision",
                name="judgment_revision_once",
            ),
            models.CheckConstraint(
                condition=Q(kind="grade", grade__isnull=False)
                | (~Q(kind="grade") & Q(grade__isnull=True)),
                name="judgment_grade_iff_judged",
            ),
        ]
        indexes = [
            models.Index(fields=["campaign", "assessor", "-judged_at"]),
            models.Index(fields=["assessor", "topic", "docno"], name="judgment_of_assessor"),
            models.Index(fields=["campaign", "judged_at"], name="judgment_by_time"),
            models.Index(fields=["unit"], condition=Q(unit__isnull=False), name="judgment_of_unit"),
        ]


class Exclusion(AppendOnlyModel):
    """Sets the work of a worker aside, or that of one ``unit``, with a reason; ``undoes`` ends one.

    The judgments remain in the log and count from ``set_at`` on no more, until the exclusion is
    undone. ``actor`` is null where a rule of the study decided.
    """

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="exclusions")
    worker = models.ForeignKey("crowd.CrowdWorker", models.PROTECT, related_name="exclusions")
    unit = models.ForeignKey(
        "crowd.WorkUnit", models.PROTECT, null=True, blank=True, related_name="exclusions"
    )
    reason = models.CharField(max_length=500)
    actor = models.ForeignKey(User, models.PROTECT, null=True, blank=True, related_name="+")
    undoes = models.OneToOneField(
        "self", models.PROTECT, null=True, blank=True, related_name="undone_by"
    )
    set_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ["pk"]
