"""Reminders to assessors: the judging deadline is near, or documents wait."""

from datetime import datetime, timedelta

from django.db.models import Max, Q
from django.urls import reverse
from django.utils import timezone

from campaigns.models import Campaign, User
from campaigns.services.mail import queue_mail
from campaigns.services.reminders import choose_reminder_days
from judging.models import Assignment, Plan
from judging.models.plans import Audience
from judging.queries.remaining import add_remaining, remaining_by_assessor

EVERY = timedelta(hours=1)
"""What remains for each assessor is too much to count every minute."""
IDLE = timedelta(days=7)
"""An assessor with documents who has judged none for so long is reminded, once."""


def queue_judging_reminders() -> int:
    """Remind assessors with documents left; a chore of the tick, for each campaign once an hour.

    Return how many mails were queued.
    """
    now = timezone.now()
    plans = Plan.objects.filter(
        kind=Plan.Kind.JUDGE, state=Plan.State.OPEN, audience=Audience.MEMBERS
    )
    is_due = Q(reminded_at=None) | Q(reminded_at__lte=now - EVERY)
    is_open = Q(judging_deadline=None) | Q(judging_deadline__gt=now)
    is_open &= Q(closed_at=None, removal_at=None)
    due = Campaign.objects.filter(is_due, is_open, pk__in=plans.order_by().values("campaign"))
    queued = 0
    for campaign in due:
        # The tick that changes the row does it: two may run at once.
        if Campaign.objects.filter(is_due, pk=campaign.pk).update(reminded_at=now):
            queued += remind_assessors(campaign, now)
    return queued


def remind_assessors(campaign: Campaign, now: datetime) -> int:
    """Queue what is due; return how many mails that were."""
    remaining = remaining_by_assessor(campaign)
    counts = {user: add_remaining(parts.values()).count for user, parts in remaining.items()}
    assessors = User.objects.in_bulk([user for user, count in counts.items() if count])
    days = choose_reminder_days(campaign.judging_deadline, now)
    last_days, deadline = list_last_days(campaign, list(assessors)), campaign.judging_deadline
    queued = 0
    for pk, assessor in assessors.items():
        since = last_days.get(pk)
        if days is not None:
            kind, occasion = "judging_deadline", f"{deadline:%Y-%m-%dT%H:%M}, {days}"
        elif since is not None and now - since >= IDLE:
            kind, occasion = "documents_wait", f"{since:%Y-%m-%dT%H:%M}"
        else:
            continue
        mails = queue_mail(
            kind,
            [assessor],
            key=f"campaign {campaign.pk}, {occasion}",
            campaign=campaign,
            context={"documents": counts[pk], "deadline": deadline, "since": since},
            path=reverse("work", args=[campaign.slug]),
        )
        queued += len(mails)
    return queued


def list_last_days(campaign: Campaign, assessors: list[int]) -> dict[int, datetime]:
    """By assessor (ID), when they judged last, or were given a plan since."""
    own = {"assessor__in": assessors}
    judged = campaign.judgments.filter(**own).order_by()
    seats = Assignment.objects.filter(plan__campaign=campaign, plan__state=Plan.State.OPEN, **own)
    last = dict(judged.values_list("assessor").annotate(Max("judged_at")))
    for pk, created in seats.order_by().values_list("assessor").annotate(Max("plan__created_at")):
        last[pk] = max(created, last.get(pk, created))
    return last
