"""Pairs with a known grade for crowd workers: gold, which tests them without notice, and practice,
which tells them.
"""

from collections.abc import Collection, Sequence

from django.db import transaction

from campaigns.models import Campaign, User
from campaigns.rules import require_permission
from campaigns.services import events
from campaigns.services.registration import prepare_documents
from crowd.models import GoldPair
from judging.models import Audience
from judging.services.training import add_training, report_unknown_docnos
from poolbench.files.faults import FaultReport, InvalidFile
from poolbench.judging.training_file import TrainingRow

BATCH = 500


def add_gold(
    *, actor: User, campaign: Campaign, rows: Sequence[TrainingRow], file: str = ""
) -> int:
    """Add ``rows`` to the gold pairs, all or none; return the number.

    Raises ``InvalidFile`` with all faults.
    """
    require_permission(actor, "campaigns.manage", campaign)
    docnos = [row.docno for row in rows]
    with prepare_documents(campaign, docnos) as add_documents, transaction.atomic():
        # Locked: a pair added at the same moment is reported, not a conflict.
        Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
        check_gold(campaign, rows, file)
        add_documents()
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


def retire_gold(*, actor: User, campaign: Campaign, pairs: Collection[int]) -> int:
    """Test no more workers with the pairs of these keys; return the number. Judgments of them
    remain.
    """
    require_permission(actor, "campaigns.manage", campaign)
    rows = campaign.gold_pairs.filter(pk__in=pairs)
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


def add_practice(
    *, actor: User, campaign: Campaign, rows: Sequence[TrainingRow], file: str = ""
) -> int:
    """Append ``rows`` to the practice set, all or none. Each needs an explanation: it is all that
    a worker learns from a wrong answer.
    """
    report = FaultReport(file)
    for line, row in enumerate(rows, 1):
        if not row.explanation:
            fix = "Say in one sentence why this is the grade; workers read it after their answer."
            excerpt = f"{row.topic} {row.docno}"
            report.add("EY05", "The explanation is empty.", fix, line=line, excerpt=excerpt)
    if report.has_errors:
        raise InvalidFile(report)
    return add_training(
        actor=actor, campaign=campaign, rows=rows, file=file, audience=Audience.CROWD
    )
