"""Qrels releases: one grade a pair, made from the log by a named policy, and made again."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

from django.db.models import Max
from django.utils import timezone

from campaigns import store
from campaigns.core.qrels import qrels_from_rows, write_qrels
from campaigns.errors import Refused
from campaigns.models import Campaign, User
from campaigns.rules import require
from campaigns.services import events
from judging.core.policies import POLICIES, DisagreementError, apply_policy
from judging.models import Judgment, Qrels, Slot
from judging.queries.judgments import (
    Vote,
    counting,
    current_judgments,
    latest,
    log_until,
    votes,
)
from judging.services.log import lock, retried

Pair = tuple[str, str]
SHOWN = 25


@dataclass(frozen=True)
class Draft:
    """What a release would hold: ``rows`` of (topic, docno, grade), or ``conflicts``."""

    rows: list[tuple[str, str, int]]
    ballots: dict[Pair, list[Vote]]
    extras: int
    conflicts: tuple[Pair, ...] = ()

    @property
    def grades(self) -> dict[int, int]:
        return dict(sorted(Counter(grade for _, _, grade in self.rows).items()))

    @property
    def disagreeing(self) -> list[Pair]:
        """The pairs whose assessors gave different grades, whatever the policy says."""
        return [pair for pair, cast in self.ballots.items() if len({v.grade for v in cast}) > 1]


def preview(*, actor: User, campaign: Campaign, policy: str) -> Draft:
    """What ``policy`` would release at this moment; nothing is written."""
    require(actor, "campaigns.manage", campaign)
    return draft(campaign, policy)


def release_qrels(
    *,
    actor: User,
    campaign: Campaign,
    policy: str,
    note: str = "",
    as_of: datetime | None = None,
) -> Qrels:
    """Freeze the grades of every judged pair as they stood at ``as_of`` (now if not given).

    Pool pairs without a judgment are left out (and counted in the manifest), and so are
    withheld topics. Raises ``Refused`` when the policy cannot decide, listing the pairs.
    """
    require(actor, "campaigns.manage", campaign)
    if policy not in POLICIES:
        told = ", ".join(POLICIES)
        raise Refused("no-policy", f"There is no policy {policy}.", f"Choose one of: {told}.")
    if as_of is not None and as_of > timezone.now():
        raise Refused("in-the-future", "A release cannot be made from judgments yet to come.")
    return retried(partial(write_release, actor, campaign, policy, note, as_of))


def verify(qrels: Qrels) -> bool:
    """Make the release again from the log: do the bytes have the sha256 that it states?"""
    bounds = (qrels.as_of, qrels.manifest["last_judgment"])
    try:
        again = draft(qrels.campaign, qrels.policy, *bounds, qrels.manifest["withheld_topics"])
    except Refused:
        return False
    return store.sha256(text_of(again)) == qrels.sha256 == store.sha256(store.get(qrels.path))


def write_release(
    actor: User, campaign: Campaign, policy: str, note: str, as_of: datetime | None
) -> Qrels:
    # Alone, so that every judgment up to the last row number is there to be read.
    lock(campaign, alone=True)
    moment = as_of or timezone.now()
    last = log_until(campaign).aggregate(last=Max("pk"))["last"] or 0
    withheld = list(campaign.topics.filter(withheld=True).values_list("number", flat=True))
    made = draft(campaign, policy, moment, last, withheld)
    refuse_conflicts(made, policy)
    if not made.rows:
        raise Refused("no-judgments", "Nothing is judged yet.", "Release qrels when it is.")
    text = text_of(made)
    version = (campaign.qrels.aggregate(last=Max("version"))["last"] or 0) + 1
    qrels = Qrels.objects.create(
        campaign=campaign,
        version=version,
        policy=policy,
        as_of=moment,
        path=store.put(text, ".qrels"),
        sha256=store.sha256(text),
        pairs=len(made.rows),
        manifest=manifest(campaign, policy, moment, last, withheld, made),
        note=note,
        released_by=actor,
    )
    events.record(
        campaign=campaign,
        actor=actor,
        verb="released qrels",
        subject=f"{qrels}, policy {policy}",
        version=version,
        sha256=qrels.sha256,
        pairs=qrels.pairs,
    )
    return qrels


def draft(
    campaign: Campaign,
    policy: str,
    as_of: datetime | None = None,
    last: int | None = None,
    withheld: list[str] | None = None,
) -> Draft:
    """The grades by ``policy`` of the log as it stood; the same log gives the same rows."""
    if withheld is None:
        withheld = list(campaign.topics.filter(withheld=True).values_list("number", flat=True))
    hidden = set(withheld)
    cast = [v for v in votes(current_judgments(campaign, as_of, last)) if v.topic not in hidden]
    ballots = counting(cast)
    extras = len(cast) - sum(len(found) for found in ballots.values())
    judged = [(*pair, {v.assessor: v.grade for v in found}) for pair, found in ballots.items()]
    try:
        return Draft(apply_policy(policy, judged), ballots, extras)
    except DisagreementError as error:
        return Draft([], ballots, extras, error.pairs)


def refuse_conflicts(made: Draft, policy: str) -> None:
    if not made.conflicts:
        return
    told = "; ".join(f"topic {topic} {docno}" for topic, docno in made.conflicts[:SHOWN])
    more = len(made.conflicts) - SHOWN
    raise Refused(
        "conflict",
        f"The policy {policy} cannot decide {len(made.conflicts)} pairs that have different "
        f"grades: {told}{f'; and {more} more' if more > 0 else ''}.",
        "Choose another policy, or have these pairs judged again.",
    )


def text_of(made: Draft) -> bytes:
    return write_qrels(qrels_from_rows(made.rows))


def manifest(
    campaign: Campaign,
    policy: str,
    as_of: datetime,
    last: int,
    withheld: list[str],
    made: Draft,
) -> dict[str, Any]:
    """What somebody needs to know who reads the release, and to make it again."""
    skips = latest(log_until(campaign, as_of, last)).filter(kind=Judgment.Kind.SKIP)
    return {
        "campaign": campaign.slug,
        "policy": policy,
        "rule": POLICIES[policy].card.reading,
        "as_of": as_of.isoformat(),
        "last_judgment": last,
        "pools": list(campaign.pools.order_by("version").values_list("version", flat=True)),
        "withheld_topics": withheld,
        "grades": {str(grade): count for grade, count in made.grades.items()},
        "topics": by_topic(made),
        "assessors": dict(
            sorted(Counter(v.assessor for cast in made.ballots.values() for v in cast).items())
        ),
        "disagreeing_pairs": len(made.disagreeing),
        "extra_judgments_not_counted": made.extras,
        "skipped": skips.count(),
        "unjudged_pairs_left_out": unjudged(campaign, made, withheld),
    }


def by_topic(made: Draft) -> dict[str, dict[str, int]]:
    counts: dict[str, Counter[str]] = {}
    for topic, _, grade in made.rows:
        counts.setdefault(topic, Counter())[str(grade)] += 1
    return {topic: dict(sorted(counts[topic].items())) for topic in sorted(counts)}


def unjudged(campaign: Campaign, made: Draft, withheld: list[str]) -> int:
    """How many planned pairs have no grade in the release."""
    slots = Slot.objects.filter(plan__campaign=campaign, k=0).exclude(topic__number__in=withheld)
    planned = set(slots.order_by().values_list("topic__number", "item__docno"))
    return len(planned - {(topic, docno) for topic, docno, _ in made.rows})
