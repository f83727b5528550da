"""What was said of each pair, and how to know that nothing has been said since."""

from __future__ import annotations

from django.db.models import Count, Max

from campaigns.models import Campaign
from judging.core.policies import POLICIES, PairBallot, QrelsPolicy
from judging.models import Judgment
from judging.queries.judgments import list_pair_ballots

USUAL_POLICY = "adjudicated-median-floor"


def list_ballots(campaign: Campaign) -> list[PairBallot]:
    """One ballot a judged pair, without withheld topics."""
    hidden = set(campaign.topics.filter(withheld=True).values_list("number", flat=True))
    return [ballot for ballot in list_pair_ballots(campaign) if ballot.topic not in hidden]


def log_state_key(campaign: Campaign) -> tuple[object, ...]:
    """Changes with every row of the log and every topic withheld or not."""
    log = Judgment.objects.filter(campaign=campaign).aggregate(rows=Count("pk"), last=Max("pk"))
    hidden = campaign.topics.filter(withheld=True).order_by("pk").values_list("pk", flat=True)
    return campaign.pk, campaign.created_at, log["rows"], log["last"], tuple(hidden)


def list_complete_policies() -> list[QrelsPolicy]:
    """The policies to choose from: those that hear everybody."""
    return list(POLICIES.values())
