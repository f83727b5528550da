"""Training pairs that an assessor has not answered yet."""

from __future__ import annotations

from django.db.models import Exists, OuterRef, QuerySet

from campaigns.models import Campaign, User
from judging.models import Judgment, Purpose, TrainingPair


def unanswered_pairs(assessor: User, campaign: Campaign) -> QuerySet[TrainingPair]:
    """The training pairs that ``assessor`` has not judged, in order."""
    answers = Judgment.objects.filter(
        campaign=campaign,
        topic=OuterRef("topic"),
        docno=OuterRef("docno"),
        assessor=assessor,
        purpose=Purpose.TRAINING,
    )
    pairs = TrainingPair.objects.filter(~Exists(answers), campaign=campaign)
    return pairs.select_related("topic").order_by("position", "pk")
