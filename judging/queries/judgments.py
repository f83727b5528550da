"""Reading the judgment log: current judgments, ballots for policies, qrels versions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Max, OuterRef, Q, QuerySet

from campaigns import store
from campaigns.core.qrels import read_qrels
from campaigns.core.tables import QrelsTable
from campaigns.models import Campaign, User
from judging.core.policies import PairBallot, apply_policy, get_policy
from judging.models import Judgment, Purpose, Qrels
from judging.queries.exclusions import counting_judgments

Pair = tuple[str, str]
ANSWERS = (Judgment.Kind.GRADE, Judgment.Kind.SKIP)
ON_SCREEN = (Purpose.JUDGE, Purpose.REPEAT)
"""Purposes on the judging screen, which look the same to the assessor."""
SHOWN = (*ON_SCREEN, Purpose.GOLD)
"""Those on the page of a crowd worker, which look the same as well."""


@dataclass(frozen=True, slots=True)
class CurrentVote:
    """One assessor's current grade of a pair. ``fills_slot``: it is part of a plan.
    ``third``: it exists because others disagreed.
    """

    topic: str
    docno: str
    assessor: str
    grade: int
    fills_slot: bool
    third: bool = False


def other_revisions() -> QuerySet[Judgment]:
    """Within a query of judgments: all by the same assessor of the same pair for the same purpose,
    the judgment itself included.
    """
    return Judgment.objects.filter(
        campaign=OuterRef("campaign"),
        topic=OuterRef("topic"),
        docno=OuterRef("docno"),
        assessor=OuterRef("assessor"),
        purpose=OuterRef("purpose"),
    )


def later_revisions() -> QuerySet[Judgment]:
    """Within a query of judgments: those of ``other_revisions`` that came after it."""
    return other_revisions().filter(revision__gt=OuterRef("revision"))


def log_until(
    campaign: Campaign,
    as_of: datetime | None = None,
    last: int | None = None,
    purpose: str = Purpose.JUDGE,
) -> QuerySet[Judgment]:
    """The log of one purpose: rows up to the time ``as_of`` and row ``last``, without those that
    were set aside then, and those of trials.
    """
    bounds = Q() if as_of is None else Q(judged_at__lte=as_of)
    if last is not None:
        bounds &= Q(pk__lte=last)
    bounds &= counting_judgments(as_of)
    return Judgment.objects.filter(bounds, campaign=campaign, purpose=purpose)


def latest_judgments(log: QuerySet[Judgment]) -> QuerySet[Judgment]:
    """The last revision of each (topic, docno, assessor, purpose) within ``log``.

    A revision is written after its predecessor was read, so the highest row is the last.
    """
    keys = log.order_by().values("topic", "docno", "assessor", "purpose")
    return log.filter(pk__in=keys.annotate(last=Max("pk")).values("last"))


def latest_judgments_by_pair(own: QuerySet[Judgment]) -> QuerySet[Judgment]:
    """The current judgments and skips of ``own``, of a repeated pair only the later one: an
    assessor never sees both, and no document twice.
    """
    current = latest_judgments(own).filter(kind__in=ANSWERS)
    keys = current.order_by().values("topic", "docno", "assessor")
    return own.filter(pk__in=keys.annotate(last=Max("pk")).values("last"))


def current_judgments(
    campaign: Campaign,
    as_of: datetime | None = None,
    last: int | None = None,
    purpose: str = Purpose.JUDGE,
) -> QuerySet[Judgment]:
    """Each assessor's current grade of each pair, without skipped and undone ones."""
    return latest_judgments(log_until(campaign, as_of, last, purpose)).filter(
        kind=Judgment.Kind.GRADE
    )


def list_votes(judgments: QuerySet[Judgment]) -> list[CurrentVote]:
    """``judgments`` sorted by topic, docno, assessor (by code point)."""
    rows = judgments.order_by().values_list(
        "topic__number", "docno", "assessor__username", "grade", "slot", "third"
    )
    votes = [
        CurrentVote(t, d, a, g or 0, slot is not None, third)
        for t, d, a, g, slot, third in rows.iterator()
    ]
    return sorted(votes, key=lambda vote: (vote.topic, vote.docno, vote.assessor))


def list_pair_ballots(
    campaign: Campaign,
    as_of: datetime | None = None,
    last: int | None = None,
    topics: Collection[str] | None = None,
) -> list[PairBallot]:
    """All current judgments of each pair, for a policy; of ``topics`` only, if not None.

    A judgment without a slot (after an expired lease that another assessor took, or an import
    beyond the plan) counts only if no planned judgment of the pair exists: it is never lost,
    and a pair never gets more votes than planned. Without blind repeats and training.
    """

    def select_current(purpose: str) -> QuerySet[Judgment]:
        current = current_judgments(campaign, as_of, last, purpose)
        return current if topics is None else current.filter(topic__number__in=topics)

    cast: dict[Pair, list[CurrentVote]] = defaultdict(list)
    for vote in list_votes(select_current(Purpose.JUDGE)):
        cast[vote.topic, vote.docno].append(vote)
    decisions = latest_adjudications(select_current(Purpose.ADJUDICATE))
    automatic = automatic_grades(select_current(Purpose.AUTOMATIC))
    ballots = []
    for pair in sorted({*cast, *decisions, *automatic}):
        people = cast.get(pair, [])
        votes = [vote for vote in people if vote.fills_slot] or people
        ballots.append(
            PairBallot(
                *pair,
                people={vote.assessor: vote.grade for vote in votes},
                third=frozenset(vote.assessor for vote in people if vote.third),
                extra={v.assessor: v.grade for v in people if not v.fills_slot and v not in votes},
                adjudicated=decisions[pair].grade if pair in decisions else None,
                automatic=automatic.get(pair, {}),
            )
        )
    return ballots


def latest_adjudications(current: QuerySet[Judgment]) -> dict[Pair, Judgment]:
    """By pair, the adjudication that counts: the latest.

    One submitted after its lease passed to another adjudicator counts only without others.
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
    """By pair, the grades by name of automatic assessor."""
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
    """``(topic, docno, grade)`` of the pairs of ``topics`` under the current judgments, or as of
    row ``last`` of the log, sorted; and the pairs that are still undecided under ``policy``.
    """
    return apply_policy(get_policy(policy), list_pair_ballots(campaign, last=last, topics=topics))


def qrels_table(qrels: Qrels) -> QrelsTable:
    """The grades of a qrels version, read from the content store."""
    return read_qrels(store.get_blob(qrels.path), file=f"qrels {qrels.version}")


def own_current_judgments(
    campaign: Campaign, assessor: User, purposes: Collection[str] = ON_SCREEN
) -> QuerySet[Judgment]:
    """The assessor's own current judgments and skips, newest first, without imports."""
    own = Judgment.objects.filter(campaign=campaign, assessor=assessor, purpose__in=purposes)
    mine = latest_judgments(own).filter(kind__in=ANSWERS).exclude(source=Judgment.Source.IMPORT)
    return mine.select_related("topic").order_by("-pk")


def judgments_for(user: User) -> QuerySet[Judgment]:
    """The judgments that ``user`` may see: all for organizers, otherwise their own as a member."""
    own = Q(assessor=user, campaign__in=Campaign.objects.visible_to(user))
    return Judgment.objects.filter(Q(campaign__in=Campaign.objects.organized_by(user)) | own)
