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
from judging.models import Audience, TrainingPair
from judging.queries.training_results import is_locked
from judging.services.judgment_log import lock_judging

BATCH = 500


def import_training(
    *,
    actor: User,
    campaign: Campaign,
    text: str,
    file: str = "",
    audience: str = Audience.MEMBERS,
) -> int:
    """Add the pairs of a table (see ``core.training_file``) for ``audience``; return the number.

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
    return add_training(actor=actor, campaign=campaign, rows=rows, file=file, audience=audience)


def add_training(
    *,
    actor: User,
    campaign: Campaign,
    rows: Sequence[TrainingRow],
    file: str = "",
    audience: str = Audience.MEMBERS,
) -> int:
    """Append ``rows`` to the training pairs of ``audience``, all or none."""
    require_permission(actor, "campaigns.manage", campaign)
    with transaction.atomic():
        require_unanswered(campaign, audience)
        check_known(campaign, rows, file, audience)
        topics = {topic.number: topic for topic in campaign.topics.all()}
        last = campaign.training.filter(audience=audience).aggregate(last=Max("position"))["last"]
        start = 0 if last is None else last + 1
        TrainingPair.objects.bulk_create(
            (
                TrainingPair(
                    campaign=campaign,
                    audience=audience,
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
        require_unanswered(pair.campaign, pair.audience)
        pair.grade, pair.explanation = grade, explanation
        pair.save(update_fields=["grade", "explanation"])
        log_training_event(actor, pair, "training.changed")


def remove_training(
    *,
    actor: User,
    campaign: Campaign,
    pairs: Sequence[TrainingPair],
    audience: str = Audience.MEMBERS,
) -> int:
    """Remove training pairs, before anybody of ``audience`` has answered; return the number."""
    require_permission(actor, "campaigns.manage", campaign)
    with transaction.atomic():
        require_unanswered(campaign, audience)
        rows = TrainingPair.objects.filter(
            campaign=campaign, audience=audience, pk__in=[pair.pk for pair in pairs]
        )
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


def require_unanswered(campaign: Campaign, audience: str) -> None:
    """Refuse once an assessor has answered: all must get the same pairs."""
    # Alone: a concurrent answer comes before or after, never in between.
    lock_judging(campaign, exclusive=True)
    if is_locked(campaign, audience):
        raise ActionRefused(
            "training-locked",
            "The practice set is locked: a worker has already started."
            if audience == Audience.CROWD
            else "The training set is locked: an assessor has already started.",
            "Keep it as it is; all of them must get the same documents.",
        )


def check_known(campaign: Campaign, rows: Sequence[TrainingRow], file: str, audience: str) -> None:
    report = FaultReport(file)
    own = campaign.training.filter(audience=audience)
    existing = set(own.values_list("topic__number", "docno"))
    for line, row in enumerate(rows, 1):
        if (row.topic, row.docno) in existing:
            excerpt = f"{row.topic} {row.docno}"
            fix = "Remove this row, or remove the pair from the training set first."
            message = "The pair is already in the training set."
            report.add("EY07", message, fix, line=line, excerpt=excerpt)
    report_unknown_docnos(campaign, rows, report)
    if report.has_errors:
        raise InvalidFile(report)


def report_unknown_docnos(
    campaign: Campaign, rows: Sequence[TrainingRow], report: FaultReport
) -> None:
    """EY08 for docnos that the campaign's documents lack, if it has any."""
    if not campaign.documents.exists():
        return
    docnos = {row.docno for row in rows}
    known = set(campaign.documents.filter(docno__in=docnos).values_list("docno", flat=True))
    for line, row in enumerate(rows, 1):
        if row.docno not in known:
            fix = "Import the document first, or remove this row."
            message = f"Unknown docno: {row.docno}."
            excerpt = f"{row.topic} {row.docno}"
            report.add("EY08", message, fix, line=line, excerpt=excerpt)
