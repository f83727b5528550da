"""The judgment log, read: what is current, what counts, what a qrels release holds."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Max, Q, QuerySet

from campaigns import store
from campaigns.core.qrels import read_qrels
from campaigns.core.tables import QrelsTable
from campaigns.models import Campaign, User
from judging.models import Judgment, Qrels

SAID = (Judgment.Kind.GRADE, Judgment.Kind.SKIP)


@dataclass(frozen=True, slots=True)
class Vote:
    """What one assessor's current judgment says of one pair. ``wanted``: it fills a slot."""

    topic: str
    docno: str
    assessor: str
    grade: int
    wanted: bool


def log_until(
    campaign: Campaign, as_of: datetime | None = None, last: int | None = None
) -> QuerySet[Judgment]:
    """The log as it stood: rows up to the moment ``as_of`` and the row number ``last``."""
    bounds = Q() if as_of is None else Q(judged_at__lte=as_of)
    if last is not None:
        bounds &= Q(pk__lte=last)
    return Judgment.objects.filter(bounds, campaign=campaign)


def latest(log: QuerySet[Judgment]) -> QuerySet[Judgment]:
    """Of each (topic, docno, assessor) the last revision within ``log``.

    A revision is written after the one before it was read, so the highest row is the last.
    """
    keys = log.order_by().values("topic", "docno", "assessor")
    return log.filter(pk__in=keys.annotate(last=Max("pk")).values("last"))


def current_judgments(
    campaign: Campaign, as_of: datetime | None = None, last: int | None = None
) -> QuerySet[Judgment]:
    """Each assessor's current grade of each pair; what was skipped or taken back is out."""
    return latest(log_until(campaign, as_of, last)).filter(kind=Judgment.Kind.GRADE)


def votes(judgments: QuerySet[Judgment]) -> list[Vote]:
    """``judgments`` in the order topic, docno, assessor (by code point)."""
    rows = judgments.order_by().values_list(
        "topic__number", "docno", "assessor__username", "grade", "slot"
    )
    found = [Vote(t, d, a, g or 0, slot is not None) for t, d, a, g, slot in rows.iterator()]
    return sorted(found, key=lambda vote: (vote.topic, vote.docno, vote.assessor))


def counting(found: Iterable[Vote]) -> dict[tuple[str, str], list[Vote]]:
    """By pair the votes that make its grade.

    A judgment without a slot (a lease that lapsed and was judged by another, or an import
    beyond the plan) counts only where no wanted judgment of the pair stands: so it is
    never lost, and a pair never gets more votes than its plan asked for.
    """
    by_pair: dict[tuple[str, str], list[Vote]] = defaultdict(list)
    for vote in found:
        by_pair[vote.topic, vote.docno].append(vote)
    return {pair: [vote for vote in cast if vote.wanted] or cast for pair, cast in by_pair.items()}


def qrels_table(qrels: Qrels) -> QrelsTable:
    """The grades of a release, read from the content store."""
    return read_qrels(store.get(qrels.path), file=f"qrels {qrels.version}")


def last_said(campaign: Campaign, assessor: User) -> QuerySet[Judgment]:
    """The assessor's own current judgments and skips, newest first; imports are left out."""
    own = Judgment.objects.filter(campaign=campaign, assessor=assessor)
    mine = latest(own).filter(kind__in=SAID).exclude(source=Judgment.Source.IMPORT)
    return mine.select_related("topic").order_by("-pk")


def judgments_for(user: User) -> QuerySet[Judgment]:
    """The gate to the log: all of it for organizers, else one's own where one is a member."""
    own = Q(assessor=user, campaign__in=Campaign.objects.visible_to(user))
    return Judgment.objects.filter(Q(campaign__in=Campaign.objects.organized_by(user)) | own)
