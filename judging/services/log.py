"""Writing to the judgment log: appending revisions, and what keeps it true under concurrency."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar
from uuid import UUID

from django.db import IntegrityError, connection, transaction
from django.db.models import Count, Max, Q

from campaigns.errors import Refused
from campaigns.models import Campaign, Document, Topic, User
from judging.models import Judgment, Slot

T = TypeVar("T")
ATTEMPTS = 30


class LostRaceError(Exception):
    """Another writer changed a row between our reading and writing it; try again."""


@dataclass(frozen=True)
class Said:
    """What an assessor says of a pair, before it is written down."""

    actor: User
    campaign: Campaign
    topic: Topic
    docno: str
    kind: str
    client_uuid: UUID
    grade: int | None = None
    reason: str = ""
    comment: str = ""
    source: str = Judgment.Source.SCREEN
    served_at: datetime | None = None
    active_seconds: float | None = None


def retried(act: Callable[[], T]) -> T:
    """The result of ``act`` in one transaction, repeated while other writers win the race."""
    for attempt in range(ATTEMPTS):
        try:
            with transaction.atomic():
                return act()
        except (IntegrityError, LostRaceError):
            if attempt == ATTEMPTS - 1:
                raise
    raise AssertionError("unreachable")


def lock(campaign: Campaign, *, alone: bool = False) -> None:
    """Held to the end of the transaction: writers of judgments share it, a release is alone.

    So a release sees every judgment whose row number is below its last. SQLite has one
    writer at a time anyway.
    """
    if connection.vendor != "postgresql":
        return
    verb = "pg_advisory_xact_lock" if alone else "pg_advisory_xact_lock_shared"
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {verb}(hashtext('judgments'), %s)", [campaign.pk])


def repeated(said: Said) -> Judgment | None:
    """The judgment that ``said.client_uuid`` made already: a second click, a lost answer."""
    known = Judgment.objects.filter(client_uuid=said.client_uuid).first()
    if known is None:
        return None
    pair = (said.campaign.pk, said.topic.pk, said.docno, said.actor.pk)
    if pair != (known.campaign_id, known.topic_id, known.docno, known.assessor_id):
        raise uuid_used()
    return known


def uuid_used() -> Refused:
    return Refused(
        "uuid-used",
        "This submission carries the number of another judgment.",
        "Load the page again and judge once more.",
    )


def append(said: Said, slot: Slot | None) -> Judgment:
    """The next revision of the pair by this assessor."""
    own = Judgment.objects.filter(campaign=said.campaign, topic=said.topic, assessor=said.actor)
    told = own.aggregate(
        last=Max("revision", filter=Q(docno=said.docno)),
        seen=Count("pk", filter=Q(revision=1)),
    )
    first = told["last"] is None
    text = Document.objects.filter(campaign=said.campaign, docno=said.docno)
    return Judgment.objects.create(
        campaign=said.campaign,
        topic=said.topic,
        docno=said.docno,
        assessor=said.actor,
        revision=1 if first else told["last"] + 1,
        kind=said.kind,
        grade=said.grade,
        reason=said.reason,
        comment=said.comment,
        slot=slot,
        source=said.source,
        client_uuid=said.client_uuid,
        rank_shown=told["seen"] + 1 if first else None,
        served_at=said.served_at,
        active_seconds=said.active_seconds,
        document_sha256=text.values_list("sha256", flat=True).first() or "",
    )
