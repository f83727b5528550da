"""Reading the judgment log: current judgments, ballots for policies, qrels versions."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from hashlib import sha256

import numpy as np
from django.db.models import Max, OuterRef, Q, QuerySet

from campaigns import store
from campaigns.models import Campaign, User
from judging.models import Judgment, Purpose, Qrels
from judging.queries.exclusions import counting_judgments, list_units_set_aside
from poolbench.cache import Cache
from poolbench.judging.pair_ballots import (
    PairBallots,
    add_propagated,
    build_pair_ballots,
    decide_ballots,
)
from poolbench.judging.policies import get_policy
from poolbench.runs.qrels import read_qrels
from poolbench.runs.tables import QrelsTable
from poolbench.shared_reads import read_once
from pooling.queries.judgment_log import NONE, Ints, JudgmentLog, Mask, read_judgment_log

Pair = tuple[str, str]
MOST_PAIRS = 1_000_000
_ballots: Cache[tuple[object, ...], PairBallots] = Cache(MOST_PAIRS, len)
"""By the state of the log, the rows of it that count, and the names of people and topics."""
ANSWERS = (Judgment.Kind.GRADE, Judgment.Kind.SKIP)
ON_SCREEN = (Purpose.JUDGE, Purpose.REPEAT)
"""Purposes on the judging screen, which look the same to the assessor."""
SHOWN = (*ON_SCREEN, Purpose.GOLD)
"""Those on the page of a crowd worker, which look the same as well."""


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


def load_pair_ballots(
    campaign: Campaign, as_of: datetime | None = None, last: int | None = None
) -> PairBallots:
    """All current judgments of each pair, for a policy, up to the time ``as_of`` and row ``last``.

    A judgment without a slot (after an expired lease that another assessor took, or an import
    beyond the plan) counts only if no planned judgment of the pair exists: it is never lost,
    and a pair never gets more votes than planned. Without blind repeats and training.
    """
    return load_log_reader(campaign, as_of).load_ballots(last)


@dataclass(frozen=True, eq=False)
class LogReader:
    """The judgment log of a campaign, read once for its states at several rows. ``counting``: the
    rows that count; ``people`` and ``numbers``: usernames and topic numbers by ID.
    """

    campaign: Campaign
    log: JudgmentLog
    counting: Mask
    people: Mapping[int, str]
    numbers: Mapping[int, str]

    def mark_rows(self, last: int | None = None) -> Mask:
        """The counting rows up to row ``last``."""
        if last is None:
            return self.counting
        until: Mask = self.counting & (self.log.numbers["pk"] <= last)
        return until

    def identify(self, last: int | None = None) -> tuple[object, ...]:
        """A key that changes with everything that is read as of row ``last``."""
        rows = sha256(np.packbits(self.mark_rows(last)).tobytes()).digest()
        return self.log.version, rows, tuple(self.people.items()), tuple(self.numbers.items())

    def load_ballots(self, last: int | None = None) -> PairBallots:
        """``load_pair_ballots`` as of row ``last``."""
        return _ballots.get_or_compute(
            self.identify(last),
            lambda: build_campaign_ballots(
                self.campaign, self.log, self.mark_rows(last), self.people, self.numbers
            ),
        )

    def load_topic_ballots(self, topics: Collection[str], last: int | None = None) -> PairBallots:
        """``load_ballots`` of ``topics``; those of the others are built only where most are needed,
        as after one judgment only its topic is.
        """
        names = frozenset(topics)
        if names.issuperset(self.numbers.values()):
            return self.load_ballots(last)
        if 2 * len(names) > len(self.numbers) or self.identify(last) in _ballots:
            return self.load_ballots(last).select_topics(names)
        chosen = [pk for pk, number in self.numbers.items() if number in names]
        rows = self.mark_rows(last) & np.isin(self.log.numbers["topic_id"], chosen)
        return build_campaign_ballots(self.campaign, self.log, rows, self.people, self.numbers)

    def decide_topics(
        self,
        policy: str,
        topics: Collection[str],
        last: int | None = None,
        *,
        propagated: bool = True,
    ) -> tuple[list[tuple[str, str, int]], list[Pair]]:
        """``(topic, docno, grade)`` of the pairs of ``topics`` under the current judgments, or as
        of row ``last`` of the log, sorted; and the pairs that are undecided under ``policy``.
        Unless ``propagated``, pairs that others were judged for have no grade of people.
        """
        ballots, rule = self.load_topic_ballots(topics, last), get_policy(policy)
        outcome = decide_ballots(rule if propagated else replace(rule, propagated=False), ballots)
        return outcome.rows, outcome.undecided


def has_propagated_grades(campaign: Campaign) -> bool:
    """Whether any grade was ever propagated to a document with the same text."""
    return bool(read_judgment_log(campaign).select_rows(Purpose.PROPAGATED).any())


def load_log_reader(campaign: Campaign, as_of: datetime | None = None) -> LogReader:
    return read_once(("reader", campaign.pk, as_of), lambda: _load_log_reader(campaign, as_of))


def _load_log_reader(campaign: Campaign, as_of: datetime | None) -> LogReader:
    log = read_judgment_log(campaign)
    people = User.objects.filter(pk__in=log.list_assessors()).order_by("pk")
    topics = campaign.topics.order_by("pk")
    return LogReader(
        campaign,
        log,
        mark_counting_rows(campaign, log, as_of),
        dict(people.values_list("pk", "username")),
        dict(topics.values_list("pk", "number")),
    )


def mark_counting_rows(campaign: Campaign, log: JudgmentLog, as_of: datetime | None = None) -> Mask:
    """The rows of ``log`` that ``log_until`` has, of all purposes."""
    rows = log.numbers["pk"]
    counting = np.ones(len(log), np.bool_)
    if as_of is not None:
        late = campaign.judgments.filter(judged_at__gt=as_of).order_by()
        counting &= ~np.isin(rows, list(late.values_list("pk", flat=True)))
    if log.units:
        units = set(
            list_units_set_aside(as_of).filter(plan__campaign=campaign).values_list("pk", flat=True)
        )
        aside = [row for row, unit in log.units.items() if unit in units]
        counting &= ~np.isin(rows, aside)
    return counting


def build_campaign_ballots(
    campaign: Campaign,
    log: JudgmentLog,
    counting: Mask,
    people: Mapping[int, str],
    numbers: Mapping[int, str],
) -> PairBallots:
    rows = select_current_grades(log, counting, Purpose.JUDGE)
    pairs, rank = log.sort_pairs(log.list_pairs(rows), numbers)
    grades = log.numbers["grade"][rows]
    low = int(grades.min(initial=0))
    span = int(grades.max(initial=0)) - low + 1
    votes = log.numbers["assessor_id"][rows] * span + grades - low
    votes = 2 * votes + (log.numbers["slot_id"][rows] != NONE)
    votes = 2 * votes + np.isin(log.numbers["pk"][rows], list(log.third))
    distinct, votes = np.unique(votes, return_inverse=True)
    kinds = {
        at: (people[code // 4 // span], code // 4 % span + low, code & 2 > 0, code & 1 > 0)
        for at, code in enumerate(distinct.tolist())
    }
    others = list_other_grades(campaign, log, counting)
    table = build_pair_ballots(pairs, rank[log.pair[rows]], votes, kinds, others)
    rows = select_current_grades(log, counting, Purpose.PROPAGATED)
    if not len(rows):
        return table
    originals = [log.originals[pk] for pk in log.numbers["pk"][rows].tolist()]
    propagated = log.name_pairs(log.pair[rows], numbers)
    return add_propagated(table, dict(zip(propagated, originals, strict=True)))


def select_current_grades(log: JudgmentLog, counting: Mask, purpose: str) -> Ints:
    """The places of the rows that ``current_judgments`` has."""
    rows = np.flatnonzero(counting & log.select_rows(purpose))
    assessors = log.numbers["assessor_id"][rows]
    keys = log.pair[rows] * (int(assessors.max(initial=0)) + 1) + assessors
    latest = select_last_rows(rows, keys)
    return latest[log.select_rows(purpose, Judgment.Kind.GRADE)[latest]]


def select_last_rows(rows: Ints, keys: Ints) -> Ints:
    """Of ``rows``, ascending, the last one with each of ``keys``."""
    _, first = np.unique(keys[::-1], return_index=True)
    last: Ints = np.sort(rows[len(rows) - 1 - first])
    return last


def list_other_grades(
    campaign: Campaign, log: JudgmentLog, counting: Mask
) -> dict[Pair, tuple[int | None, Mapping[str, int]]]:
    """By pair, the grade of the adjudication that counts, and those by automatic assessor."""

    def select_judgments(purpose: str) -> QuerySet[Judgment]:
        rows = select_current_grades(log, counting, purpose)
        chosen = log.numbers["pk"][rows].tolist()
        return campaign.judgments.filter(pk__in=chosen) if chosen else Judgment.objects.none()

    decisions = latest_adjudications(select_judgments(Purpose.ADJUDICATE))
    automatic = automatic_grades(select_judgments(Purpose.AUTOMATIC))
    return {
        pair: (decisions[pair].grade if pair in decisions else None, automatic.get(pair, {}))
        for pair in {*decisions, *automatic}
    }


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
