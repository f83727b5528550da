"""The ballots of all pairs, and a key that changes with the judgment log."""

from __future__ import annotations

from django.db.models import Count, Max

from campaigns.models import Campaign
from judging.core.pair_ballots import PairBallots
from judging.core.policies import POLICIES, QrelsPolicy
from judging.models import Judgment
from judging.queries.exclusions import counting_judgments
from judging.queries.judgments import load_pair_ballots


def load_visible_ballots(campaign: Campaign) -> PairBallots:
    """One ballot per judged pair, without withheld topics."""
    withheld = campaign.topics.filter(withheld=True).values_list("number", flat=True)
    return load_pair_ballots(campaign).omit_topics(list(withheld))


def log_state_key(campaign: Campaign) -> tuple[object, ...]:
    """A key that changes with every log row and exclusion, and every change of withheld topics."""
    counting = Judgment.objects.filter(counting_judgments(), campaign=campaign)
    log = counting.aggregate(rows=Count("pk"), last=Max("pk"))
    withheld = campaign.topics.filter(withheld=True).order_by("pk").values_list("pk", flat=True)
    return campaign.pk, campaign.created_at, log["rows"], log["last"], tuple(withheld)


def list_complete_policies() -> list[QrelsPolicy]:
    """The policies to choose from: those that use all judgments."""
    return list(POLICIES.values())
