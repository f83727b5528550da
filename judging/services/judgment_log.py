"""Writing the judgment log: appending revisions, with locks for concurrent writers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar
from uuid import UUID

from django.db import IntegrityError, connection, transaction
from django.db.models import Max, QuerySet
from django.utils.translation import gettext as _

from campaigns.errors import ActionRefused
from campaigns.models import Campaign, Topic, User
from judging.models import Judgment, Purpose, Slot
from judging.queries.judgments import SHOWN
from judging.rules import THIRD_K
from pooling.models import PoolItem

T = TypeVar("T")
ATTEMPTS = 30
Passage = tuple[int | None, int | None, str]
"""Start and end of a passage in the body, in characters, if known; its text."""
AS_SUBMITTED = (
    "campaign", "topic", "docno", "purpose", "kind", "grade", "reason", "comment", "source",
    "client_uuid", "served_at", "active_seconds", "language_shown",
)  # fmt: skip
"""What the log keeps under the name that it has in a submission."""


class LostRaceError(Exception):
    """Another writer changed a row between our reading and writing it; retry."""


@dataclass(frozen=True)
class JudgmentSubmission:
    """A judgment before it is saved.

    ``purpose`` is that of the slot it fills; ``token`` is the lease under which the document
    was shown, ``guideline_version`` the one that was shown with it and ``erratum`` the number
    of the last correction (None: the current one).
    ``language_shown`` is a value of ``Plan.Language``, "" if nothing is said.
    ``unit`` is the key of the work unit of the crowd in which it is given.
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
    original_docno: str = ""
    passages: Sequence[Passage] = ()
    source: str = Judgment.Source.SCREEN
    served_at: datetime | None = None
    guideline_version: int | None = None
    erratum: int | None = None
    language_shown: str = ""
    active_seconds: float | None = None
    unit: int | None = None


def run_with_retries(act: Callable[[], T]) -> T:
    """The result of ``act`` in one transaction, retried while other writers interfere."""
    for attempt in range(ATTEMPTS):
        try:
            with transaction.atomic():
                return act()
        except (IntegrityError, LostRaceError):
            if attempt == ATTEMPTS - 1:
                raise
    raise AssertionError("unreachable")


def lock_judging(campaign: Campaign, *, exclusive: bool = False) -> None:
    """Lock until the end of the transaction: shared by writers of judgments, or ``exclusive``.

    So freezing qrels sees every judgment below its last row number. SQLite has only one
    writer at a time.
    """
    lock_in_campaign("judgments", campaign, shared=not exclusive)


def lock_imports(campaign: Campaign) -> None:
    """One import of judgments at a time: two that take many slots could wait for each other."""
    lock_in_campaign("imports of judgments", campaign)


def lock_in_campaign(name: str, campaign: Campaign, *, shared: bool = False) -> None:
    if connection.vendor != "postgresql":
        return
    verb = "pg_advisory_xact_lock_shared" if shared else "pg_advisory_xact_lock"
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {verb}(hashtext(%s), %s)", [name, campaign.pk])


def lock_item(slot: Slot) -> None:
    """Lock the pair of ``slot`` until the end of the transaction; a gold pair needs no lock."""
    if slot.item_id is not None:
        PoolItem.objects.select_for_update(no_key=True).get(pk=slot.item_id)


def find_duplicate_submission(submission: JudgmentSubmission) -> Judgment | None:
    """The existing judgment with this ``client_uuid``, after a double click or lost response."""
    known = Judgment.objects.filter(client_uuid=submission.client_uuid).first()
    if known is None:
        return None
    pair = (submission.campaign.pk, submission.topic.pk, submission.docno, submission.actor.pk)
    made = (known.campaign_id, known.topic_id, known.docno, known.assessor_id)
    if pair != made or judgment_kind(submission) != judgment_kind(known):
        raise uuid_conflict()
    return known


def judgment_kind(row: JudgmentSubmission | Judgment) -> tuple[bool, bool]:
    """Whether it is a training answer, and whether it is a withdrawal."""
    return row.purpose == Purpose.TRAINING, row.kind == Judgment.Kind.WITHDRAWN


def uuid_conflict() -> ActionRefused:
    return ActionRefused(
        "uuid-used",
        _("Submission conflict: this ID belongs to another judgment."),
        _("Reload the page and judge again."),
    )


def previous_judgments(submission: JudgmentSubmission | Judgment) -> QuerySet[Judgment]:
    """All revisions by the actor for the pair, for any purpose."""
    who = submission.assessor if isinstance(submission, Judgment) else submission.actor
    pair = {"topic": submission.topic, "docno": submission.docno}
    return Judgment.objects.filter(campaign=submission.campaign, assessor=who, **pair)


