"""The judgment log, read: what is current, what counts, what a qrels release holds."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Max, Q, QuerySet

from campaigns import store
from campaigns.core.qrels import read_qrels
from campaigns.core.tables import QrelsTable
from campaigns.models import Campaign, User
from judging.core.policies import PairBallot, apply_policy, get_policy
from judging.models import Judgment, Purpose, Qrels

Pair = tuple[str, str]
SAID = (Judgment.Kind.GRADE, Judgment.Kind.SKIP)
ON_SCREEN = (Purpose.JUDGE, Purpose.REPEAT)
"""What comes up on the judging screen; the assessor cannot tell the one from the other."""


@dataclass(frozen=True, slots=True)
class CurrentVote:
    """What one assessor's current judgment says of one pair. ``wanted``: it fills a slot."""

    topic: str
    docno: str
    assessor: str
    grade: int
    wanted: bool


def log_until(
    campaign: Campaign,
    as_of: datetime | None = None,
    last: int | None = None,
    purpose: str = Purpose.JUDGE,
) -> QuerySet[Judgment]:
    """The log of one purpose as it stood: rows up to the moment ``as_of`` and row ``last``."""
    bounds = Q() if as_of is None else Q(judged_at__lte=as_of)
    if last is not None:
        bounds &= Q(pk__lte=last)
    return Judgment.objects.filter(bounds, campaign=campaign, purpose=purpose)


def latest_judgments(log: QuerySet[Judgment]) -> QuerySet[Judgment]:
    """Of each (topic, docno, assessor, purpose) the last revision within ``log``.

    A revision is written after the one before it was read, so the highest row is the last.
    """
    keys = log.order_by().values("topic", "docno", "assessor", "purpose")
    return log.filter(pk__in=keys.annotate(last=Max("pk")).values("last"))


def current_judgments(
    campaign: Campaign,
    as_of: datetime | None = None,
    last: int | None = None,
    purpose: str = Purpose.JUDGE,
) -> QuerySet[Judgment]:
    """Each assessor's current grade of each pair; what was skipped or taken back is out."""
    return latest_judgments(log_until(campaign, as_of, last, purpose)).filter(
        kind=Judgment.Kind.GRADE
    )


def list_votes(judgments: QuerySet[Judgment]) -> list[CurrentVote]:
    """``judgments`` in the order topic, docno, assessor (by code point)."""
    rows = judgments.order_by().values_list(
        "topic__number", "docno", "assessor__username", "grade", "slot"
    )
    votes = [CurrentVote(t, d, a, g or 0, slot is not None) for t, d, a, g, slot in rows.iterator()]
    return sorted(votes, key=lambda vote: (vote.topic, vote.docno, vote.assessor))


def list_pair_ballots(
    campaign: Campaign,
    as_of: datetime | None = None,
    last: int | None = None,
    topics: Collection[str] | None = None,
) -> list[PairBallot]:
    """All that was said of each pair, for a policy to decide; of ``topics`` alone if given.

    A judgment without a slot (a lease that lapsed and was judged by another, or an import
    beyond the plan) counts only where no wanted judgment of the pair stands: so it is
    never lost, and a pair never gets more votes than its plan asked for. Blind repeats and
    training are no part of it.
    """

    def of(purpose: str) -> QuerySet[Judgment]:
        ballots = current_judgments(campaign, as_of, last, purpose)
        return ballots if topics is None else ballots.filter(topic__number__in=topics)

    cast: dict[Pair, list[CurrentVote]] = defaultdict(list)
    for vote in list_votes(of(Purpose.JUDGE)):
        cast[vote.topic, vote.docno].append(vote)
    decisions = latest_adjudications(of(Purpose.ADJUDICATE))
    machines = automatic_grades(of(Purpose.AUTOMATIC))
    ballots = []
    for pair in sorted({*cast, *decisions, *machines}):
        people = cast.get(pair, [])
        votes = [vote for vote in people if vote.wanted] or people
        ballots.append(
            PairBallot(
                *pair,
                people={vote.assessor: vote.grade for vote in votes},
                extra={v.assessor: v.grade for v in people if not v.wanted and v not in votes},
                adjudicated=decisions[pair].grade if pair in decisions else None,
                automatic=machines.get(pair, {}),
            )
        )
    return ballots


def latest_adjudications(current: QuerySet[Judgment]) -> dict[Pair, Judgment]:
    """By pair the adjudication that stands: the latest.

    One given after its lease had passed to another stands only where no other does.
    """
    decisions: dict[Pair, Judgment] = {}
    for row in current.select_related("topic", "assessor").order_by("pk").iterator():
        pair = row.topic.number, row.docno
        if pair not in decisions or not is_late(row) or is_late(decisions[pair]):
            decisions[pair] = row
    return decisions


def is_late(row: Judgment) -> bool:
    return row.slot_id is None and row.lease is not None


def automatic_grades(current: QuerySet[Judgment]) -> dict[Pair, dict[str, int]]:
    """By pair the grades by name of automatic assessor."""
    rows = current.order_by("pk").values_list(
        "topic__number", "docno", "assessor__automatic__name", "grade"
    )
    by_pair: dict[Pair, dict[str, int]] = defaultdict(dict)
    for topic, docno, name, grade in rows.iterator():
        by_pair[topic, docno][name] = grade or 0
    return by_pair


def provisional_grades(
    campaign: Campaign, policy: str, topics: Collection[str], last: int | None = None
) -> tuple[list[tuple[str, str, int]], list[Pair]]:
    """``(topic, docno, grade)`` of the pairs of ``topics`` by the current judgments, or as of row
    ``last`` of the log, sorted; and the pairs that ``policy`` cannot decide yet.
    """
    return apply_policy(get_policy(policy), list_pair_ballots(campaign, last=last, topics=topics))


def qrels_table(qrels: Qrels) -> QrelsTable:
    """The grades of a release, read from the content store."""
    return read_qrels(store.get_blob(qrels.path), file=f"qrels {qrels.version}")


def own_current_judgments(
    campaign: Campaign, assessor: User, purposes: Collection[str] = ON_SCREEN
) -> QuerySet[Judgment]:
    """The assessor's own current judgments and skips, newest first; imports are left out."""
    own = Judgment.objects.filter(campaign=campaign, assessor=assessor, purpose__in=purposes)
    mine = latest_judgments(own).filter(kind__in=SAID).exclude(source=Judgment.Source.IMPORT)
    return mine.select_related("topic").order_by("-pk")


def judgments_for(user: User) -> QuerySet[Judgment]:
    """The gate to the log: all of it for organizers, else one's own where one is a member."""
    own = Q(assessor=user, campaign__in=Campaign.objects.visible_to(user))
    return Judgment.objects.filter(Q(campaign__in=Campaign.objects.organized_by(user)) | own)
