"""Gold pairs: known grades by which crowd workers are tested without notice."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from django.db import transaction

from campaigns.core.faults import FaultReport, InvalidFile
from campaigns.models import Campaign, User
from campaigns.rules import require_permission
from campaigns.services import events
from judging.core.training_file import TrainingRow, read_training
from judging.models import GoldPair
from judging.services.training_sets import report_unknown_docnos

BATCH = 500


def import_gold(*, actor: User, campaign: Campaign, text: str, file: str = "") -> int:
    """Add the pairs of a table (see ``core.training_file``); return the number.

    Raises ``InvalidFile`` with all faults, those of ``import_training``.
    """
    require_permission(actor, "campaigns.manage", campaign)
    rows = read_training(
        text,
        topics=set(campaign.topics.values_list("number", flat=True)),
        scale=set(campaign.grades.values_list("value", flat=True)),
        file=file,
    )
    return add_gold(actor=actor, campaign=campaign, rows=rows, file=file)


def add_gold(
    *, actor: User, campaign: Campaign, rows: Sequence[TrainingRow], file: str = ""
) -> int:
    """Add ``rows`` to the gold pairs, all or none; return the number.

    Raises ``InvalidFile`` with all faults.
    """
    require_permission(actor, "campaigns.manage", campaign)
    with transaction.atomic():
        # Locked: a pair added at the same moment is reported, not a conflict.
        Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
        check_gold(campaign, rows, file)
        topics = {topic.number: topic for topic in campaign.topics.all()}
        pairs = [
            GoldPair(
                campaign=campaign,
                topic=topics[row.topic],
                docno=row.docno,
                grade=row.grade,
                explanation=row.explanation,
                created_by=actor,
            )
            for row in rows
        ]
        GoldPair.objects.bulk_create(pairs, batch_size=BATCH)
        events.log_event(campaign=campaign, actor=actor, code="gold.added", subject=f"{len(rows)}")
    return len(rows)


def retire_gold(*, actor: User, campaign: Campaign, pairs: Collection[GoldPair]) -> int:
    """Test no more workers with ``pairs``; return the number. Judgments of them remain."""
    require_permission(actor, "campaigns.manage", campaign)
    rows = GoldPair.objects.filter(campaign=campaign, pk__in=[pair.pk for pair in pairs])
    with transaction.atomic():
        count = rows.filter(retired=False).update(retired=True)
        if count:
            events.log_event(
                campaign=campaign, actor=actor, code="gold.retired", subject=f"{count}"
            )
    return count


def check_gold(campaign: Campaign, rows: Sequence[TrainingRow], file: str) -> None:
    report = FaultReport(file)
    existing = set(campaign.gold_pairs.values_list("topic__number", "docno"))
    for line, row in enumerate(rows, 1):
        if (row.topic, row.docno) in existing:
            excerpt = f"{row.topic} {row.docno}"
            fix = "Remove this row."
            report.add("EY07", "The pair is already gold.", fix, line=line, excerpt=excerpt)
    report_unknown_docnos(campaign, rows, report)
    if report.has_errors:
        raise InvalidFile(report)
