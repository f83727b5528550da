"""Skipped documents: who else may judge them."""

from __future__ import annotations

from campaigns.models import Role, User
from judging.models import Assignment, Judgment, Purpose, Slot
from judging.queries.judgments import ANSWERS
from judging.queries.slots import PEOPLE, withdrawn_judgments


def list_eligible_assessors(slot: Slot) -> list[User]:
    """The assessors of the slot's topic, paused or not, who neither hold, nor have judged or
    skipped, nor are to judge its pair.
    """
    campaign = slot.plan.campaign
    seats = Assignment.objects.filter(plan=slot.plan_id, topic=slot.topic_id)
    others = Slot.objects.filter(item=slot.item_id).exclude(pk=slot.pk)
    answers = Judgment.objects.filter(
        campaign=campaign,
        topic=slot.topic_id,
        docno=slot.docno,
        kind__in=ANSWERS,
        purpose__in=PEOPLE,
    ).exclude(withdrawn_judgments())
    able = User.objects.filter(
        pk__in=campaign.members.filter(role=Role.ASSESSOR).values("user")
    ).filter(pk__in=seats.order_by().values("assessor"))
    able = able.exclude(pk__in=answers.order_by().values("assessor"))
    able = able.exclude(pk__in=others.filter(assessor__isnull=False).values("assessor"))
    waiting = others.filter(purpose=Purpose.JUDGE, reserved_for__isnull=False)
    return list(able.exclude(pk__in=waiting.values("reserved_for")).order_by("username"))
