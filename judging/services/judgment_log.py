"""Writing to the judgment log: appending revisions, and what keeps it true under concurrency."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar
from uuid import UUID

from django.db import IntegrityError, connection, transaction
from django.db.models import Count, Max, Q, QuerySet
from django.utils.translation import gettext as _

from campaigns.errors import ActionRefused
from campaigns.models import Campaign, Document, Topic, User
from judging.models import Judgment, Purpose, Slot
from judging.queries.judgments import ON_SCREEN

T = TypeVar("T")
ATTEMPTS = 30
Passage = tuple[int | None, int | None, str]
"""Where a passage begins and ends in the body, in characters, where that is known; its text."""


class LostRaceError(Exception):
    """Another writer changed a row between our reading and writing it; try again."""


@dataclass(frozen=True)
class JudgmentSubmission:
    """What an assessor says of a pair, before it is written down.

    ``purpose`` is settled by the slot that it fills; ``token`` is the lease under which the
    document was shown.
    """

    actor: User
    campaign: Campaign
    topic: Topic
    docno: str
    kind: str
    client_uuid: UUID
    purpose: str = Purpose.JUDGE
    token: UUID | None = None
    grade: int | None = None
    reason: str = ""
    comment: str = ""
    flags: Sequence[str] = ()
    duplicate_of: str = ""
    passages: Sequence[Passage] = ()
    source: str = Judgment.Source.SCREEN
    served_at: datetime | None = None
    active_seconds: float | None = None


def run_with_retries(act: Callable[[], T]) -> T:
    """The result of ``act`` in one transaction, repeated while other writers win the race."""
    for attempt in range(ATTEMPTS):
        try:
            with transaction.atomic():
                return act()
        except (IntegrityError, LostRaceError):
            if attempt == ATTEMPTS - 1:
                raise
    raise AssertionError("unreachable")


def lock_judging(campaign: Campaign, *, alone: bool = False) -> None:
    """Held to the end of the transaction: writers of judgments share it, a release is alone.

    So a release sees every judgment whose row number is below its last. SQLite has one
    writer at a time anyway.
    """
    if connection.vendor != "postgresql":
        return
    verb = "pg_advisory_xact_lock" if alone else "pg_advisory_xact_lock_shared"
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {verb}(hashtext('judgments'), %s)", [campaign.pk])


def find_duplicate_submission(submission: JudgmentSubmission) -> Judgment | None:
    """The judgment that ``said.client_uuid`` made already: a second click, a lost answer."""
    known = Judgment.objects.filter(client_uuid=submission.client_uuid).first()
    if known is None:
        return None
    pair = (submission.campaign.pk, submission.topic.pk, submission.docno, submission.actor.pk)
    made = (known.campaign_id, known.topic_id, known.docno, known.assessor_id)
    if pair != made or judgment_kind(submission) != judgment_kind(known):
        raise uuid_conflict()
    return known


def judgment_kind(row: JudgmentSubmission | Judgment) -> tuple[bool, bool]:
    """Whether it is an answer in training, and whether it takes something back."""
    return row.purpose == Purpose.TRAINING, row.kind == Judgment.Kind.WITHDRAWN


def uuid_conflict() -> ActionRefused:
    return ActionRefused(
        "uuid-used",
        _("This submission carries the number of another judgment."),
        _("Load the page again and judge once more."),
    )


def previous_judgments(submission: JudgmentSubmission) -> QuerySet[Judgment]:
    """All that the actor has said of the pair, for whatever purpose."""
    pair = {"topic": submission.topic, "docno": submission.docno}
    return Judgment.objects.filter(campaign=submission.campaign, assessor=submission.actor, **pair)


def append_judgment(submission: JudgmentSubmission, slot: Slot | None) -> Judgment:
    """The next revision of the pair by this assessor for this purpose."""
    # A repeat counts among the documents shown, else its place in the order would tell.
    kin = ON_SCREEN if submission.purpose in ON_SCREEN else (submission.purpose,)
    own = Judgment.objects.filter(
        campaign=submission.campaign, topic=submission.topic, assessor=submission.actor, purpose__in=kin
    )
    counts = own.aggregate(
        last=Max("revision", filter=Q(docno=submission.docno, purpose=submission.purpose)),
        seen=Count("pk", filter=Q(revision=1)),
    )
    first = counts["last"] is None
    text = Document.objects.filter(campaign=submission.campaign, docno=submission.docno)
    return Judgment.objects.create(
        campaign=submission.campaign,
        topic=submission.topic,
        docno=submission.docno,
        assessor=submission.actor,
        purpose=submission.purpose,
        revision=1 if first else counts["last"] + 1,
        kind=submission.kind,
        grade=submission.grade,
        reason=submission.reason,
        comment=submission.comment,
        flags=list(submission.flags),
        duplicate_of=submission.duplicate_of,
        passages=[list(passage) for passage in submission.passages],
        slot=slot,
        lease=submission.token,
        order=slot.plan.order if slot else "",
        source=submission.source,
        client_uuid=submission.client_uuid,
        guideline_version=getattr(submission.campaign, "guideline_version", 0),
        rank_shown=counts["seen"] + 1 if first else None,
        served_at=submission.served_at,
        active_seconds=submission.active_seconds,
        document_sha256=text.values_list("sha256", flat=True).first() or "",
    )
