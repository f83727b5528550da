"""Slots, read: what may be claimed, and by whom."""

from __future__ import annotations

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from campaigns.models import Campaign, Topic, User
from judging.models import Assignment, Judgment, Slot
from judging.queries.judgments import SAID


def free_slots() -> Q:
    """Slots that anyone assigned may take: open ones, and leases that have run out."""
    lapsed = Q(state=Slot.State.LEASED, expires_at__lte=timezone.now())
    return Q(state=Slot.State.OPEN) | lapsed


def held(actor: User, campaign: Campaign, topic: Topic) -> Slot | None:
    """The document that ``actor`` was shown last and has not judged; it may have run out."""
    own = Slot.objects.filter(plan__campaign=campaign, topic=topic, assessor=actor)
    return own.filter(state=Slot.State.LEASED).select_related("item").order_by("-leased_at").first()


def claimable(actor: User, campaign: Campaign) -> QuerySet[Slot]:
    """The slots that ``claim`` may hand to ``actor``, in the order of handing out."""
    assigned = Assignment.objects.filter(
        plan=OuterRef("plan"), topic=OuterRef("topic"), assessor=actor
    )
    own = Slot.objects.filter(item=OuterRef("item"), assessor=actor)
    said = Judgment.objects.filter(
        campaign=campaign, topic=OuterRef("topic"), docno=OuterRef("item__docno"), assessor=actor
    )
    found = Slot.objects.filter(
        free_slots(),
        Exists(assigned),
        ~Exists(own),
        ~Exists(said.filter(kind__in=SAID)),
        plan__campaign=campaign,
        plan__paused=False,
    )
    return found.select_related("item").order_by("position", "k")
