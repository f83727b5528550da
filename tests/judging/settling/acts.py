"""What adjudicators do, for the tests of this folder."""

from campaigns.models import Campaign, User
from judging.models import Plan, Slot
from judging.services.judgments import claim_next


def take(user: User, campaign: Campaign) -> Slot | None:
    """The next pair to settle."""
    return claim_next(actor=user, campaign=campaign, topic=None, kind=Plan.Kind.ADJUDICATE)