def is_third_judgment(submission: JudgmentSubmission, slot: Slot | None) -> bool:
    """Whether the document was shown because the planned judgments differ.

    Without a slot (the lease has passed on): if it was shown after all of these.
    """
    if submission.unit is not None:
        return False
    if slot is not None or submission.purpose != Purpose.JUDGE:
        return slot is not None and (slot.purpose, slot.k) == (Purpose.JUDGE, THIRD_K)
    slots = Slot.objects.filter(
        plan__campaign=submission.campaign,
        topic=submission.topic,
        item__docno=submission.docno,
        purpose=Purpose.JUDGE,
    )
    if not slots.filter(k=THIRD_K).exists():
        return False
    planned = Judgment.objects.filter(slot__in=slots.exclude(k=THIRD_K), revision=1)
    last = planned.aggregate(last=Max("judged_at"))["last"]
    return last is None or submission.served_at is None or submission.served_at > last


@dataclass(frozen=True)
class PairHistory:
    """Before a judgment of a pair: the ``last`` revision of the assessor for this purpose, whether
    it was a third judgment, first judgments ``seen`` of the topic, the sha256 of the document; and
    whether the campaign is known to have the grade, and may have a stopping rule; whether the
    document may have duplicates, and be judged for others of the topic (``PropagatedPair``).
    """

    last: int | None
    third: bool
    seen: int
    sha256: str
    is_on_scale: bool = False
    has_rule: bool = True
    has_duplicates: bool = True
    is_original: bool = True


BEYOND = 1 << 31
HISTORY = """
SELECT MAX(own.revision) FILTER (WHERE own.docno = %(docno)s AND own.purpose = %(purpose)s),
    COUNT(*) FILTER (WHERE own.docno = %(docno)s AND own.purpose = %(purpose)s AND own.third) > 0,
    COUNT(*) FILTER (WHERE own.revision = 1),
    COALESCE((SELECT sha256 FROM campaigns_document text
        WHERE text.campaign_id = %(campaign)s AND text.docno = %(docno)s), ''),
    EXISTS (SELECT 1 FROM campaigns_grade
        WHERE campaign_id = %(campaign)s AND value = %(grade)s),
    EXISTS (SELECT 1 FROM judging_stoppingrule WHERE campaign_id = %(campaign)s),
    EXISTS (SELECT 1 FROM campaigns_duplicate alike
        JOIN campaigns_document text ON text.id = alike.document_id
        WHERE text.campaign_id = %(campaign)s AND text.docno = %(docno)s),
    EXISTS (SELECT 1 FROM judging_propagatedpair
        WHERE topic_id = %(topic)s AND original = %(docno)s)
FROM judging_judgment own
WHERE own.campaign_id = %(campaign)s AND own.topic_id = %(topic)s AND own.assessor_id = %(actor)s
    AND own.purpose IN (%(kin0)s, %(kin1)s, %(kin2)s)
"""
"""Written out: as six queries built from models it took a fifth of the time of a judgment."""


def load_pair_history(submission: JudgmentSubmission) -> PairHistory:
    """All that a judgment needs to know of its pair, in one query."""
    # A repeat or gold counts among the documents shown; otherwise its position would reveal it.
    kin = SHOWN if submission.purpose in SHOWN else (submission.purpose,) * len(SHOWN)
    # A number beyond the column's, which SQLite does not take, is on no scale.
    grade = submission.grade
    if grade is not None:
        grade = max(-BEYOND, min(int(grade), BEYOND))
    values = {
        "campaign": submission.campaign.pk, "topic": submission.topic.pk,
        "actor": submission.actor.pk, "docno": submission.docno, "purpose": str(submission.purpose),
        "grade": grade, **{f"kin{at}": str(each) for at, each in enumerate(kin)},
    }  # fmt: skip
    with connection.cursor() as cursor:
        cursor.execute(HISTORY, values)
        last, third, seen, sha256, *known = cursor.fetchone()
    return PairHistory(last, bool(third), seen, sha256, *map(bool, known))


def append_judgment(
    submission: JudgmentSubmission, slot: Slot | None, history: PairHistory | None = None
) -> Judgment:
    """Append the next revision of the pair by this assessor for this purpose; ``history`` is
    loaded unless it is known.
    """
    history = history or load_pair_history(submission)
    first = history.last is None
    judgment = Judgment.objects.create(
        **{name: getattr(submission, name) for name in AS_SUBMITTED},
        assessor=submission.actor,
        revision=(history.last or 0) + 1,
        flags=list(submission.flags),
        duplicate_of=submission.original_docno,
        passages=[list(passage) for passage in submission.passages],
        slot=slot,
        unit_id=submission.unit,
        lease=submission.token,
        order=slot.plan.order if slot else "",
        guideline_version=(
            submission.campaign.guideline_version
            if submission.guideline_version is None
            else submission.guideline_version
        ),
        erratum=(
            submission.campaign.last_erratum if submission.erratum is None else submission.erratum
        ),
        rank_shown=history.seen + 1 if first else None,
        document_sha256=history.sha256,
        third=history.third or (first and is_third_judgment(submission, slot)),
    )
    judgment.has_duplicates = history.has_duplicates
    return judgment
