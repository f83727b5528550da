"""The manifest of a qrels release: what a reader needs to know, and to make it again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from campaigns.models import Campaign
from judging.core.policies import PairBallot, QrelsPolicy, Row, apply_policy, get_policy
from judging.models import AutomaticAssessor, Judgment, Purpose, Slot
from judging.queries.judgments import (
    current_judgments,
    latest_adjudications,
    latest_judgments,
    log_until,
)


def build_manifest(
    campaign: Campaign,
    policy: QrelsPolicy,
    as_of: datetime,
    last: int,
    withheld: Sequence[str],
    rows: Sequence[Row],
    ballots: Sequence[PairBallot],
) -> dict[str, Any]:
    """Everything beside the grades; ``heard`` is what the policy decided from."""
    skips = latest_judgments(log_until(campaign, as_of, last)).filter(kind=Judgment.Kind.SKIP)
    released = {(topic, docno) for topic, docno, _ in rows}
    used = [ballot for ballot in ballots if ballot.pair in released]
    return {
        "campaign": campaign.slug,
        "policy": policy.name,
        "rule": policy.card.reading,
        "as_of": as_of.isoformat(),
        "last_judgment": last,
        "pools": list(campaign.pools.order_by("version").values_list("version", flat=True)),
        "withheld_topics": list(withheld),
        "grades": count_by_purpose(grade for _, _, grade in rows),
        "topics": grades_by_topic(rows),
        "assessors": count_by_assessor(policy, used),
        "purposes": count_purposes(campaign, as_of, last),
        "adjudications": adjudication_summary(campaign, policy, as_of, last, used),
        "automatic": automatic_summary(campaign, policy, as_of, last, used),
        "disagreeing_pairs": sum(ballot.disagree for ballot in ballots),
        "extra_judgments_not_counted": sum(len(ballot.extra) for ballot in ballots),
        "skipped": skips.count(),
        "unjudged_pairs_left_out": count_unjudged(campaign, released, withheld),
    }


def count_by_purpose(names: Iterable[object]) -> dict[str, int]:
    counts = Counter(names)
    return {str(name): counts[name] for name in sorted(counts)}  # type: ignore[type-var]


def grades_by_topic(rows: Sequence[Row]) -> dict[str, dict[str, int]]:
    counts: dict[str, Counter[str]] = {}
    for topic, _, grade in rows:
        counts.setdefault(topic, Counter())[str(grade)] += 1
    return {topic: dict(sorted(counts[topic].items())) for topic in sorted(counts)}


def count_by_assessor(policy: QrelsPolicy, used: Sequence[PairBallot]) -> dict[str, int]:
    """How many judgments of each person the policy heard."""
    if policy.alone:
        return {} if policy.automatic else {policy.own: len(used)}
    return count_by_purpose(name for ballot in used for name in ballot.people)


def count_purposes(campaign: Campaign, as_of: datetime, last: int) -> dict[str, int]:
    """The judgments that stand in the log by purpose, whether this policy hears them or not."""
    counts = {
        str(purpose): current_judgments(campaign, as_of, last, purpose).count()
        for purpose in Purpose.values
    }
    return {purpose: count for purpose, count in counts.items() if count}


def adjudication_summary(
    campaign: Campaign, policy: QrelsPolicy, as_of: datetime, last: int, used: Sequence[PairBallot]
) -> dict[str, Any] | None:
    """How many pairs an adjudication decided, by whom, and how many of them the rule alone
    would have given another grade or left out; None where the policy hears none.
    """
    if not policy.adjudicated:
        return None
    pairs = {ballot.pair for ballot in used}
    standing = latest_adjudications(current_judgments(campaign, as_of, last, Purpose.ADJUDICATE))
    decided = {pair: row for pair, row in standing.items() if pair in pairs}
    by = count_by_purpose(row.assessor.username for row in decided.values())
    alone, _ = apply_policy(get_policy(policy.rule), used)
    without = {(topic, docno): grade for topic, docno, grade in alone}
    changed = sum(without.get(pair) != row.grade for pair, row in decided.items())
    return {"pairs": len(decided), "changed": changed, "adjudicators": by}


def automatic_summary(
    campaign: Campaign, policy: QrelsPolicy, as_of: datetime, last: int, used: Sequence[PairBallot]
) -> dict[str, Any] | None:
    """Whose automatic judgments decided how many pairs, and where they came from."""
    if not policy.automatic:
        return None
    machine = AutomaticAssessor.objects.select_related("user", "created_by").get(
        campaign=campaign, name=policy.automatic
    )
    judgments = current_judgments(campaign, as_of, last, Purpose.AUTOMATIC).filter(assessor=machine.user)
    newest = judgments.order_by("-pk").first()
    return {
        "name": machine.name,
        "description": machine.description,
        "brought_by": machine.created_by.username,
        "brought_at": machine.created_at.isoformat(),
        "judgments": judgments.count(),
        "pairs": sum(policy.hears_automatic(ballot) for ballot in used),
        "last_judgment": newest.pk if newest else None,
        "sources": count_by_purpose(judgments.values_list("source", flat=True)),
    }


def count_unjudged(
    campaign: Campaign, released: set[tuple[str, str]], withheld: Sequence[str]
) -> int:
    """How many planned pairs have no grade in the release."""
    slots = Slot.objects.filter(plan__campaign=campaign, k=0, purpose=Purpose.JUDGE)
    slots = slots.exclude(topic__number__in=withheld)
    planned = set(slots.order_by().values_list("topic__number", "item__docno"))
    return len(planned - released)
