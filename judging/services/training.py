"""Training sets: pairs with a correct grade that every assessor judges before starting, each of
which is explained after the answer.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from uuid import UUID

from django.db import transaction
from django.db.models import Max
from django.utils.translation import gettext as _

from campaigns.errors import ActionRefused
from campaigns.models import Campaign, User
from campaigns.queries.collection_files import list_missing_docnos
from campaigns.rules import require_access, require_permission
from campaigns.services import events
from campaigns.services.registration import prepare_documents
from judging.models import Audience, Judgment, Purpose, TrainingPair
from judging.queries.training import is_locked, unanswered_pairs
from judging.services.checks import check_grade
from judging.services.judgment_log import (
    JudgmentSubmission,
    append_judgment,
    find_duplicate_submission,
    lock_judging,
    previous_judgments,
    run_with_retries,
)
from judging.services.slot_choice import resolve_guideline_version, resolve_language
from poolbench.files.faults import FaultReport
from poolbench.judging.training_file import TrainingRow, read_training

BATCH = 500


def read_example_pairs(campaign: Campaign, text: str, file: str = "") -> list[TrainingRow]:
    """The pairs of a table, with topics and grades of ``campaign``: for training, practice, gold.

    Raises ``InvalidFile`` with all faults (see ``poolbench.judging.training_file``).
    """
    topics = set(campaign.topics.values_list("number", flat=True))
    scale = set(campaign.grades.values_list("value", flat=True))
    return read_training(text, topics=topics, scale=scale, file=file)


def add_training(
    *,
    actor: User,
    campaign: Campaign,
    rows: Sequence[TrainingRow],
    file: str = "",
    audience: str = Audience.MEMBERS,
) -> int:
    """Append ``rows`` to the training pairs of ``audience``, all or none; return the number.

    Raises ``InvalidFile`` with all faults: EY07 a pair that is already in the training set, and
    EY08 an unknown docno, if the campaign has documents.
    """
    require_permission(actor, "campaigns.manage", campaign)
    docnos = [row.docno for row in rows]
    with prepare_documents(campaign, docnos) as add_documents, transaction.atomic():
        require_unanswered(campaign, audience)
        check_known(campaign, rows, file, audience)
        add_documents()
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


def remove_training(
    *, actor: User, campaign: Campaign, pairs: Sequence[int], audience: str = Audience.MEMBERS
) -> int:
    """Remove the training pairs with these keys, before anybody of ``audience`` has answered;
    return the number.
    """
    require_permission(actor, "campaigns.manage", campaign)
    with transaction.atomic():
        require_unanswered(campaign, audience)
        rows = campaign.training.filter(audience=audience, pk__in=pairs)
        count = rows.delete()[0]
        if count:
            events.log_event(
                campaign=campaign, actor=actor, code="training.removed", subject=f"{count}"
            )
    return count


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
    report.raise_errors()


def report_unknown_docnos(
    campaign: Campaign, rows: Sequence[TrainingRow], report: FaultReport
) -> None:
    """EY08 for docnos that the campaign's documents lack, if it has any."""
    missing = list_missing_docnos(campaign, {row.docno for row in rows})
    for line, row in enumerate(rows, 1):
        if row.docno in missing:
            fix = "Import the document first, or remove this row."
            message = f"Unknown docno: {row.docno}."
            excerpt = f"{row.topic} {row.docno}"
            report.add("EY08", message, fix, line=line, excerpt=excerpt)


def next_training_pair(*, actor: User, campaign: Campaign) -> TrainingPair | None:
    """The first training pair that the actor has not answered."""
    require_access(actor, "campaigns.judge", campaign)
    return unanswered_pairs(actor, campaign).first()


def answer_training_pair(
    *,
    actor: User,
    campaign: Campaign,
    pair: TrainingPair,
    grade: int,
    client_uuid: UUID,
    comment: str = "",
    active_seconds: float | None = None,
    guideline_version: int | None = None,
    language_shown: str = "",
    source: str = Judgment.Source.SCREEN,
) -> Judgment:
    """Save the actor's grade of a training pair; the first answer counts.

    It is kept apart from judgments and never enters qrels.
    """
    require_permission(actor, "campaigns.judge", campaign)
    if pair.campaign_id != campaign.pk or pair.audience != Audience.MEMBERS:
        raise ActionRefused("not-training", _("This document is not in the training set."))
    submission = JudgmentSubmission(
        actor, campaign, pair.topic, pair.docno, Judgment.Kind.GRADE, client_uuid,
        purpose=Purpose.TRAINING, grade=grade, comment=comment, source=source,
        active_seconds=active_seconds, guideline_version=guideline_version,
        language_shown=language_shown,
    )  # fmt: skip
    return run_with_retries(partial(write_answer, submission))


def write_answer(submission: JudgmentSubmission) -> Judgment:
    lock_judging(submission.campaign)
    known = find_duplicate_submission(submission)
    first = previous_judgments(submission).filter(purpose=Purpose.TRAINING).first()
    if known is not None or first is not None:
        return known or first  # type: ignore[return-value]
    check_grade(submission)
    version = resolve_guideline_version(submission, None)
    language = resolve_language(submission)
    return append_judgment(
        replace(submission, guideline_version=version, language_shown=language), None
    )
