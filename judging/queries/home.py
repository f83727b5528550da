"""What home shows of judging in all campaigns of a user, in a fixed number of queries."""

from collections.abc import Collection

from django.db.models import Count

from campaigns.models import Snapshot, User
from campaigns.models.history import name_snapshot
from judging.models import Slot
from judging.queries.slots import new_pair_filter, offered_slots
from poolbench.judging.today.alarm import Alarm
from poolbench.judging.today.verdict import TODAY, TodayReport
from poolbench.plain_data import read_plain


def list_today_states(campaigns: Collection[int]) -> dict[int, list[Alarm]]:
    """By campaign, the alarms of the latest figures that are not put aside."""
    snapshots = Snapshot.objects.filter(campaign__in=campaigns, name=name_snapshot(TODAY))
    return {row.campaign_id: read_plain(TodayReport, row.data).alarms for row in snapshots}


def list_waiting_documents(
    user: User, campaigns: Collection[int], kind: str
) -> dict[int, tuple[str, int]]:
    """By campaign (id), the next topic in which ``user`` may judge or adjudicate, and how many
    documents: also what another assessor may take, so at most so many. Without blind repeats.
    """
    if not campaigns:
        return {}
    slots = Slot.objects.filter(
        offered_slots(user, kind), new_pair_filter(user, kind), plan__campaign__in=campaigns
    ).order_by()
    rows = slots.values_list("plan__campaign", "topic__position", "topic__number")
    waiting: dict[int, tuple[str, int]] = {}
    by_topic = rows.annotate(Count("item", distinct=True))
    for campaign, _position, number, count in sorted(by_topic):
        first, before = waiting.get(campaign, (number, 0))
        waiting[campaign] = first, before + count
    return waiting
