"""The manifest of a qrels version: its provenance, and what is needed to rebuild it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from campaigns import store
from campaigns.models import Campaign
from judging.models import AutomaticAssessor, Judgment, Purpose, Slot
from judging.queries.exclusions import summarize_set_aside
from judging.queries.judgments import (
    current_judgments,
    latest_adjudications,
    latest_judgments,
    log_until,
)
from poolbench.judging.aggregation.base import GoldCounts
from poolbench.judging.aggregation.formats import describe_aggregation, write_record_files
from poolbench.judging.policies import PairBallot, QrelsPolicy, Row, apply_policy, get_policy

if TYPE_CHECKING:
    from judging.services.qrels import QrelsDraft


def build_manifest(
    campaign: Campaign, draft: QrelsDraft, as_of: datetime, last: int, withheld: Sequence[str]
) -> dict[str, Any]:
    """Everything except the grades. Stores the file of a policy that decides pairs together."""
    policy, rows = draft.policy, draft.outcome.rows
    skips = latest_judgments(log_until(campaign, as_of, last)).filter(kind=Judgment.Kind.SKIP)
    frozen = {(topic, docno) for topic, docno, _ in rows}
    used = [ballot for ballot in draft.ballots if ballot.pair in frozen]
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
        "adjudications": adjudication_summary(campaign, draft, as_of, last, used),
        "propagated": summarize_propagation(draft, frozen),
        "automatic": automatic_summary(campaign, policy, as_of, last, used),
        "aggregation": store_aggregation(draft),
        "decided_by_tie_rule": draft.outcome.ties,
        "disagreeing_pairs": sum(ballot.disagree for ballot in draft.ballots),
        "extra_judgments_not_counted": sum(len(ballot.extra) for ballot in draft.ballots),
        "skipped": skips.count(),
        "set_aside": summarize_set_aside(campaign, as_of, last),
        "unjudged_pairs_left_out": count_unjudged(campaign, frozen, withheld),
    }


def store_aggregation(draft: QrelsDraft) -> dict[str, Any] | None:
    """The model with its options and fit, and its two files in the content store: the posterior of
    each pair, and the workers. None for other policies.
    """
    aggregated = draft.outcome.aggregated
    if aggregated is None:
        return None
    written = write_record_files(aggregated).items()
    files = {name: store.put_blob(text, ".csv") for name, text in written}
    gold = {worker: list(counts) for worker, counts in draft.gold.items()}
    return {**describe_aggregation(aggregated), "gold": gold, **files}


def is_same_aggregation(manifest: Mapping[str, Any], draft: QrelsDraft) -> bool:
    """Whether the files that the manifest names are those of ``draft``."""
    before, aggregated = manifest.get("aggregation"), draft.outcome.aggregated
    if before is None or aggregated is None:
        return before is None and aggregated is None
    written = write_record_files(aggregated).items()
    return all(store.get_blob(before[key]) == text for key, text in written)


def read_gold_counts(manifest: Mapping[str, Any]) -> GoldCounts:
    """The answers to gold by which the policy weighed workers."""
    gold = (manifest.get("aggregation") or {}).get("gold", {})
    return {worker: (right, answered) for worker, (right, answered) in gold.items()}


def read_scale(manifest: Mapping[str, Any]) -> list[int]:
    """The scale that the model of the policy assumed."""
    return list((manifest.get("aggregation") or {}).get("grades", ()))


def count_by_purpose(names: Iterable[object]) -> dict[str, int]:
    counts = Counter(names)
    return {str(name): counts[name] for name in sorted(counts)}  # type: ignore[type-var]


def grades_by_topic(rows: Sequence[Row]) -> dict[str, dict[str, int]]:
    counts: dict[str, Counter[str]] = {}
    for topic, _, grade in rows:
        counts.setdefault(topic, Counter())[str(grade)] += 1
    return {topic: dict(sorted(counts[topic].items())) for topic in sorted(counts)}


def count_by_assessor(policy: QrelsPolicy, used: Sequence[PairBallot]) -> dict[str, int]:
    """The number of judgments of each assessor that count under the policy."""
    own = [ballot for ballot in used if not ballot.propagated_from]
    if policy.alone:
        return {} if policy.automatic else {policy.own: len(own)}
    return count_by_purpose(name for ballot in own for name in ballot.people)


def summarize_propagation(draft: QrelsDraft, frozen: set[tuple[str, str]]) -> dict[str, int] | None:
    """How many pairs have the grade of a document with the same text, and of how many; None if
    there are none.
    """
    rows = [
        ballot
        for ballot in draft.ballots
        if ballot.pair in frozen and draft.policy.uses_propagation(ballot)
    ]
    originals = {(ballot.topic, ballot.propagated_from) for ballot in rows}
    return {"pairs": len(rows), "originals": len(originals)} if rows else None


def count_purposes(campaign: Campaign, as_of: datetime, last: int) -> dict[str, int]:
    """The current judgments by purpose, whether or not they count under the policy."""
    counts = {
        str(purpose): current_judgments(campaign, as_of, last, purpose).count()
        for purpose in Purpose.values
    }
    return {purpose: count for purpose, count in counts.items() if count}


def adjudication_summary(
    campaign: Campaign, draft: QrelsDraft, as_of: datetime, last: int, used: Sequence[PairBallot]
) -> dict[str, Any] | None:
    """The number of adjudicated pairs, by adjudicator, and how many of them the rule alone would
    grade differently or leave out; None if adjudications do not count under the policy.
    """
    policy = draft.policy
    if not policy.adjudicated:
        return None
    pairs = {ballot.pair for ballot in used}
    adjudications = latest_adjudications(
        current_judgments(campaign, as_of, last, Purpose.ADJUDICATE)
    )
    decided = {pair: row for pair, row in adjudications.items() if pair in pairs}
    by = count_by_purpose(row.assessor.username for row in decided.values())
    alone, _ = apply_policy(get_policy(policy.rule), used, draft.gold)
    without = {(topic, docno): grade for topic, docno, grade in alone}
    changed = sum(without.get(pair) != row.grade for pair, row in decided.items())
    return {"pairs": len(decided), "changed": changed, "adjudicators": by}


def automatic_summary(
    campaign: Campaign, policy: QrelsPolicy, as_of: datetime, last: int, used: Sequence[PairBallot]
) -> dict[str, Any] | None:
    """The automatic assessor, the pairs it decided, and the sources of its judgments."""
    if not policy.automatic:
        return None
    automatic = AutomaticAssessor.objects.select_related("user", "created_by").get(
        campaign=campaign, name=policy.automatic
    )
    judgments = current_judgments(campaign, as_of, last, Purpose.AUTOMATIC).filter(
        assessor=automatic.user
    )
    newest = judgments.order_by("-pk").first()
    return {
        "name": automatic.name,
        "description": automatic.description,
        "brought_by": automatic.created_by.username,
        "brought_at": automatic.created_at.isoformat(),
        "judgments": judgments.count(),
        "pairs": sum(policy.uses_automatic(ballot) for ballot in used),
        "last_judgment": newest.pk if newest else None,
        "sources": count_by_purpose(judgments.values_list("source", flat=True)),
    }


def count_unjudged(
    campaign: Campaign, frozen: set[tuple[str, str]], withheld: Sequence[str]
) -> int:
    """The number of planned pairs without a grade in the qrels version."""
    slots = Slot.objects.filter(plan__campaign=campaign, k=0, purpose=Purpose.JUDGE)
    slots = slots.exclude(topic__number__in=withheld)
    planned = set(slots.order_by().values_list("topic__number", "item__docno"))
    return len(planned - frozen)
