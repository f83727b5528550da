"""Crowd policies side by side: figures of a job, since models of all pairs take seconds."""

from dataclasses import replace
from hashlib import sha256

from campaigns.models import Campaign
from campaigns.queries.lists import list_judging_grades
from campaigns.services.snapshots import Subject
from judging.models import Purpose
from judging.queries.exclusions import log_state_key
from judging.queries.qrels_versions import list_crowd_rules
from judging.services.qrels import build_policy_drafts
from poolbench.judging.policies import ADJUDICATED
from poolbench.judging.policy_comparison import PolicyComparison, compare_policies

COMPARED = "qrels-policies"
ALWAYS = ("majority", "median-floor")
"""Policies that decide pair by pair, beside those for all pairs together."""
MOST_LABELS = 30_000
"""With more labels, slow models are not compared."""


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
    gold = campaign.gold_pairs.order_by("pk").values_list("pk", "grade")
    scale = list_judging_grades(campaign)
    facts = log_state_key(campaign), list_compared_policies(campaign), list(gold), scale
    return sha256(repr(facts).encode()).hexdigest()


def compute_policy_comparison(campaign: Campaign) -> PolicyComparison:
    names, skipped = list_compared_policies(campaign)
    drafts = build_policy_drafts(campaign, names)
    comparison = compare_policies({draft.policy.name: draft.outcome for draft in drafts})
    return replace(comparison, skipped=tuple(skipped))


# Not by the tick: models of all pairs each minute of a day of judging are too much.
POLICIES_SUBJECT = Subject(
    COMPARED,
    identify_policy_comparison,
    compute_policy_comparison,
    PolicyComparison,
    is_renewed=False,
)
