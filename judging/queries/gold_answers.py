"""How crowd workers answered the gold, for policies that weigh them by it."""

from __future__ import annotations

from datetime import datetime

from campaigns.models import Campaign
from judging.core.aggregation.base import GoldCounts
from judging.models import GoldPair, Purpose
from judging.queries.judgments import current_judgments


def count_gold_answers(
    campaign: Campaign, as_of: datetime | None = None, last: int | None = None
) -> GoldCounts:
    """By worker, the numbers of gold pairs answered with the correct grade and answered at all,
    from the log up to the time ``as_of`` and row ``last``; retired gold counts too.
    """
    gold = {
        (topic, docno): grade
        for topic, docno, grade in GoldPair.objects.filter(campaign=campaign)
        .order_by()
        .values_list("topic", "docno", "grade")
    }
    counts: dict[str, tuple[int, int]] = {}
    answers = current_judgments(campaign, as_of, last, Purpose.GOLD).order_by("pk")
    rows = answers.values_list("topic", "docno", "assessor__username", "grade")
    for topic, docno, worker, grade in rows.iterator():
        if (topic, docno) in gold:
            right, answered = counts.get(worker, (0, 0))
            counts[worker] = right + (grade == gold[topic, docno]), answered + 1
    return dict(sorted(counts.items()))
