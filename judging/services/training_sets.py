"""Training sets: pairs with a correct grade that every assessor judges before starting."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import transaction
from django.db.models import Max

from campaigns.core.faults import FaultReport, InvalidFile
from campaigns.errors import ActionRefused
from campaigns.models import Campaign, User
from campaigns.rules import require_permission
from campaigns.services import events
from judging.core.training_file import TrainingRow, read_training
from judging.models import TrainingPair
from judging.queries.training_results import is_locked
from judging.services.judgment_log import lock_judging

BATCH = 500


def import_training(*, actor: User, campaign: Campaign, text: str, file: str = "") -> int:
    """Add the pairs of a table (see ``core.training_file``); return the number.

    Raises ``InvalidFile`` with all faults, also EY07 a pair that is already in the training
    set, and EY08 an unknown docno, if the campaign has documents.
    """
    require_permission(actor, "campaigns.manage", campaign)
    rows = read_training(
        text,
        topics=set(campaign.topics.values_list("number", flat=True)),
        scale=set(campaign.grades.values_list("value", flat=True)),
        file=file,
    )
    return add_training(actor=actor, campaign=campaign, rows=rows, file=file)


def add_training(
    *, actor: User, campaign: Campaign, rows: Sequence[TrainingRow], file: str = ""
) -> int:
    """Append ``rows`` to the training pairs, all or none."""
    require_permission(actor, "campaigns.manage", campaign)
    with transaction.atomic():
        require_unanswered(campaign)
        check_known(campaign, rows, file)
        topics = {topic.number: topic for topic in campaign.topics.all()}
        last = campaign.training.aggregate(last=Max("position"))["last"]
        start = 0 if last is None else last + 1
        TrainingPair.objects.bulk_create(
            (
                TrainingPair(
                    campaign=campaign,
                    topic=topics[row.topic],
                    docno=row.docno,
                    grade=row.grade,
                    explanation=row.explanation,
                    position=start + at,
                )
                for at, row in enumerate(rows)
            ),
            batch_size=BATCH,
        )
        events.log_event(
            campaign=campaign, actor=actor, code="training.added", subject=f"{len(rows)}"
        )
    return len(rows)


def edit_training_pair(*, actor: User, pair: TrainingPair, grade: int, explanation: str) -> None:
    """Change the correct grade and explanation of a pair, before any assessor has answered."""
    require_permission(actor, "campaigns.manage", pair.campaign)
    if grade not in set(pair.campaign.grades.values_list("value", flat=True)):
        raise ActionRefused(
            "off-scale",
            f"Grade {grade} is not on the grade scale.",
            "Use a grade of the scale.",
        )
    with transaction.atomic():
        require_unanswered(pair.campaign)
        pair.grade, pair.explanation = grade, explanation
        pair.save(update_fields=["grade", "explanation"])
        log_training_event(actor, pair, "training.changed")


def remove_training(*, actor: User, campaign: Campaign, pairs: Sequence[TrainingPair]) -> int:
    """Remove training pairs, before any assessor has answered; return the number."""
    require_permission(actor, "campaigns.manage", campaign)
    with transaction.atomic():
        require_unanswered(campaign)
        rows = TrainingPair.objects.filter(campaign=campaign, pk__in=[pair.pk for pair in pairs])
        count, _ = rows.delete()
        if count:
            events.log_event(
                campaign=campaign, actor=actor, code="training.removed", subject=f"{count}"
            )
    return count


def log_training_event(actor: User, pair: TrainingPair, code: str) -> None:
    subject = f"topic {pair.topic.number}, {pair.docno}"
    events.log_event(
        campaign=pair.campaign, actor=actor, code=code, subject=subject, grade=pair.grade
    )


def require_unanswered(campaign: Campaign) -> None:
    """Refuse once an assessor has answered: all must get the same pairs."""
    # Alone: a concurrent answer comes before or after, never in between.
    lock_judging(campaign, exclusive=True)
    if is_locked(campaign):
        raise ActionRefused(
            "training-locked",
            "The training set is locked: an assessor has already started.",
            "Keep it as it is; all assessors must get the same documents.",
        )


def check_known(campaign: Campaign, rows: Sequence[TrainingRow], file: str) -> None:
    report = FaultReport(file)
    existing = set(campaign.training.values_list("topic__number", "docno"))
    docnos = {row.docno for row in rows}
    has_texts = campaign.documents.exists()
    known = set(campaign.documents.filter(docno__in=docnos).values_list("docno", flat=True))
    for line, row in enumerate(rows, 1):
        excerpt = f"{row.topic} {row.docno}"
        if (row.topic, row.docno) in existing:
            fix = "Remove this row, or remove the pair from the training set first."
            message = "The pair is already in the training set."
            report.add("EY07", message, fix, line=line, excerpt=excerpt)
        if has_texts and row.docno not in known:
            fix = "Import the document first, or remove this row."
            message = f"Unknown docno: {row.docno}."
            report.add("EY08", message, fix, line=line, excerpt=excerpt)
    if report.has_errors:
        raise InvalidFile(report)
