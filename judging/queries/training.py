"""Training pairs that an assessor has not answered yet."""

from __future__ import annotations

from django.db.models import Exists, OuterRef, QuerySet

from campaigns.models import Campaign, User
from judging.models import Audience, Judgment, Purpose, TrainingPair


def list_training(campaign: Campaign, audience: str = Audience.MEMBERS) -> QuerySet[TrainingPair]:
    """The training pairs of ``audience``, in order."""
    pairs = TrainingPair.objects.filter(campaign=campaign, audience=audience)
    return pairs.select_related("topic").order_by("position", "pk")


def unanswered_pairs(
    assessor: User, campaign: Campaign, audience: str = Audience.MEMBERS
) -> QuerySet[TrainingPair]:
    """The training pairs of ``audience`` that ``assessor`` has not judged, in order."""
    answers = Judgment.objects.filter(
        campaign=campaign,
        topic=OuterRef("topic"),
        docno=OuterRef("docno"),
        assessor=assessor,
        purpose=Purpose.TRAINING,
    )
    return list_training(campaign, audience).filter(~Exists(answers))
