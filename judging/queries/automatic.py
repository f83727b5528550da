"""Automatic assessors: totals, and the pairs that a human assessor has judged too."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Any

from django.db.models import Count, Max

from campaigns.models import Campaign
from judging.models import AutomaticAssessor, Judgment, Purpose
from judging.queries.exchange import automatic_with_human, human_judgments
from judging.queries.judgments import current_judgments
from pooling.models import PoolItem


def get_automatic_overview(automatic: AutomaticAssessor) -> dict[str, Any]:
    """Distribution of grades and coverage. ``grades`` are ``(grade, label, pairs, percent)``;
    ``pooled`` of the ``pool`` pairs in the campaign's pools are judged; ``shared`` pairs are also
    judged by a human assessor.
    """
    campaign = automatic.campaign
    own = current_judgments(campaign, purpose=Purpose.AUTOMATIC).filter(assessor=automatic.user)
    pool = set(
        PoolItem.objects.filter(pool__campaign=campaign).order_by().values_list("topic", "docno")
    )
    pairs = set(own.order_by().values_list("topic", "docno"))
    counts = Counter(dict(own.order_by().values_list("grade").annotate(Count("pk"))))
    scale = campaign.grades.order_by("value").values_list("value", "label")
    return {
        "automatic": automatic,
        "pairs": len(pairs),
        "topics": len({topic for topic, _ in pairs}),
        "pool": len(pool),
        "pooled": len(pool & pairs),
        "shared": automatic_with_human(campaign, automatic.user).count(),
        "last": own.aggregate(last=Max("judged_at"))["last"],
        "grades": [
            (value, label, counts[value], round(100 * counts[value] / max(1, len(pairs))))
            for value, label in scale
        ],
    }


def compare_with_people(campaign: Campaign, rows: Iterable[Judgment]) -> list[dict[str, Any]]:
    """Each of ``rows`` with the human grades of its pair."""
    listed = list(rows)
    people: dict[tuple[int, str], list[tuple[str, int]]] = defaultdict(list)
    judgments = human_judgments(campaign).filter(docno__in={row.docno for row in listed})
    for judgment in judgments.select_related("assessor").order_by("assessor__username", "purpose"):
        people[judgment.topic_id, judgment.docno].append(
            (judgment.assessor.shown_name, judgment.grade or 0)
        )
    return [{"judgment": row, "people": people[row.topic_id, row.docno]} for row in listed]
