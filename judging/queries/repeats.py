"""Blind repeats: which documents they are drawn from, and how many are still to be drawn."""

from collections import Counter
from collections.abc import Collection, Mapping
from math import ceil

from django.db.models import Count, Exists, OuterRef, QuerySet

from campaigns.models import Campaign
from judging.models import Judgment, Plan, Purpose, Slot
from poolbench.judging import repeats

TINY = 1e-9


def repeat_key(campaign: Campaign, plan: int, topic: int, assessor: int) -> str:
    """What the repeats of an assessor in a topic of a plan are drawn with."""
    return f"{campaign.seed}:repeat:{plan}:{topic}:{assessor}"


def checked_out_unjudged(campaign: Campaign) -> QuerySet[Slot]:
    """Documents checked out for the first time: not undone ones, nor repeats."""
    out = Slot.objects.filter(
        plan__campaign=campaign, state=Slot.State.LEASED, purpose=Purpose.JUDGE
    )
    judged = Judgment.objects.filter(slot=OuterRef("pk"), assessor=OuterRef("assessor"))
    return out.filter(~Exists(judged)).order_by()


def first_judgments(campaign: Campaign) -> QuerySet[Judgment]:
    """One per document that an assessor has judged or skipped under a plan, undone or not."""
    first = Judgment.objects.filter(
        campaign=campaign, purpose=Purpose.JUDGE, revision=1, slot__isnull=False
    )
    return first.order_by()


def count_undrawn_repeats(
    campaign: Campaign,
    assigned: Collection[tuple[int, int, int]],
    *documents: Mapping[tuple[int, int], float],
) -> dict[tuple[int, int], list[int]]:
    """By assessor and topic, the repeats still to be drawn if the assessor judges as many of the
    remaining documents as each of ``documents`` says, by the same key.

    ``assigned`` are the ids of plan, topic and assessor, oldest plan first: all documents count for
    the latest.
    """
    plans = Plan.objects.filter(pk__in={plan for plan, *_ in assigned}, repeat_share__gt=0)
    shares = dict(plans.order_by().values_list("pk", "repeat_share"))
    if not shares:
        return {}
    latest = {(user, topic): plan for plan, topic, user in assigned}
    out = checked_out_unjudged(campaign).values_list("assessor", "topic").annotate(Count("pk"))
    unjudged = Counter({(user or 0, topic): count for user, topic, count in out})
    first = first_judgments(campaign).filter(slot__plan__in=shares)
    rows = first.values_list("assessor", "topic", "slot__plan").annotate(Count("pk"))
    judged = Counter({(user, topic, plan): count for user, topic, plan, count in rows})
    return {
        (user, topic): [
            repeats.future_repeats(
                judged[user, topic, plan],
                ceil(counts.get((user, topic), 0) - TINY) + unjudged[user, topic],
                shares[plan],
                repeat_key(campaign, plan, topic, user),
            )
            for counts in documents
        ]
        for (user, topic), plan in latest.items()
        if plan in shares
    }
