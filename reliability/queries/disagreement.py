"""The ballots of all pairs, and the policies that use all of them."""

from __future__ import annotations

from campaigns.models import Campaign
from judging.core.pair_ballots import PairBallots
from judging.core.policies import POLICIES, QrelsPolicy
from judging.queries.judgments import load_pair_ballots


def load_visible_ballots(campaign: Campaign) -> PairBallots:
    """One ballot per judged pair, without withheld topics."""
    withheld = campaign.topics.filter(withheld=True).values_list("number", flat=True)
    return load_pair_ballots(campaign).omit_topics(list(withheld))


def list_complete_policies() -> list[QrelsPolicy]:
    """The policies to choose from: those that use all judgments."""
    return list(POLICIES.values())
