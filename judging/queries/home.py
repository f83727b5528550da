"""What home shows of judging in all campaigns of a user, in a fixed number of queries."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from django.db.models import Count

from campaigns.models import Snapshot, User
from campaigns.models.history import name_snapshot
from judging.models import Plan, Slot
from judging.queries.slots import new_pair_filter, offered_slots
from poolbench.judging.today.alarm import Alarm
from poolbench.judging.today.verdict import TODAY, TodayReport
from poolbench.plain_data import read_plain


@dataclass(frozen=True)
class WaitingDocuments:
    """The next topic of a user in a campaign (by its id), and how many documents may come."""

    campaign: int
    topic: str
    count: int


def list_today_states(campaigns: Collection[int]) -> dict[int, list[Alarm]]:
    """By campaign, the alarms of the latest figures that are not put aside."""
    snapshots = Snapshot.objects.filter(campaign__in=campaigns, name=name_snapshot(TODAY))
    return {row.campaign_id: read_plain(TodayReport, row.data).alarms for row in snapshots}


def list_waiting_documents(
    user: User, campaigns: Collection[int], kind: str = Plan.Kind.JUDGE
) -> list[WaitingDocuments]:
    """By campaign, what ``user`` may judge or adjudicate: also what another assessor may take, so
    at most so many documents. Without blind repeats.
    """
    if not campaigns:
        return []
    slots = Slot.objects.filter(
        offered_slots(user, kind), new_pair_filter(user, kind), plan__campaign__in=campaigns
    ).order_by()
    rows = slots.values_list("plan__campaign", "topic__position", "topic__number")
    waiting: dict[int, WaitingDocuments] = {}
    by_topic = rows.annotate(Count("item", distinct=True))
    for campaign, _position, number, count in sorted(by_topic):
        first = waiting.get(campaign, WaitingDocuments(campaign, number, 0))
        waiting[campaign] = WaitingDocuments(campaign, first.topic, first.count + count)
    return list(waiting.values())
