"""Crowd policies side by side: figures of a job, since models of all pairs take seconds."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Any

from campaigns.models import Campaign, Job
from campaigns.services.snapshots import SnapshotKind, ensure_snapshot, refresh_snapshot
from judging.core.policies import ADJUDICATED
from judging.core.policy_comparison import (
    PolicyComparison,
    compare_policies,
    decode_comparison,
    encode_comparison,
)
from judging.models import GoldPair, Purpose
from judging.queries.exclusions import log_state_key
from judging.queries.qrels_versions import list_crowd_rules
from judging.services.qrels import build_policy_drafts

SNAPSHOT = "qrels-policies-1"
ALWAYS = ("majority", "median-floor")
"""Policies that decide pair by pair, beside those for all pairs together."""
MOST_LABELS = 30_000
"""With more labels, slow models are not compared."""


@dataclass(frozen=True)
class ComparedPolicies:
    """``comparison`` and ``computed_at`` are None before the first job has ended. ``skipped``: the
    policies left out as too slow. ``job`` as in ``SnapshotState``.
    """

    comparison: PolicyComparison | None
    skipped: tuple[str, ...]
    computed_at: datetime | None
    is_current: bool
    job: Job | None


def get_policy_comparison(campaign: Campaign) -> ComparedPolicies:
    """The latest comparison; a job is queued if it is out of date."""
    state = ensure_snapshot(campaign=campaign, name=SNAPSHOT)
    comparison = decode_comparison(state.data) if state.data else None
    skipped = tuple(state.data["skipped"]) if state.data else ()
    return ComparedPolicies(comparison, skipped, state.computed_at, state.is_current, job=state.job)


def load_policy_comparison(campaign: Campaign) -> tuple[PolicyComparison, datetime]:
    """The latest comparison, and as of when it is; computed here only if there is none."""
    stored = campaign.snapshots.filter(name=SNAPSHOT).first()
    snapshot = stored or refresh_snapshot(campaign=campaign, name=SNAPSHOT)
    return decode_comparison(snapshot.data), snapshot.computed_at


def list_compared_policies(campaign: Campaign) -> tuple[list[str], list[str]]:
    """The policies that are compared, and those left out as too slow."""
    rules = list_crowd_rules(campaign)
    if campaign.judgments.filter(purpose=Purpose.JUDGE).count() > MOST_LABELS:
        skipped = [rule.card.name for rule in rules if rule.model.slow]
    else:
        skipped = []
    names = [*ALWAYS, *(rule.card.name for rule in rules if rule.card.name not in skipped)]
    if campaign.judgments.filter(purpose=Purpose.ADJUDICATE).exists():
        # Those in which adjudications override the rules.
        names = [ADJUDICATED + name for name in names]
    return names, skipped


def identify_policy_comparison(campaign: Campaign) -> str:
    """Changes with every judgment, exclusion, gold pair and policy that is offered."""
    gold = GoldPair.objects.filter(campaign=campaign).order_by("pk").values_list("pk", "grade")
    facts = log_state_key(campaign), list_compared_policies(campaign), list(gold)
    return sha256(repr(facts).encode()).hexdigest()


def compute_policy_comparison(campaign: Campaign) -> dict[str, Any]:
    names, skipped = list_compared_policies(campaign)
    drafts = build_policy_drafts(campaign, names)
    comparison = compare_policies({draft.policy.name: draft.outcome for draft in drafts})
    return {**encode_comparison(comparison), "skipped": skipped}


# Not by the tick: models of all pairs each minute of a day of judging are too much.
POLICIES_KIND = SnapshotKind(
    SNAPSHOT, identify_policy_comparison, compute_policy_comparison, is_renewed=False
)
